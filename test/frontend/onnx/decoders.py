"""Graphs of small decoders and encoders with random weights, as onnxruntime's convert_generation.py hands them to its searches."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

I32, F32, I64 = TensorProto.INT32, TensorProto.FLOAT, TensorProto.INT64


class Graph:
    """Nodes and weights of a graph that is being made."""

    def __init__(self, r, prefix=""):
        self.r, self.prefix, self.nodes, self.weights, self.count = r, prefix, [], [], 0

    def name(self):
        self.count += 1
        return f"{self.prefix}v{self.count}"

    def __call__(self, op, *inputs, outputs=1, names=None, **attributes):
        names = names or [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if len(names) == 1 else names

    def weight(self, *shape, scale=0.3):
        return self.constant((self.r.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, value):
        name = self.name()
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def info(self, name, elem, *shape):
        return helper.make_tensor_value_info(name, elem, shape)

    def graph(self, name, inputs, outputs):
        return helper.make_graph(self.nodes, name, inputs, outputs, self.weights)


def heads(g, x, h, d):
    return g("Transpose", g("Reshape", x, g.ints(0, 0, h, d)), perm=[0, 2, 1, 3])


def merged(g, x, h, d):
    return g("Reshape", g("Transpose", x, perm=[0, 2, 1, 3]), g.ints(0, 0, h * d))


def attend(g, q, k, v, d, bias=None):
    scores = g("Mul", g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2])), g.constant(np.float32(d**-0.5)))
    if bias is not None:
        scores = bias(scores)
    return g("MatMul", g("Softmax", scores, axis=-1), v)


def gpt(r, v=37, h=2, d=4, layers=2, most=64, fused=False, masked=True, sharp=3.0, seen=None, name="decoder"):
    """A decoder alone: as HF's GPT-2 exports it, or with com.microsoft.Attention."""
    g, e = Graph(r), h * d
    table = g.weight(v, e)
    x = g("Add", g("Gather", table, "input_ids"), g("Gather", g.weight(most, e), "position_ids"))
    far = g("Mul", g("Sub", g.constant(np.float32(1)), g("Cast", "attention_mask", to=F32)), g.constant(np.float32(-10000)))
    far = g("Unsqueeze", far, g.ints(1, 2))
    triangle = g.constant(np.tril(np.ones((1, 1, most, most), bool)))

    for layer in range(layers):
        past, present = f"past_{layer}", f"present_{layer}"
        y = g("LayerNormalization", x, g.weight(e, scale=1), g.weight(e), axis=-1)
        qkv, bias = g.weight(e, 3 * e), g.weight(3 * e)
        if fused:
            a = g.name()
            g("Attention", y, qkv, bias, "attention_mask", past, names=[a, present], num_heads=h, unidirectional=1, domain="com.microsoft")
        else:
            q, k, w = (heads(g, t, h, d) for t in g("Split", g("Add", g("MatMul", y, qkv), bias), outputs=3, axis=-1, num_outputs=3))
            k = g("Concat", g("Squeeze", g("Gather", past, g.ints(0)), g.ints(0)), k, axis=2)
            w = g("Concat", g("Squeeze", g("Gather", past, g.ints(1)), g.ints(0)), w, axis=2)
            g("Concat", g("Unsqueeze", k, g.ints(0)), g("Unsqueeze", w, g.ints(0)), axis=0, names=[present])
            ns, nd = g("Shape", k, start=2, end=3), g("Shape", q, start=2, end=3)

            def causal(scores):
                seen = g("Slice", g("Slice", triangle, g("Sub", ns, nd), ns, g.ints(2)), g.ints(0), ns, g.ints(3))
                scores = g("Where", seen, scores, g.constant(np.float32(-10000)))
                return g("Add", scores, far) if masked else scores

            a = merged(g, attend(g, q, k, w, d, causal), h, d)
        x = g("Add", x, g("Add", g("MatMul", a, g.weight(e, e)), g.weight(e)))
        y = g("LayerNormalization", x, g.weight(e, scale=1), g.weight(e), axis=-1)
        x = g("Add", x, g("MatMul", g("Tanh", g("MatMul", y, g.weight(e, 2 * e))), g.weight(2 * e, e)))
    x = g("LayerNormalization", x, g.weight(e, scale=1), g.weight(e), axis=-1)
    g("Mul", g("MatMul", x, g.weight(e, v, scale=1)), g.constant(np.float32(sharp)), names=["logits"])
    caches = [g.info(f"past_{i}", F32, 2, "B", h, "P", d) for i in range(layers)]
    inputs = [g.info("input_ids", I32, "B", "S"), g.info("position_ids", I32, "B", "S"), g.info("attention_mask", I32, "B", "T")] + caches
    outputs = [g.info("logits", F32, "B", "S", v)] + [g.info(f"present_{i}", F32, 2, "B", h, "T", d) for i in range(layers)]
    return g.graph(name, inputs, outputs)


def fixed(logits):
    """A decoder alone that gives these logits for each token."""
    g, v = Graph(None), len(logits)
    zero = g("Mul", g("Cast", "input_ids", to=F32), g.constant(np.float32(0)))
    g("Add", g("Unsqueeze", zero, g.ints(2)), g.constant(np.asarray(logits, np.float32)), names=["logits"])
    new = g("Unsqueeze", zero, g.ints(0, 2, 4))
    g("Concat", "past_0", g("Concat", new, new, axis=0), axis=3, names=["present_0"])
    inputs = [g.info(n, I32, "B", "S") for n in ("input_ids", "position_ids", "attention_mask")] + [g.info("past_0", F32, 2, "B", 1, "P", 1)]
    return g.graph("decoder", inputs, [g.info("logits", F32, "B", "S", v), g.info("present_0", F32, 2, "B", 1, "T", 1)])


class Pair:
    """An encoder and a decoder that share their weights: T5's, with a position bias by distance, or Whisper's, of sound [B, channels, frames]."""

    def __init__(self, r, v=29, h=2, d=4, layers=2, sharp=3.0, starts=True, states=True, sound=False, channels=3, fused=False, shares=False):
        self.fused, self.shares = fused, shares  # shares: past and present are one buffer
        self.v, self.h, self.d, self.layers, self.sharp, self.starts, self.states, self.sound = v, h, d, layers, sharp, starts, states, sound
        self.e, self.channels = h * d, channels
        self.r, self.values = r, {}

    def weight(self, g, key, *shape, scale=0.3):
        if key not in self.values:
            self.values[key] = (self.r.standard_normal(shape) * scale).astype(np.float32)
        return g.constant(self.values[key])

    def project(self, g, key, x):
        return heads(g, g("MatMul", x, self.weight(g, key, self.e, self.e)), self.h, self.d)

    def token(self, g, ids, past, layer_past, cross, mask, names):
        """Logits of tokens [B, n] behind `past`, and caches by these names."""
        e, h, d = self.e, self.h, self.d
        table = self.weight(g, "table", self.v, e, scale=1)
        x = g("Gather", table, ids)
        if self.sound:  # learned positions, by how many tokens there are
            n = g("Shape", ids, start=1, end=2)
            past_size = g("Shape", layer_past[0], start=2, end=3) if layer_past else g.ints(0)
            if self.shares and layer_past:
                past_size = g("Cast", "past_sequence_length", to=I64)
            where = g("Range", g("Squeeze", past_size), g("Squeeze", g("Add", past_size, n)), g.constant(np.int64(1)))
            x = g("Add", x, g("Gather", self.weight(g, "where", 64, e), where))
        far = None
        if mask:
            far = g("Mul", g("Sub", g.constant(np.float32(1)), g("Cast", mask, to=F32)), g.constant(np.float32(-10000)))
            far = g("Unsqueeze", far, g.ints(1, 2))
        for i in range(self.layers):
            buffer = self.shares and layer_past
            flat = [g("MatMul", x, self.weight(g, f"{i}{n}", e, e)) for n in "qkv"]
            q, k, w = (heads(g, y, h, d) for y in flat)
            if layer_past and not self.fused and not buffer:
                k, w = g("Concat", layer_past[2 * i], k, axis=2), g("Concat", layer_past[2 * i + 1], w, axis=2)
            m = g("Shape", q, start=2, end=3)
            n = g("Shape", k, start=2, end=3)
            if buffer:
                n = g("Add", g("Cast", "past_sequence_length", to=I64), m)
            elif self.fused:
                n = g("Add", g("Shape", layer_past[2 * i], start=2, end=3), m) if layer_past else m
            else:
                k, w = g("Identity", k, names=[names[2 * i]]), g("Identity", w, names=[names[2 * i + 1]])
            scalar = g.constant(np.int64(0)), g.constant(np.int64(1))
            keys = g("Range", scalar[0], g("Squeeze", n), scalar[1])
            queries = g("Range", g("Squeeze", g("Sub", n, m)), g("Squeeze", n), scalar[1])
            distance = g("Sub", g("Unsqueeze", keys, g.ints(0)), g("Unsqueeze", queries, g.ints(1)))
            bucket = g("Max", g("Min", g("Neg", distance), g.constant(np.int64(7))), g.constant(np.int64(0)))
            near = g("Transpose", g("Gather", self.weight(g, "near", 8, h, scale=1), bucket), perm=[2, 0, 1])
            near = g("Where", g("Greater", distance, scalar[0]), g.constant(np.float32(-10000)), near)
            near = g("Unsqueeze", near, g.ints(0))
            if buffer:
                a, more = g.name(), ["past_sequence_length", "beam_width", "cache_indirection"]
                g("DecoderMaskedMultiHeadAttention", *flat, self.ones(g, n), near, *layer_past[2 * i : 2 * i + 2], *more, names=[a, names[2 * i], names[2 * i + 1]], num_heads=h, past_present_share_buffer=1, domain="com.microsoft")
            elif self.fused:
                a, past_caches = g.name(), layer_past[2 * i : 2 * i + 2] if layer_past else []
                g("MultiHeadAttention", *flat, "", "", near, *past_caches, names=[a, names[2 * i], names[2 * i + 1]], num_heads=h, domain="com.microsoft")
            else:
                a = merged(g, attend(g, q, k, w, d, lambda scores: g("Add", scores, near)), h, d)
            x = g("Add", x, g("MatMul", a, self.weight(g, f"{i}o", e, e)))
            q = self.project(g, f"{i}cq", x)
            bias = (lambda scores: g("Add", scores, far)) if far else None
            a = attend(g, q, cross[2 * i], cross[2 * i + 1], d, bias)
            x = g("Add", x, g("MatMul", merged(g, a, h, d), self.weight(g, f"{i}co", e, e)))
        return g("Mul", g("MatMul", x, self.weight(g, "head", e, self.v, scale=1)), g.constant(np.float32(self.sharp)), names=["logits"])

    def ones(self, g, n):
        """A mask [batch, n] of ones: onnxruntime's kernel asks for one."""
        batch = g("Shape", "input_ids", start=0, end=1)
        return g("Expand", g.constant(np.int32(1)), g("Concat", batch, n, axis=0))

    def caches(self, g, word, kind, *shape):
        names = [f"{word}_{n}_{kind}_{i}" for i in range(self.layers) for n in ("key", "value")]
        return names, [g.info(n, F32, "B", self.h, *shape, self.d) for n in names]

    def encoder(self):
        g, e = Graph(self.r), self.e
        if self.sound:
            inputs = [g.info("encoder_input_ids", F32, "B", self.channels, "F")]
            x = g("Tanh", g("MatMul", g("Transpose", "encoder_input_ids", perm=[0, 2, 1]), self.weight(g, "sound", self.channels, e, scale=1)))
            mask = None
        else:
            inputs = [g.info("encoder_input_ids", I32, "B", "T"), g.info("encoder_attention_mask", I32, "B", "T")]
            x, mask = g("Gather", self.weight(g, "words", self.v, e, scale=1), "encoder_input_ids"), "encoder_attention_mask"
        x = g("LayerNormalization", x, self.weight(g, "ln", e, scale=1), axis=-1, names=["encoder_hidden_states"])
        names, outputs = self.caches(g, "present", "cross", "T", )
        for i in range(self.layers):
            for k in range(2):
                g("Identity", self.project(g, f"{i}x{k}", x), names=[names[2 * i + k]])
        if not self.starts:
            return g.graph("encoder", inputs, outputs)
        selves, infos = self.caches(g, "present", "self", "S")
        self.token(g, "decoder_input_ids", 0, None, names, mask, selves)
        states = g.info("encoder_hidden_states", F32, "B", "T", e)
        return g.graph("encoder", inputs + [g.info("decoder_input_ids", I32, "B", "S")], [g.info("logits", F32, "B", "S", self.v), states] + infos + outputs)

    def decoder(self):
        g = Graph(self.r)
        inputs, mask = [g.info("input_ids", I32, "B", 1)], None
        if not self.sound:
            inputs, mask = inputs + [g.info("encoder_attention_mask", I32, "B", "T")], "encoder_attention_mask"
        if self.states:
            inputs.append(g.info("encoder_hidden_states", F32, "B", "T", self.e))
        past, infos = self.caches(g, "past", "self", "P")
        cross, more = self.caches(g, "past", "cross", "T")
        selves, outputs = self.caches(g, "present", "self", "N")
        self.token(g, "input_ids", None, past, cross, mask, selves)
        if self.shares:
            more = more + [g.info("past_sequence_length", I32, 1), g.info("beam_width", I32, 1), g.info("cache_indirection", I32, "N", "M", "L")]
        return g.graph("decoder", inputs + infos + more, [g.info("logits", F32, "B", 1, self.v)] + outputs)
