"""sweep_models.py - models that nobody tuned for: of each module of timm the smallest that people deploy, and transformers' architectures.

    python bench/sweep_models.py NAME FOLDER

writes FOLDER/model.onnx with weights beside it, data/input_K.npy, expected/output_K.npy (eager torch in f64) and model.json: `inputs`, and for
each output the `rmse` of eager torch in f32 against f64 and its `rms`. Weights are made up, from a fixed seed. Nothing is fetched.
"""
import json
import os
import sys
import warnings

# module of timm: model
TIMM = {
    "beit": "beit_base_patch16_224", "byoanet": "botnet26t_256", "byobnet": "resnet26t", "cait": "cait_xxs24_224", "coat": "coat_lite_tiny",
    "convit": "convit_tiny", "convmixer": "convmixer_768_32", "convnext": "convnext_atto", "crossvit": "crossvit_tiny_240",
    "cpubone": "cpubone_nano", "csatv2": "csatv2", "cspnext": "cspnext_tiny", "cspnet": "cspresnet50", "davit": "davit_tiny", "deit": "deit_tiny_distilled_patch16_224", "densenet": "densenet121", "dla": "dla46_c",
    "dpn": "dpn48b", "edgenext": "edgenext_xx_small", "efficientformer": "efficientformer_l1",
    "efficientformer_v2": "efficientformerv2_s0", "efficientnet": "efficientnet_b0", "efficientvim": "efficientvim_m1", "efficientvit_mit": "efficientvit_b0",
    "efficientvit_msra": "efficientvit_m0", "eva": "eva02_tiny_patch14_224", "fasternet": "fasternet_t0",
    "fastvit": "fastvit_t8", "focalnet": "focalnet_tiny_srf", "gcvit": "gcvit_xxtiny", "ghostnet": "ghostnet_100", "hardcorenas": "hardcorenas_a",
    "hgnet": "hgnetv2_b0", "hiera": "hiera_tiny_224", "hieradet_sam2": "sam2_hiera_tiny", "hrnet": "hrnet_w18_small", "iformer": "iformer_t", "inception_next": "inception_next_atto",
    "inception_resnet_v2": "inception_resnet_v2", "inception_v3": "inception_v3", "inception_v4": "inception_v4", "lcnetv2": "lcnetv2_small", "levit": "levit_128s", "lowformer": "lowformer_b0",
    "mambaout": "mambaout_femto", "maxxvit": "coatnet_pico_rw_224", "metaformer": "poolformer_s12", "mlp_mixer": "mixer_s32_224",
    "mobilenetv3": "mobilenetv3_small_100", "mobilenetv5": "mobilenetv5_base", "mobilevit": "mobilevit_xxs", "mvitv2": "mvitv2_tiny", "nasnet": "nasnetalarge",
    "nest": "nest_tiny", "nextvit": "nextvit_small", "nfnet": "dm_nfnet_f0", "pit": "pit_ti_224", "pnasnet": "pnasnet5large", "pvt_v2": "pvt_v2_b0",
    "rdnet": "rdnet_tiny", "regnet": "regnetx_002", "repghost": "repghostnet_050", "repvit": "repvit_m0_9", "res2net": "res2net50_48w_2s",
    "resnest": "resnest14d", "resnet": "resnet18", "resnetv2": "resnetv2_50", "rexnet": "rexnet_100", "selecsls": "selecsls42b", "senet": "legacy_seresnet18",
    "sequencer": "sequencer2d_s", "shvit": "shvit_s1", "sknet": "skresnet18", "starnet": "starnet_s1", "swiftformer": "swiftformer_xs", "swin_transformer": "swin_tiny_patch4_window7_224",
    "swin_transformer_v2": "swinv2_tiny_window8_256", "swin_transformer_v2_cr": "swinv2_cr_tiny_ns_224", "tiny_vit": "tiny_vit_5m_224",
    "tnt": "tnt_s_patch16_224", "tresnet": "tresnet_m", "twins": "twins_svt_small", "vgg": "vgg11", "visformer": "visformer_tiny",
    "vision_transformer": "vit_tiny_patch16_224", "vision_transformer_hybrid": "vit_tiny_r_s16_p8_224", "vision_transformer_relpos": "vit_relpos_small_patch16_224",
    "vision_transformer_sam": "samvit_base_patch16_224", "vitamin": "vitamin_small_224", "volo": "volo_d1_224", "vovnet": "ese_vovnet19b_dw",
    "xception": "legacy_xception", "xception_aligned": "xception41", "xcit": "xcit_nano_12_p16_224"}

# model_type of transformers: what differs from its configuration's defaults, beside SMALL; None: as it is there
TEXT = {
    "albert": {}, "bert": {}, "big_bird": {"attention_type": "original_full"}, "biogpt": {}, "bloom": {"hidden_size": 512}, "canine": {}, "codegen": {"n_embd": 512, "n_head": 8, "rotary_dim": 32},
    "convbert": {}, "cohere": {"num_key_value_heads": 8}, "ctrl": {"n_embd": 512, "n_head": 8, "dff": 2048}, "deberta": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 256, "share_att_key": True}, "distilbert": {"dim": 512, "n_heads": 8, "hidden_dim": 2048}, "electra": {}, "ernie": {}, "esm": {"mask_token_id": 4}, "falcon": {"num_attention_heads": 8},
    "flaubert": {"emb_dim": 512, "n_layers": 4, "n_heads": 8}, "fnet": {}, "funnel": {"block_sizes": [2, 2], "num_hidden_layers": None}, "gemma": {"head_dim": 64, "num_key_value_heads": 2}, "gemma2": {"head_dim": 64, "num_key_value_heads": 2},
    "gpt2": {"n_embd": 512, "n_head": 8}, "gpt_bigcode": {"n_embd": 512, "n_head": 8}, "gpt_neo": {"num_heads": 8, "attention_types": [[["global", "local"], 2]]}, "gpt_neox": {}, "gptj": {"n_embd": 512, "n_head": 8, "rotary_dim": 32},
    "granite": {"num_key_value_heads": 8}, "helium": {"head_dim": 64, "num_key_value_heads": 8}, "layoutlm": {}, "llama": {"num_key_value_heads": 2}, "longformer": {}, "luke": {}, "mamba": {}, "mistral": {"num_key_value_heads": 2},
    "mobilebert": {"hidden_size": 512, "intermediate_size": 512, "num_attention_heads": 4, "num_hidden_layers": 8}, "modernbert": {}, "mpnet": {}, "mpt": {"d_model": 512, "n_heads": 8, "n_layers": 4}, "nystromformer": {}, "olmo": {}, "olmo2": {}, "opt": {"ffn_dim": 2048, "word_embed_proj_dim": 512},
    "persimmon": {}, "phi": {}, "phi3": {"num_key_value_heads": 8}, "qwen2": {"num_key_value_heads": 2}, "qwen3": {"num_key_value_heads": 2, "head_dim": 64}, "rembert": {"input_embedding_size": 128, "output_embedding_size": 512}, "roberta": {}, "roformer": {}, "squeezebert": {"embedding_size": 512}, "stablelm": {"num_key_value_heads": 8},
    "starcoder2": {"num_key_value_heads": 2}, "xglm": {"d_model": 512, "attention_heads": 8, "ffn_dim": 2048}, "xlm": {"emb_dim": 512, "n_layers": 4, "n_heads": 8}, "xlm-roberta": {}, "xlnet": {"d_model": 512, "n_head": 8, "d_inner": 2048}, "xmod": {"default_language": "en_XX"}, "yoso": {"use_expectation": True}}
TWO_TEXTS = {"bart": {}, "blenderbot-small": {}, "m2m_100": {}, "marian": {}, "mbart": {}, "pegasus": {}, "t5": {"d_kv": 64, "num_heads": 8, "d_ff": 2048}, "umt5": {"d_kv": 64, "num_heads": 8, "d_ff": 2048}}
IMAGES = {"convnextv2": {}, "cvt": {}, "deit": {}, "dinov2": {}, "glpn": {}, "levit": {}, "mobilevitv2": {}, "poolformer": {}, "pvt": {}, "regnet": {}, "segformer": {}, "vit_mae": {"mask_ratio": 0.0}, "yolos": {}}
SOUNDS = {"audio-spectrogram-transformer": "input_values", "hubert": "input_values", "sew": "input_values", "wav2vec2": "input_values", "wavlm": "input_values", "whisper": "input_features"}
SMALL = {"hidden_size": 512, "d_model": 512, "num_hidden_layers": 4, "n_layer": 4, "num_layers": 4, "num_decoder_layers": 4, "encoder_layers": 4, "decoder_layers": 4,
         "num_attention_heads": 8, "encoder_attention_heads": 8, "decoder_attention_heads": 8, "intermediate_size": 2048, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048, "n_inner": 2048, "vocab_size": 8192}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}  # inside of the small vocabulary
WORDS, OTHER_WORDS = 128, 16
NAMES = ["timm/" + name for name in TIMM.values()] + ["transformers/" + name for table in (TEXT, TWO_TEXTS, IMAGES, SOUNDS) for name in table]


def of_timm(name):
    import timm
    import torch
    model = timm.create_model(name)
    return model, {"x": torch.randn(1, *model.pretrained_cfg["input_size"])}


def of_transformers(kind):
    import torch
    from transformers import AutoConfig, AutoModel
    small = dict(SMALL) if kind in TEXT or kind in TWO_TEXTS else {}
    changes = {**(TEXT.get(kind) or TWO_TEXTS.get(kind) or IMAGES.get(kind) or {})}
    default = AutoConfig.for_model(kind)
    small = {k: v for k, v in {**small, **(TOKENS if small else {})}.items() if hasattr(default, k) and k not in changes}
    config = AutoConfig.for_model(kind, **small, **{k: v for k, v in changes.items() if v is not None})
    config.use_cache = False
    config.architectures = config.architectures or []  # of several, AutoModel takes the first
    config._attn_implementation = "sdpa" if kind not in ("mpt",) else "eager"
    try:
        model = AutoModel.from_config(config)
    except ValueError:  # it knows one way to compute attention
        config._attn_implementation = "eager"
        model = AutoModel.from_config(config)
    words = {"input_ids": torch.randint(3, 8000, (1, WORDS)), "attention_mask": torch.ones(1, WORDS, dtype=torch.int64)}
    if kind in TEXT:
        return model, words if kind not in ("mamba", "fnet", "xlnet") else {"input_ids": words["input_ids"]}
    if kind in TWO_TEXTS:
        return model, {**words, "decoder_input_ids": torch.randint(3, 8000, (1, OTHER_WORDS))}
    if kind in IMAGES:
        size = getattr(config, "image_size", 224)
        height, width = size if isinstance(size, (list, tuple)) else (size, size)
        pixels = {"pixel_values": torch.randn(1, 3, height, width)}
        if kind == "vit_mae":  # the order of its patches, drawn in the model otherwise
            pixels["noise"] = torch.rand(1, (height // config.patch_size) * (width // config.patch_size))
        return model, pixels
    if kind == "audio-spectrogram-transformer":
        return model, {"input_values": torch.randn(1, config.max_length, config.num_mel_bins)}
    if kind == "whisper":
        return model, {"input_features": torch.randn(1, config.num_mel_bins, 2 * config.max_source_positions), "decoder_input_ids": torch.randint(3, 8000, (1, OTHER_WORDS))}
    return model, {"input_values": torch.randn(1, 16000)}


def tensors(result):
    """The float tensors of what a model returns, in order; a structure with names has those that are not None."""
    import torch
    if isinstance(result, torch.Tensor):
        return [result] if result.is_floating_point() else []
    items = result.values() if hasattr(result, "values") else result if isinstance(result, (list, tuple)) else []
    return [tensor for item in items for tensor in tensors(item)]


def write(name, folder):
    import numpy as np
    import torch
    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    family, kind = name.split("/")
    model, inputs = (of_timm if family == "timm" else of_transformers)(kind)
    model.eval()

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, *values):
            return tuple(tensors(self.model(**dict(zip(inputs, values))) if family != "timm" else self.model(*values)))

    plain, values = Plain().eval(), tuple(inputs.values())
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    os.makedirs(os.path.join(folder, "expected"), exist_ok=True)
    with torch.no_grad():
        eager = plain(*values)
        program = torch.onnx.export(plain, values, input_names=list(inputs), dynamo=True, verbose=False)
        program.save(os.path.join(folder, "model.onnx"), external_data=True)
        exact = plain.double()(*(v.double() if v.is_floating_point() else v for v in values))
    if not all(torch.isfinite(want).all() for want in exact):
        raise ValueError("made-up weights give results that are not finite")
    outputs = []
    for k, (got, want) in enumerate(zip(eager, exact)):
        np.save(os.path.join(folder, "expected", f"output_{k}.npy"), want.numpy())
        outputs.append({"rmse": float((got.double() - want).square().mean().sqrt()), "rms": float(want.square().mean().sqrt())})
    given = [i.name for i in program.model.graph.inputs]  # what the model does not look at is no input
    for k, key in enumerate(given):
        np.save(os.path.join(folder, "data", f"input_{k}.npy"), inputs[key].numpy())
    with open(os.path.join(folder, "model.json"), "w") as file:
        json.dump({"inputs": given, "outputs": outputs, "parameters": sum(p.numel() for p in model.parameters())}, file)


if __name__ == "__main__":
    write(*sys.argv[1:])
