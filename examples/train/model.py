"""model.py: a model of text, one block of a transformer over the last 32 characters, as torch.onnx exports it.    python3 model.py

Writes chars.onnx beside this file; it is checked in, so that chars.c runs without PyTorch. It has not been trained. Needs torch, onnx and
onnxscript."""
import pathlib

import onnx
import torch
from torch.nn import functional as F

BATCH, LENGTH, CHARACTERS, WIDTH, HEADS = 16, 32, 128, 32, 2


class Chars(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.character = torch.nn.Embedding(CHARACTERS, WIDTH)
        self.place = torch.nn.Parameter(torch.zeros(LENGTH, WIDTH))
        self.before, self.between, self.behind = (torch.nn.LayerNorm(WIDTH) for _ in range(3))
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.mixed = torch.nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, text):
        x = self.character(text) + self.place
        q, k, v = (part.unflatten(2, (HEADS, -1)).transpose(1, 2) for part in self.qkv(self.before(x)).chunk(3, 2))
        x = x + self.mixed(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        x = x + self.narrow(F.gelu(self.wide(self.between(x))))
        return self.behind(x) @ self.character.weight.T


torch.manual_seed(0)
model = Chars()
with torch.no_grad():
    for p in model.parameters():
        if p.dim() > 1:
            p.normal_(0, 0.05)
print(sum(p.numel() for p in model.parameters()), "parameters")
path = pathlib.Path(__file__).with_name("chars.onnx")
torch.onnx.export(model.eval(), (torch.zeros(BATCH, LENGTH, dtype=torch.int64),), path, input_names=["text"], output_names=["logits"],
                  dynamo=True, external_data=False)

exported = onnx.load(path)  # without what the exporter notes for itself: half of the file, with paths of this machine
for part in [*exported.graph.node, *exported.graph.input, *exported.graph.output, *exported.graph.value_info, *exported.graph.initializer,
             exported.graph, exported]:
    part.ClearField("metadata_props")
for node in exported.graph.node:
    node.ClearField("doc_string")
onnx.save(exported, path)
