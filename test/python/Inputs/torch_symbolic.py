"""torch_symbolic.py: symbolic sizes, and a cache that is written in place. BERT and Llama take 40 sizes each with one compilation beside Dynamo's
variant for a size of 1; 64 tokens of generate with a static cache are two graphs, the prompt's and a step's, and the tokens are eager's."""
import itertools

import torch
import transformers
from torch._dynamo.testing import CompileCounterWithBackend
from torch._dynamo.utils import counters

torch.set_num_threads(1)
SIZES = list(itertools.product((2, 3, 5, 7, 8), (4, 9, 12, 16, 17, 23, 31, 32)))  # batch and length


def bert():
    config = transformers.BertConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48)
    return transformers.BertModel(config).eval()


def llama():
    config = transformers.LlamaConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                                      intermediate_size=48, max_position_embeddings=128)
    return transformers.LlamaForCausalLM(config).eval()


def call(model, ids):
    return model(ids, use_cache=False)[0] if isinstance(model, transformers.LlamaForCausalLM) else model(ids)[0]


def sizes(make, marked):
    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)
    net = make()
    fast = torch.compile(call, backend="tcc", dynamic=None if marked else True, fullgraph=True)
    with torch.no_grad():
        for batch, length in SIZES:
            ids = torch.randint(60, (batch, length))
            if marked:
                torch._dynamo.mark_dynamic(ids, 0)
                torch._dynamo.mark_dynamic(ids, 1)
            torch.testing.assert_close(fast(net, ids), call(net, ids), rtol=1e-4, atol=1e-5)
        many = counters["stats"]["unique_graphs"]
        ids = torch.randint(60, (1, 12))
        torch.testing.assert_close(fast(net, ids), call(net, ids), rtol=1e-4, atol=1e-5)
    print(make.__name__, "mark_dynamic" if marked else "dynamic=True", len(SIZES), "sizes:", many, "graph, of one row", counters["stats"]["unique_graphs"] - many)


def generate():
    torch._dynamo.reset()
    torch.manual_seed(0)
    net, ids, backend = llama(), torch.randint(60, (1, 9)), CompileCounterWithBackend("tcc")

    def tokens(step):
        cache = transformers.StaticCache(config=net.config, max_cache_len=80)
        given, position, out, places = ids, torch.arange(9), [], []
        for _ in range(64):
            logits = step(given, cache_position=position, past_key_values=cache, use_cache=True).logits
            given, position = logits[:, -1:].argmax(-1), position[-1:] + 1
            out.append(int(given))
            places.append(cache.layers[0].keys.data_ptr())
        return out, places

    with torch.no_grad():
        want, _ = tokens(net)
        made, places = tokens(torch.compile(net, backend=backend, fullgraph=True, dynamic=False))
    assert made == want, (made, want)
    print("generate", len(made), "tokens:", backend.frame_count, "graphs, cache", "in place" if len(set(places)) == 1 else "moved")


for make in (bert, llama):
    for marked in (False, True):
        sizes(make, marked)
generate()
