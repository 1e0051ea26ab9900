"""models.py - the models of run.py: random weights from fixed seeds, made by transformers and timm as users make them.

A Case is a module in eval() with arguments, and what a step of training is of it: the sum of its floating outputs, weighted. Dropout is 0
everywhere, so that train() computes what eval() does but for batch norms.
"""
import dataclasses
import zlib
from typing import Any, Callable

import torch

TOKENS = 128


@dataclasses.dataclass
class Case:
    module: torch.nn.Module
    args: tuple = ()
    kwargs: dict = dataclasses.field(default_factory=dict)
    before: Callable[[], Any] | None = None  # puts state back that calls move on
    every: int = 1                           # calls between two of it


class Layer(torch.nn.Module):
    """Of PyTorch's tutorial on regional compilation."""

    def __init__(self):
        super().__init__()
        self.linear1, self.linear2, self.relu1, self.relu2 = torch.nn.Linear(10, 10), torch.nn.Linear(10, 10), torch.nn.ReLU(), torch.nn.ReLU()

    def forward(self, a):
        return self.relu2(self.linear2(self.relu1(self.linear1(a))))


class Tutorial(torch.nn.Module):
    def __init__(self, layers=64):
        super().__init__()
        self.linear = torch.nn.Linear(10, 10)
        self.layers = torch.nn.ModuleList([Layer() for _ in range(layers)])

    def forward(self, x):
        x = self.linear(x)
        for layer in self.layers:
            x = layer(x)
        return x


def ids(words, *shape):
    return torch.randint(0, words, shape)


def llama_config(width, layers, **more):
    from transformers import LlamaConfig
    return LlamaConfig(hidden_size=width, num_hidden_layers=layers, num_attention_heads=width // 64, num_key_value_heads=max(1, width // 256),
                       intermediate_size=width * 11 // 4, vocab_size=8000, max_position_embeddings=1024, pad_token_id=0, **more)


def llama(width, layers):
    from transformers import LlamaForCausalLM
    return Case(LlamaForCausalLM(llama_config(width, layers)), (), {"input_ids": ids(8000, 1, TOKENS), "use_cache": False})


def qwen3(width, layers):
    from transformers import Qwen3Config, Qwen3ForCausalLM
    config = Qwen3Config(hidden_size=width, num_hidden_layers=layers, num_attention_heads=width // 64, num_key_value_heads=width // 256, head_dim=64,
                         intermediate_size=3 * width, vocab_size=8000, max_position_embeddings=1024)
    return Case(Qwen3ForCausalLM(config), (), {"input_ids": ids(8000, 1, TOKENS), "use_cache": False})


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    return Case(GPT2LMHeadModel(config), (), {"input_ids": ids(config.vocab_size, 1, TOKENS), "use_cache": False})


def bert(batch):
    from transformers import BertConfig, BertModel
    config = BertConfig(hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    mask = torch.ones(batch, TOKENS, dtype=torch.long)
    mask[:, TOKENS - 16:] = 0
    return Case(BertModel(config), (), {"input_ids": ids(config.vocab_size, batch, TOKENS), "attention_mask": mask})


def vit():
    from transformers import ViTConfig, ViTForImageClassification
    return Case(ViTForImageClassification(ViTConfig(num_labels=1000)), (torch.randn(1, 3, 224, 224),))


def whisper():
    from transformers import WhisperConfig, WhisperModel
    config = WhisperConfig(dropout=0, use_cache=False)  # its defaults are the tiny one
    return Case(WhisperModel(config), (), {"input_features": torch.randn(1, 80, 3000), "decoder_input_ids": ids(1000, 1, 16)})


def t5():
    from transformers import T5Config, T5Model
    config = T5Config(dropout_rate=0.0, use_cache=False)  # its defaults are the small one
    return Case(T5Model(config), (), {"input_ids": ids(32000, 1, TOKENS), "decoder_input_ids": ids(32000, 1, 16)})


def decode(width, layers, past=256, room=512, dtype=torch.float32):
    """One token with a static cache: the cache moves on with each call, and back before it is full."""
    from transformers import LlamaForCausalLM, StaticCache
    config = llama_config(width, layers)
    net = LlamaForCausalLM(config).to(dtype).eval()
    cache = StaticCache(config=config, max_cache_len=room)

    def back():
        for layer in cache.layers:
            layer.cumulative_length.fill_(past)
    with torch.no_grad():
        net(input_ids=ids(8000, 1, past), past_key_values=cache)
    return Case(net, (), {"input_ids": ids(8000, 1, 1), "past_key_values": cache, "position_ids": torch.tensor([[past]])}, back, room - past - 1)


def timm_model(name, batch=1, size=224, **more):
    import timm
    return Case(timm.create_model(name, pretrained=False, **more), (torch.randn(batch, 3, size, size),))


def mamba():
    from transformers import MambaConfig, MambaModel
    return Case(MambaModel(MambaConfig(vocab_size=8000, hidden_size=256, num_hidden_layers=4, use_cache=False)), (), {"input_ids": ids(8000, 1, TOKENS)})


def yolos():
    from transformers import YolosConfig, YolosForObjectDetection
    config = YolosConfig(hidden_size=192, num_hidden_layers=12, num_attention_heads=3, intermediate_size=768, image_size=[320, 320], num_detection_tokens=100,
                         hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return Case(YolosForObjectDetection(config), (torch.randn(1, 3, 320, 320),))


def narrow(make):
    """In bf16; inputs that are floats, too."""
    case = make()
    case.module.to(torch.bfloat16)
    case.args, case.kwargs = (torch.utils._pytree.tree_map_only(torch.Tensor, lambda t: t.bfloat16() if t.is_floating_point() else t, x)
                              for x in (case.args, case.kwargs))
    return case


MODELS = {
    "layer": lambda: Case(Tutorial(1).layers[0], (torch.randn(10, 10),)),
    "tutorial": lambda: Case(Tutorial(), (torch.randn(10, 10),)),
    "llama512x2": lambda: llama(512, 2),
    "llama512x8": lambda: llama(512, 8),
    "llama512x24": lambda: llama(512, 24),
    "llama512x64": lambda: llama(512, 64),
    "llama1024x8": lambda: llama(1024, 8),
    "gpt2": gpt2,
    "bert": lambda: bert(1),
    "bert_b8": lambda: bert(8),
    "vit": vit,
    "whisper": whisper,
    "t5": t5,
    "decode": lambda: decode(1024, 8),
    "resnet50": lambda: timm_model("resnet50"),
    "resnet50_b8": lambda: timm_model("resnet50", 8),
    "mobilenetv3": lambda: timm_model("mobilenetv3_small_100"),
    "convnext": lambda: timm_model("convnext_tiny"),
    "efficientnet": lambda: timm_model("efficientnet_b0"),
    "swin": lambda: timm_model("swin_tiny_patch4_window7_224", drop_path_rate=0.0),
    "qwen3": lambda: qwen3(512, 4),
    "mobilevit": lambda: timm_model("mobilevit_s", size=256),
    "densenet": lambda: timm_model("densenet121"),
    "mamba": mamba,
    "yolos": yolos,
    "hrnet": lambda: timm_model("hrnet_w18_small"),
    "bert_bf16": lambda: narrow(lambda: bert(1)),
    "vit_bf16": lambda: narrow(vit),
    "decode_bf16": lambda: decode(1024, 8, dtype=torch.bfloat16),
}
ABOUT = {
    "layer": "two Linear of 10", "tutorial": "64 such layers, 259 tensors", "llama512x2": "Llama, 512 wide, 2 layers", "llama512x8": "8 layers",
    "llama512x24": "24 layers", "llama512x64": "64 layers", "llama1024x8": "1,024 wide, 8 layers", "gpt2": "GPT-2, 128 tokens",
    "bert": "BERT base, 128 tokens", "bert_b8": "the same, batch of 8", "vit": "ViT-B/16", "whisper": "Whisper tiny, 16 tokens decoded",
    "t5": "T5 small, 128 and 16 tokens", "decode": "a token of Llama 1024x8, static cache of 512", "resnet50": "ResNet-50", "resnet50_b8": "the same, batch of 8",
    "mobilenetv3": "MobileNetV3 small", "convnext": "ConvNeXt tiny", "efficientnet": "EfficientNet B0", "swin": "Swin tiny",
    "qwen3": "Qwen3, 512 wide, 4 layers", "mobilevit": "MobileViT S", "densenet": "DenseNet-121", "bert_bf16": "BERT base in bf16", "vit_bf16": "ViT-B/16 in bf16",
    "decode_bf16": "decode in bf16", "mamba": "Mamba, 256 wide, 4 layers", "yolos": "YOLOS tiny, 320 x 320", "hrnet": "HRNet W18 small"}


def make(name):
    torch.manual_seed(zlib.crc32(name.encode()))
    case = MODELS[name]()
    case.module.eval()
    return case
