"""conv_backward.py FILE: a graph of one aten.convolution_backward, as JSON: all three gradients of a convolution of 4 channels to 6 by 3 x 2."""
import sys

from own_graph import node, write

write(sys.argv[1], {"g": [2, 6, 4, 9], "x": [2, 4, 8, 8], "w": [6, 4, 3, 2]}, {"dx": [2, 4, 8, 8], "dw": [6, 4, 3, 2], "db": [6]},
      [node("convolution_backward", "dx", "dw", "db", grad_output="g", input="x", weight="w", bias_sizes=[6], stride=[2, 1], padding=[1, 1],
            dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1, output_mask=[True, True, True])])
