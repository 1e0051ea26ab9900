"""train.py: trains a network that reads a digit of 5 x 7 points and exports it with torch.onnx.    python3 train.py

Writes digits.onnx beside this file; it is checked in, so that digits.c runs without PyTorch. Needs torch, onnx and onnxscript."""
import pathlib

import onnx
import torch

GLYPHS = """
 ###    #    ###  #####    #  #####   ##  #####  ###   ###
#   #  ##   #   #    #    ##  #      #        # #   # #   #
#  ##   #       #   #    # #  ####  #        #  #   # #   #
# # #   #      #     #  #  #      # ####    #    ###   ####
##  #   #     #       # #####     # #   #  #    #   #     #
#   #   #    #    #   #    #  #   # #   #  #    #   #    #
 ###   ###  #####  ###     #   ###   ###   #     ###   ##
"""


def glyphs():
    """[10, 1, 7, 5]: 1 where a digit has ink."""
    lines = [line.ljust(60) for line in GLYPHS.strip("\n").split("\n")]
    return torch.tensor([[[[float(line[6 * d + x] == "#") for x in range(5)] for line in lines]] for d in range(10)])


class Digits(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.edges = torch.nn.Conv2d(1, 8, 3, padding=1)
        self.hidden = torch.nn.Linear(8 * 7 * 5, 6)
        self.digit = torch.nn.Linear(6, 10)

    def forward(self, image):
        x = torch.relu(self.edges(image)).flatten(1)
        return torch.softmax(self.digit(torch.tanh(self.hidden(x))), dim=1)


torch.manual_seed(0)
images, labels = glyphs(), torch.arange(10)
model = Digits()
optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(1500):
    noise = (torch.rand(10, 10, 1, 7, 5) < 0.06).float()  # points that are wrong
    noisy = (images - noise).abs().reshape(100, 1, 7, 5)
    loss = torch.nn.functional.nll_loss(torch.log(model(noisy) + 1e-9), labels.repeat(10))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print("loss", loss.item(), "of", sum(p.numel() for p in model.parameters()), "parameters")

model.eval()
batch = torch.export.Dim("batch")
path = pathlib.Path(__file__).with_name("digits.onnx")
torch.onnx.export(model, (images[:2],), path, input_names=["image"], output_names=["digit"], dynamic_shapes={"image": {0: batch}},
                  dynamo=True, external_data=False)

exported = onnx.load(path)  # without what the exporter notes for itself: half of the file, with paths of this machine
for part in [*exported.graph.node, *exported.graph.input, *exported.graph.output, *exported.graph.value_info, *exported.graph.initializer,
             exported.graph, exported]:
    part.ClearField("metadata_props")
onnx.save(exported, path)
