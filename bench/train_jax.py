"""train_jax.py - models of train.py in plain jax.numpy, whose whole step, forward, backward and AdamW, is one jitted function.

    PYTHON bench/train_jax.py WEIGHTS.npz DATA NAME THREADS      a turn for each line of standard input, as the worker of train.py

PYTHON has jax and numpy alone. Weights and buffers have the names that PyTorch gives them, so that losses can be compared. XLA makes as many
threads as it is allowed CPUs.
"""
import json
import os
import pathlib
import sys
import time

from train import RATE, STEPS, peak_mb


def allow(threads):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def models():
    import jax
    import jax.numpy as jnp
    from jax import lax

    def linear(p, name, x):
        y = x @ p[f"{name}.weight"].T
        return y + p[f"{name}.bias"] if f"{name}.bias" in p else y

    def layer_norm(p, name, x, eps):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) * p[f"{name}.weight"] + p[f"{name}.bias"]

    def rms_norm(p, name, x, eps):
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + eps) * p[f"{name}.weight"]

    def attention(q, k, v, causal):
        """[batch, heads, rows, depth] each."""
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
        if causal:
            scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, -1), v)

    def split(x, heads):
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    def join(x):
        return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)

    def cross_entropy(logits, labels):
        logits = logits.reshape(-1, logits.shape[-1])
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels.reshape(-1, 1), 1).mean()

    def layers(p, prefix):
        return range(1 + max(int(name[len(prefix):].split(".")[0]) for name in p if name.startswith(prefix)))

    def mlp(p, buffers, x, y):
        for name in ("net.0", "net.2"):
            x = jax.nn.relu(linear(p, name, x))
        return cross_entropy(linear(p, "net.4", x), y), buffers

    def gpt2(p, buffers, x, y):
        def conv1d(name, x):
            return x @ p[f"{name}.weight"] + p[f"{name}.bias"]
        h = p["net.transformer.wte.weight"][x] + p["net.transformer.wpe.weight"][:x.shape[1]]
        for i in layers(p, "net.transformer.h."):
            at = f"net.transformer.h.{i}"
            q, k, v = (split(part, 12) for part in jnp.split(conv1d(f"{at}.attn.c_attn", layer_norm(p, f"{at}.ln_1", h, 1e-5)), 3, -1))
            h = h + conv1d(f"{at}.attn.c_proj", join(attention(q, k, v, True)))
            up = jax.nn.gelu(conv1d(f"{at}.mlp.c_fc", layer_norm(p, f"{at}.ln_2", h, 1e-5)), approximate=True)
            h = h + conv1d(f"{at}.mlp.c_proj", up)
        return cross_entropy(layer_norm(p, "net.transformer.ln_f", h, 1e-5) @ p["net.transformer.wte.weight"].T, y), buffers

    def llama(p, buffers, x, y):
        heads, h = 8, p["net.model.embed_tokens.weight"][x]
        depth = h.shape[-1] // heads
        angle = jnp.arange(x.shape[1])[:, None] * 10000.0 ** (-jnp.arange(0, depth, 2) / depth)
        cos, sin = (jnp.concatenate([f(angle)] * 2, -1) for f in (jnp.cos, jnp.sin))

        def rotate(t):
            low, high = jnp.split(t, 2, -1)
            return t * cos + jnp.concatenate([-high, low], -1) * sin
        for i in layers(p, "net.model.layers."):
            at = f"net.model.layers.{i}"
            z = rms_norm(p, f"{at}.input_layernorm", h, 1e-6)
            q, k, v = (split(linear(p, f"{at}.self_attn.{name}_proj", z), heads) for name in "qkv")
            h = h + linear(p, f"{at}.self_attn.o_proj", join(attention(rotate(q), rotate(k), v, True)))
            z = rms_norm(p, f"{at}.post_attention_layernorm", h, 1e-6)
            h = h + linear(p, f"{at}.mlp.down_proj", jax.nn.silu(linear(p, f"{at}.mlp.gate_proj", z)) * linear(p, f"{at}.mlp.up_proj", z))
        return cross_entropy(linear(p, "net.lm_head", rms_norm(p, "net.model.norm", h, 1e-6)), y), buffers

    def vit(p, buffers, x, y):
        n, c, size, patch = *x.shape[:3], p["net.patch_embed.proj.weight"].shape[-1]
        x = x.reshape(n, c, size // patch, patch, size // patch, patch).transpose(0, 2, 4, 1, 3, 5).reshape(n, -1, c * patch * patch)
        h = x @ p["net.patch_embed.proj.weight"].reshape(-1, c * patch * patch).T + p["net.patch_embed.proj.bias"]
        h = jnp.concatenate([jnp.broadcast_to(p["net.cls_token"], (n, 1, h.shape[-1])), h], 1) + p["net.pos_embed"]
        for i in layers(p, "net.blocks."):
            at = f"net.blocks.{i}"
            q, k, v = (split(part, 12) for part in jnp.split(linear(p, f"{at}.attn.qkv", layer_norm(p, f"{at}.norm1", h, 1e-6)), 3, -1))
            h = h + linear(p, f"{at}.attn.proj", join(attention(q, k, v, False)))
            up = jax.nn.gelu(linear(p, f"{at}.mlp.fc1", layer_norm(p, f"{at}.norm2", h, 1e-6)), approximate=False)
            h = h + linear(p, f"{at}.mlp.fc2", up)
        return cross_entropy(linear(p, "net.head", layer_norm(p, "net.norm", h, 1e-6)[:, 0]), y), buffers

    def resnet50(p, buffers, x, y):
        new = dict(buffers)

        def conv(name, x, stride=1):
            w = p[f"{name}.weight"]
            return lax.conv_general_dilated(x, w, (stride, stride), [(w.shape[-1] // 2,) * 2] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"))

        def norm(name, x):
            mean, count = x.mean((0, 2, 3)), x.size // x.shape[1]
            variance = ((x - mean[:, None, None]) ** 2).mean((0, 2, 3))
            for of, value in (("mean", mean), ("var", variance * count / (count - 1))):
                new[f"{name}.running_{of}"] = 0.9 * buffers[f"{name}.running_{of}"] + 0.1 * value
            scale = p[f"{name}.weight"] * lax.rsqrt(variance + 1e-5)
            return (x - mean[:, None, None]) * scale[:, None, None] + p[f"{name}.bias"][:, None, None]
        h = jax.nn.relu(norm("net.bn1", conv("net.conv1", x, 2)))
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1)))
        for stage in range(1, 5):
            for i in layers(p, f"net.layer{stage}."):
                at, stride = f"net.layer{stage}.{i}", 2 if stage > 1 and i == 0 else 1
                r = jax.nn.relu(norm(f"{at}.bn1", conv(f"{at}.conv1", h)))
                r = norm(f"{at}.bn3", conv(f"{at}.conv3", jax.nn.relu(norm(f"{at}.bn2", conv(f"{at}.conv2", r, stride)))))
                if f"{at}.downsample.0.weight" in p:
                    h = norm(f"{at}.downsample.1", conv(f"{at}.downsample.0", h, stride))
                h = jax.nn.relu(h + r)
        return cross_entropy(linear(p, "net.fc", h.mean((2, 3))), y), new

    return {f.__name__: f for f in (mlp, resnet50, vit, gpt2, llama)}


NAMES = ("mlp", "resnet50", "vit", "gpt2", "llama")


def adamw(p, g, m, v, t):
    """As torch.optim.AdamW by default, at this rate."""
    import jax.numpy as jnp
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p * (1 - RATE * 0.01) - RATE * (m / (1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8), m, v


def main(weights, data, name, threads):
    allow(int(threads))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import jax
    import jax.numpy as jnp
    import numpy as np
    loss, tensors = models()[name], np.load(weights)
    parameters = {of[2:]: jnp.asarray(tensors[of]) for of in tensors.files if of.startswith("p:")}
    buffers = {of[2:]: jnp.asarray(tensors[of]) for of in tensors.files if of.startswith("b:")}
    zeros = {of: jnp.zeros_like(value) for of, value in parameters.items()}
    state = parameters, buffers, zeros, {of: jnp.zeros_like(value) for of, value in parameters.items()}, jnp.float32(0)

    def step(state, x, y):
        p, buffers, m, v, t = state
        (value, buffers), g = jax.value_and_grad(loss, has_aux=True)(p, buffers, x, y)
        new = {of: adamw(p[of], g[of], m[of], v[of], t + 1) for of in p}
        p, m, v = ({of: each[i] for of, each in new.items()} for i in range(3))
        return (p, buffers, m, v, t + 1), value
    step = jax.jit(step, donate_argnums=0)
    batch = [jnp.asarray(np.load(pathlib.Path(data) / f"input_{i}.npy")) for i in range(2)]
    for _ in sys.stdin:
        ms, losses = [], []
        for _ in range(STEPS):
            begin = time.perf_counter()
            state, value = step(state, *batch)
            losses.append(float(value))
            ms.append((time.perf_counter() - begin) * 1e3)
        print(json.dumps({"ms": ms, "losses": losses, "peak_mb": peak_mb()}), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
