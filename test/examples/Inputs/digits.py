"""digits.py TRAIN PROGRAM ARTIFACT: what the program reads in each of the ten glyphs of train.py."""
import subprocess
import sys

lines = open(sys.argv[1]).read().split('GLYPHS = """')[1].split('"""')[0].strip("\n").split("\n")
for digit in range(10):
    drawing = "\n".join(line.ljust(60)[6 * digit : 6 * digit + 5] for line in lines)
    print(subprocess.run(sys.argv[2:], input=drawing, capture_output=True, text=True, check=True).stdout.split()[0], end=" ")
print()
