"""Products of groups of rows: torch's grouped_mm, and the experts of a transformers model, forward and backward, beside eager mode."""
import importlib.util
import unittest

import torch

import tcc
import tcc.dynamo

ENDS = torch.tensor([3, 3, 20, 29], dtype=torch.int32)  # 29 of 32 rows are of a group, none of the second


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend=tcc.dynamo.backend, fullgraph=True, options=options)


def halves(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).bfloat16()


class Grouped(unittest.TestCase):
    def same(self, a, b, ends=ENDS, rows=slice(None)):
        want = torch.nn.functional.grouped_mm(a, b, offs=ends)
        got = compiled(lambda a, b, ends: torch.nn.functional.grouped_mm(a, b, offs=ends))(a, b, ends)
        torch.testing.assert_close(got[rows], want[rows], rtol=1.6e-2, atol=1e-2)

    def test_rows(self):
        self.same(halves(32, 16), halves(4, 16, 24), rows=slice(29))

    def test_columns(self):
        self.same(halves(4, 24, 16), halves(16, 32), rows=(slice(None), slice(29)))

    def test_what_is_summed(self):
        self.same(halves(16, 32), halves(32, 24))

    def test_batch(self):
        self.same(halves(4, 8, 16), halves(4, 16, 24), None)

    def test_rows_of_no_group(self):
        """Eager mode leaves them as they are; here they are zeros."""
        got = compiled(lambda a, b, e: torch.nn.functional.grouped_mm(a, b, offs=e))(halves(32, 16), halves(4, 16, 24), ENDS)
        self.assertTrue(torch.all(got[29:] == 0))


@unittest.skipUnless(importlib.util.find_spec("transformers"), "no transformers")
class Experts(unittest.TestCase):
    def setUp(self):
        from transformers import MixtralConfig, MixtralForCausalLM
        torch.manual_seed(0)
        config = MixtralConfig(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=96,
                               num_local_experts=4, num_experts_per_tok=2, max_position_embeddings=64)
        self.model = MixtralForCausalLM(config)
        self.words = torch.randint(96, (2, 11))

    def loss(self, model):
        self.model.zero_grad()
        loss = model(input_ids=self.words, labels=self.words, use_cache=False).loss
        loss.backward()
        return loss.item(), {name: p.grad.clone() for name, p in self.model.named_parameters()}

    def test_a_step(self):
        want, gradients = self.loss(self.model)
        got, ours = self.loss(compiled(self.model))
        self.assertAlmostEqual(got, want, places=5)
        for name, gradient in gradients.items():
            torch.testing.assert_close(ours[name], gradient, rtol=1e-4, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
