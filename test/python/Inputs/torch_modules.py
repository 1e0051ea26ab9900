"""Modules of torch.nn through torch.compile(fullgraph=True), beside eager mode."""
import unittest
import warnings

import torch

import tcc.dynamo


def compiled(f, **options):
    torch._dynamo.reset()
    return torch.compile(f, backend=tcc.dynamo.backend, fullgraph=True, options=options)


class Modules(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        warnings.simplefilter("ignore")  # eager mode's, that it converts the masks

    def test_encoder_masks(self):
        """Without gradients an encoder's layer is one operator, whose masks are numbers: 0 and -inf, or anything."""
        layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval()
        x, padding = torch.randn(2, 5, 16), torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]).bool()
        numbers = torch.zeros(2, 5).masked_fill(padding, -torch.inf)
        causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
        with torch.no_grad():
            for how in ({"padding": padding}, {"padding": numbers}, {"padding": numbers, "mask": causal}):
                def run(x, mask=None, padding=None):
                    return layer(x, mask, src_key_padding_mask=padding)
                torch.testing.assert_close(compiled(run)(x, **how), run(x, **how))


if __name__ == "__main__":
    unittest.main()
