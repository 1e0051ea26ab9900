"""cells.py FILE: steps of lstm and gru cells and their gradients as calls for tcc-torch-calls. torch has these overloads on a device alone:
what they give is written here from the cells' definitions, gradients by torch's autograd of these, in f64."""
import json
import sys

import record
import torch

aten = torch.ops.aten
BATCH, HIDDEN = 3, 5


def lstm(input_gates, hidden_gates, cx, b1=None, b2=None):
    i, f, g, o = sum(t for t in (input_gates, hidden_gates, b1, b2) if t is not None).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def gru(input_gates, hidden_gates, hx, b1=None, b2=None):
    (ir, ii, inew), (hr, hi, hnew) = ((t if b is None else t + b).chunk(3, 1) for t, b in ((input_gates, b1), (hidden_gates, b2)))
    reset, keep = (ir + hr).sigmoid(), (ii + hi).sigmoid()
    new = (inew + reset * hnew).tanh()
    return new + keep * (hx - new), torch.cat([reset, keep, new, hx, hnew], 1)


def main():
    torch.manual_seed(0)
    lines = []

    def call(func, args, results):
        lines.append(record.line(func, args, {}, results)[2])

    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for biases in (True, False):
            for gates, cell in ((4, lstm), (3, gru)):
                args = [torch.randn(BATCH, n).to(dtype) for n in (gates * HIDDEN, gates * HIDDEN, HIDDEN)]
                args += [torch.randn(gates * HIDDEN).to(dtype) for _ in range(2 if biases else 0)]
                exact = [a.double().requires_grad_() for a in args]
                made = cell(*exact)
                kept = [t.detach().to(dtype) for t in made]
                call(aten._thnn_fused_lstm_cell.default if gates == 4 else aten._thnn_fused_gru_cell.default, args, kept)
                if dtype != torch.float32:  # what is kept is rounded: gradients of it are those of another cell
                    continue
                for takes in ((True, True), (True, False), (False, True)) if gates == 4 else ((True, False),):
                    grads = [torch.randn(BATCH, HIDDEN) if taken else None for taken in takes]
                    taken = [(y, g.double()) for y, g in zip(made, grads) if g is not None]
                    found = torch.autograd.grad([y for y, _ in taken], exact, [g for _, g in taken], retain_graph=True)
                    found = [t.float() for t in found] + [None] * (0 if biases else 2)
                    if gates == 3:
                        call(aten._thnn_fused_gru_cell_backward.default, (grads[0], kept[1], biases), found)
                    else:
                        given = (*grads, args[2], kept[1], kept[2], biases)
                        call(aten._thnn_fused_lstm_cell_backward.default, given, found)
                        call(aten._thnn_fused_lstm_cell_backward_impl.default, given, [found[0], found[2], found[3]])
    with open(sys.argv[1], "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in sorted(lines, key=lambda line: line["call"]))


main()
