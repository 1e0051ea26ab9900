"""search_bad.py FOLDER [CASE...]: searches that mean harm, or nothing. Each must be refused with one error that names the node and says what is expected here."""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from decoders import Pair, gpt

CASES = {}


def case(message):
    def add(function):
        CASES[function.__name__] = (message, function)
        return function

    return add


def decoder(**more):
    return gpt(np.random.default_rng(1), v=9, layers=2, **more)


def model(op="GreedySearch", ids=(2, 3), elem=TensorProto.INT32, inputs=(("length", np.array([8], np.int32)),), outputs=1, graph=None, **attributes):
    """inputs: (name, constant or the sizes of an input of i32) or "" behind the ids."""
    attributes = {"decoder": graph or decoder(), "eos_token_id": 0, "pad_token_id": 1} | attributes
    attributes = {k: v for k, v in attributes.items() if v is not None}
    names, infos, weights = ["ids"], [helper.make_tensor_value_info("ids", elem, ids)], []
    for x in inputs:
        names.append(x[0] if x else "")
        if x and isinstance(x[1], tuple):
            infos.append(helper.make_tensor_value_info(x[0], TensorProto.INT32, x[1]))
        elif x:
            weights.append(numpy_helper.from_array(x[1], x[0]))
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], name="search", domain="com.microsoft", **attributes)
    results = [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT if i else TensorProto.INT32, None) for i in range(outputs)]
    graph = helper.make_graph([node], "g", infos, results, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


def ints(name, *values):
    return name, np.array(values, np.int32)


def beams(n=3, returned=2, length=8, rest=(), **more):
    return model("BeamSearch", inputs=[ints("length", length), "", ints("beams", n), ints("returned", returned), *rest], **more)


def pair(starts=True, change=lambda e, d: None, **more):
    p = Pair(np.random.default_rng(2), v=9, starts=starts, states=False)
    encoder, d = p.encoder(), p.decoder()
    change(encoder, d)
    return beams(graph=d, **({"encoder": encoder, "model_type": 1, "decoder_start_token_id": 2} | more))


def changed(change, **more):
    graph = decoder()
    change(graph)
    return model(graph=graph, **more)


def size(graph, kind, index, axis, value):
    dim = getattr(graph, kind)[index].type.tensor_type.shape.dim[axis]
    dim.Clear()
    if value is not None:
        dim.dim_value = value


@case("graph attribute 'decoder' is missing")
def no_decoder():
    return model(decoder=None)


@case("attribute 'eos_token_id' is missing")
def no_end():
    return model(eos_token_id=None)


@case("attribute 'pad_token_id' is missing")
def no_pad():
    return model(pad_token_id=None)


@case("eos_token_id is -7")
def end_negative():
    return model(eos_token_id=-7)


@case("pad_token_id is 4294967296")
def pad_large():
    return model(pad_token_id=1 << 32)


@case("model_type 1")
def greedy_pair():
    return model(model_type=1)


@case("model_type 77")
def kind_of_none():
    return beams(model_type=77)


@case("input_ids of rank 3")
def ids_rank():
    return model(ids=(1, 2, 3))


@case("input_ids of i64")
def ids_type():
    return model(elem=TensorProto.INT64)


@case("must be at most")
def length_short():
    return model(inputs=[ints("length", 3)])


@case("must be at most")
def length_zero():
    return model(inputs=[ints("length", 0)])


@case("must be at most")
def length_negative():
    return model(inputs=[ints("length", -5)])


@case("max_length of 2 numbers")
def length_two():
    return model(inputs=[ints("length", 5, 6)])


@case("num_beams is 0")
def beams_zero():
    return beams(n=0)


@case("num_beams is -3")
def beams_negative():
    return beams(n=-3)


@case("2147483647 beams")
def beams_many():
    return beams(n=2**31 - 1, returned=1)


@case("num_return_sequences: '4' must be at most '3'")
def returned_many():
    return beams(returned=4)


@case("num_return_sequences: '1' must be at most '0'")
def returned_zero():
    return beams(returned=0)


@case("repetition_penalty is 0")
def penalty_zero():
    return model(inputs=[ints("length", 8), "", ("penalty", np.zeros(1, np.float32))])


@case("repetition_penalty: '2' must equal '1'")
def penalty_two():
    return model(inputs=[ints("length", 8), "", ("penalty", np.ones(2, np.float32))])


@case("vocab_mask: '4' must equal '9'")
def mask_short():
    return model(inputs=[ints("length", 8), "", "", ints("mask", 1, 1, 1, 1)])


@case("prefix_vocab_mask: '3' must equal '2'")
def prefix_batch():
    return model(inputs=[ints("length", 8), "", "", "", ("mask", (3, 9))])


@case("attention_mask: '4' must equal '3'")
def attention_length():
    return model(inputs=[ints("length", 8), "", "", "", "", ("mask", (2, 4))])


@case("a vocabulary of 0 tokens")
def vocabulary_zero():
    return changed(lambda g: size(g, "output", 0, 2, 0))


@case("the last size of the decoder's logits must be a number")
def vocabulary_open():
    return changed(lambda g: size(g, "output", 0, 2, None))


@case("vocab_size: '50' must be at most '9'")
def vocabulary_large():
    return model(vocab_size=50)


@case("vocab_size: '10' must be at most '9'")
def vocabulary_lies():
    return changed(lambda g: size(g, "output", 0, 2, 10))


@case("a vocabulary of 1 tokens")
def vocabulary_one():
    return beams(vocab_size=1)


@case("n-grams of 1000000 tokens")
def grams_long():
    return model(no_repeat_ngram_size=10**6)


@case("a decoder must have outputs logits and present_0")
def decoder_gives_one():
    return changed(lambda g: [g.output.pop() for _ in range(2)])


@case("a decoder with 2 outputs must have 4 inputs, not 7")
def decoder_forgets():
    return changed(lambda g: [g.output.pop(), g.input.append(g.input[3]), g.input.append(g.input[4])])


@case("a decoder with 3 outputs must have 5 inputs, not 4")
def decoder_lacks_past():
    return changed(lambda g: g.input.pop() and None)


@case("past and present in one buffer")
def decoder_shares():
    return changed(lambda g: g.input.append(helper.make_tensor_value_info("past_sequence_length", TensorProto.INT32, [1])))


@case("axis 4 of 'past_0' of a subgraph must be a number")
def past_open():
    return changed(lambda g: size(g, "input", 3, 4, None))


@case("'past_0' of a subgraph must have rank 5")
def past_rank():
    return changed(lambda g: g.input[3].type.tensor_type.shape.dim.pop() and None)


@case("output 'logits' of a subgraph is not defined")
def logits_nowhere():
    return changed(lambda g: [g.node.remove(n) for n in list(g.node) if "logits" in n.output])


@case("tokens of a cache: '0' must equal '3'")
def cache_same():
    def change(g):
        for n in g.node:
            if "present_1" in n.output:
                n.output[0] = "other"
        g.node.append(helper.make_node("Identity", ["past_1"], ["present_1"]))

    return changed(change)


@case("that the decoder gives is not the one it was given and a token more")
def cache_twice():
    def change(g):
        for n in g.node:
            if "present_1" in n.output:
                n.output[0] = "other"
        g.node.append(helper.make_node("Concat", ["other", "past_1"], ["present_1"], axis=3))

    return changed(change)


@case("topk, along an axis that a loop makes longer")
def cache_sorted():
    def change(g):
        g.initializer.append(numpy_helper.from_array(np.array([1], np.int64), "one"))
        g.node.extend([helper.make_node("TopK", ["present_0", "one"], ["top", "at"], axis=3), helper.make_node("ReduceMax", ["top"], ["most"], keepdims=0)])
        for n in g.node:
            if "logits" in n.output:
                n.output[0] = "logits0"
        g.node.append(helper.make_node("Add", ["logits0", "most"], ["logits"]))

    return changed(change)


@case("init_decoder has other caches than decoder")
def two_decoders():
    return model(init_decoder=gpt(np.random.default_rng(3), v=9, layers=1))


@case("graph attribute 'encoder' is missing")
def pair_alone():
    return pair(encoder=None)


@case("decoder_start_token_id is missing")
def pair_starts_nowhere():
    return pair(decoder_start_token_id=None)


@case("an encoder of 3 inputs must have 10 outputs beside this decoder, not 9")
def encoder_forgets():
    return pair(change=lambda e, d: e.output.pop() and None)


@case("an encoder of 1 inputs")
def encoder_reads_one():
    return pair(change=lambda e, d: [e.input.pop() for _ in range(2)])


@case("a decoder with 5 outputs must have 10 inputs, not 9")
def pair_lacks_past():
    return pair(change=lambda e, d: d.input.pop() and None)


@case("a decoder with 5 outputs must have 10 inputs, not 12")
def pair_past_twice():
    return pair(change=lambda e, d: [d.input.append(d.input[-1]), d.input.append(d.input[-1])])


@case("a decoder that reads all tokens of a text")
def pair_reads_all():
    return pair(change=lambda e, d: size(d, "input", 0, 1, None))


@case("a decoder must have outputs logits, and keys and values of each layer")
def pair_gives_keys():
    return pair(change=lambda e, d: d.output.pop() and None)


@case("decoder_input_ids")
def pair_begins():
    return beams(rest=["", "", "", "", "", ("begin", (2, 1))])


@case("decoder_output_cross_qk")
def sound_attends():
    p = Pair(np.random.default_rng(2), v=9, sound=True)
    return model("WhisperBeamSearch", ids=(2, 3, 4), elem=TensorProto.FLOAT, graph=p.decoder(), encoder=p.encoder(), model_type=2, decoder_start_token_id=2, decoder_output_cross_qk=1)


def sound(processor, **more):
    p = Pair(np.random.default_rng(2), v=9, sound=True)
    inputs = [ints("length", 8)] + [""] * 9 + [ints("processor", processor)]
    return model("WhisperBeamSearch", ids=(2, 3, 4), elem=TensorProto.FLOAT, inputs=inputs, graph=p.decoder(), encoder=p.encoder(), model_type=2, decoder_start_token_id=2, **more)


@case("attribute 'beginning_timestamp_token_id' is missing")
def sound_without_stamps():
    return sound(1)


@case("logits_processor 2")
def sound_processor():
    return sound(2)


@case("logits_processor is -1")
def sound_processor_negative():
    return sound(-1)


@case("min_tokens_to_keep is -1")
def kept_negative():
    return model("Sampling", min_tokens_to_keep=-1)


@case("presence_mask: '8' must equal '9'")
def presence_short():
    return model("Sampling", inputs=[ints("length", 8), "", "", "", "", "", ("mask", (2, 8))])


def main():
    """FOLDER [CASE...]"""
    os.makedirs(sys.argv[1], exist_ok=True)
    bad = 0
    for name in sys.argv[2:] or CASES:
        message, function = CASES[name]
        path = os.path.join(sys.argv[1], name + ".onnx")
        onnx.save(function(), path)
        done = subprocess.run(["tcc-translate", "--import-onnx", path], capture_output=True, text=True, timeout=60)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        if done.returncode != 1 or len(errors) != 1 or message not in errors[0] or '"search' not in errors[0]:
            bad += 1
            print(f"{name}: exit status {done.returncode}, {done.stderr.strip()[-400:]}")
    print(f"{bad} of {len(CASES)} are not refused as they should be" if bad else "all refused")
    sys.exit(bad > 0)


main()
