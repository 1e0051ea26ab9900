"""search_peer.py FOLDER [CASE...]: GreedySearch, Sampling and beam searches with random models, beside onnxruntime (peer.py)."""
import numpy as np
from onnx import TensorProto
from decoders import Pair, gpt
from peer import Model, case, main


def ids(r, b, s, v=37, pads=0):
    x = r.integers(2, v, (b, s)).astype(np.int32)
    for row in range(1, b):
        x[row, : row % (pads + 1)] = 1
    return x


def number(x, dtype=np.int32):
    return np.array([x], dtype)


def greedy(r, b=2, s=4, length=12, v=37, pads=0, least=None, repetition=None, allowed=None, first=None, mask=None, kind="GreedySearch", symbolic=False, eos=0,
           decoder=None, given=True, **more):
    m = Model(kind, decoder=decoder or gpt(r, v=v), eos_token_id=eos, pad_token_id=1, **more)
    m.input(ids(r, b, s, v, pads), *(["B", "S"] if symbolic else []))
    m.input(number(length)) if given else m.weight(number(length))
    m.input(number(least)) if least is not None else m.absent()
    m.input(number(repetition, np.float32)) if repetition else m.absent()
    m.input(allowed) if allowed is not None else m.absent()
    m.input(first) if first is not None else m.absent()
    m.input(mask) if mask is not None else m.absent()
    m.types, m.part = [TensorProto.INT32], until_all_end
    return m


def until_all_end(texts):
    """The tokens up to the one that ends the last text: what stands behind it is not written by onnxruntime."""
    pads = (texts == 1).all(0)
    return slice(None), slice(len(pads) - np.argmin(pads[::-1]) + 1 if not pads.all() else 1)


@case
def greedy_plain(r):
    return greedy(r)


@case
def greedy_fused(r):
    return greedy(r, decoder=gpt(r, fused=True))


@case
def greedy_unmasked(r):  # the decoder does not look at attention_mask
    return greedy(r, decoder=gpt(r, masked=False), length=20)


@case
def greedy_pads_symbolic(r):
    return greedy(r, b=4, s=5, pads=3, symbolic=True)


@case
def greedy_mask(r):
    return greedy(r, b=3, mask=np.array([[0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 1, 1]], np.int32))


@case
def greedy_ends(r):
    return greedy(r, b=6, v=5, length=30, decoder=gpt(r, v=5, sharp=1))


@case
def greedy_least(r):
    return greedy(r, b=6, v=5, length=16, least=9, decoder=gpt(r, v=5, sharp=1))


@case
def greedy_repetition(r):
    return greedy(r, v=9, length=20, repetition=1.7)


@case
def greedy_ngrams(r):
    return greedy(r, v=6, length=24, no_repeat_ngram_size=2)


@case
def greedy_one_grams(r):
    return greedy(r, v=50, length=24, no_repeat_ngram_size=1)


@case
def greedy_vocabulary(r):
    allowed = (r.random(37) < 0.5).astype(np.int32)
    return greedy(r, allowed=allowed, first=(r.random((2, 37)) < 0.3).astype(np.int32), given=False)


@case
def greedy_one_token(r):
    return greedy(r, length=5)


@case
def greedy_two_decoders(r):
    return greedy(r, init_decoder=gpt(r, name="init"))


def beams(r, b=2, s=4, length=12, v=37, pads=0, least=None, n=3, returned=2, penalty=1.0, repetition=None, allowed=None, first=None, mask=None, symbolic=False,
          eos=0, outputs=3, decoder=None, **more):
    m = Model("BeamSearch", decoder=decoder or gpt(r, v=v), eos_token_id=eos, pad_token_id=1, **more)
    m.input(ids(r, b, s, v, pads), *(["B", "S"] if symbolic else []))
    m.input(number(length))
    m.input(number(least or 0))
    m.weight(number(n))
    m.weight(number(returned))
    m.input(number(penalty, np.float32)) if penalty is not None else m.absent()
    m.input(number(repetition, np.float32)) if repetition else m.absent()
    m.input(allowed) if allowed is not None else m.absent()
    m.input(first) if first is not None else m.absent()
    m.input(mask) if mask is not None else m.absent()
    m.types = [TensorProto.INT32, TensorProto.FLOAT, TensorProto.FLOAT][:outputs]
    return m


@case
def beams_plain(r):
    return beams(r, v=37)


@case
def beams_ends(r):
    return beams(r, b=5, v=6, length=20, n=4, returned=4, outputs=2, decoder=gpt(r, v=6, sharp=1))


@case
def beams_early(r):
    return beams(r, b=5, v=6, length=20, n=4, returned=3, early_stopping=1, outputs=2, decoder=gpt(r, v=6, sharp=1), penalty=0.7)


@case
def beams_long(r):
    return beams(r, b=3, v=6, length=20, n=2, returned=1, outputs=2, decoder=gpt(r, v=6, sharp=1), penalty=2.0, repetition=1.3, pads=2, least=8)


@case
def beams_symbolic(r):
    return beams(r, b=3, v=12, length=11, n=5, returned=5, symbolic=True, pads=2, outputs=2)


@case
def beams_vocabulary(r):
    return beams(r, v=20, allowed=(r.random(20) < 0.6).astype(np.int32), first=(r.random((2, 20)) < 0.6).astype(np.int32), no_repeat_ngram_size=3, length=16, outputs=2)


@case
def beams_one(r):
    return beams(r, n=1, returned=1, decoder=gpt(r, fused=True))


@case
def beams_mask(r):
    return beams(r, b=3, mask=np.array([[0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 1, 1]], np.int32))


def pair(r, v=29, start=2, starts=True, states=True, sharp=3.0, fused=False, **more):
    p = Pair(r, v=v, starts=starts, states=states, sharp=sharp, fused=fused)
    return beams(r, v=v, decoder=p.decoder(), encoder=p.encoder(), model_type=1, decoder_start_token_id=start, **more)


@case
def pair_plain(r):
    return pair(r)


@case
def pair_ends(r):
    return pair(r, b=4, v=6, length=18, n=4, returned=3, outputs=2, sharp=1, pads=2)


@case
def pair_without_states(r):
    return pair(r, states=False, symbolic=True, outputs=2, s=7)


@case
def pair_fused(r):  # com.microsoft.MultiHeadAttention, which joins the caches itself
    return pair(r, fused=True, symbolic=True, outputs=2)


@case
def pair_from_nothing(r):  # the encoder gives no first token
    return pair(r, starts=False, states=False)


def sound(r, v=29, b=2, frames=5, length=10, n=3, returned=2, begin=None, temperature=None, processor=None, outputs=2, states=True, symbolic=False, sharp=3.0, **more):
    p = Pair(r, v=v, sound=True, states=states, sharp=sharp)
    m = Model("WhisperBeamSearch", decoder=p.decoder(), encoder=p.encoder(), model_type=2, eos_token_id=0, pad_token_id=1, decoder_start_token_id=2, **more)
    m.input(r.standard_normal((b, p.channels, frames)).astype(np.float32), *(["B", None, "F"] if symbolic else []))
    m.input(number(length))
    m.input(number(0))
    m.weight(number(n))
    m.weight(number(returned))
    m.input(number(1, np.float32)).absent(4)
    m.input(begin) if begin is not None else m.absent()
    m.input(number(processor)) if processor is not None else m.absent()
    m.absent(2)
    m.input(number(temperature, np.float32)) if temperature else m.absent()
    m.types = [TensorProto.INT32, TensorProto.FLOAT, TensorProto.FLOAT][:outputs]
    return m


@case
def sound_plain(r):
    return sound(r)


@case
def sound_begins(r):
    return sound(r, begin=np.array([[3, 4, 5], [6, 7, 3]], np.int32), temperature=0.8, symbolic=True, states=False)


STAMPS = {"beginning_timestamp_token_id": 80, "no_timestamps_token_id": 79, "start_of_lm_token_id": 78, "translate_token_id": 76, "transcribe_token_id": 77}


@case
def sound_timestamps(r):
    return sound(r, v=150, b=3, length=20, processor=1, **STAMPS)


@case
def sound_timestamps_of_words(r):
    return sound(r, v=96, b=3, length=24, processor=1, sharp=6.0, begin=np.array([[2, 3, 77]] * 3, np.int32), n=2, returned=1, symbolic=True, **STAMPS)


# ---- sampling: with one token that can be drawn the generator does not matter ----
def sampling(r, seed=None, **more):
    m = greedy(r, kind="Sampling", **more)
    m.absent(8 - len(m.names))
    m.input(number(seed)) if seed is not None else m.absent()
    return m


@case
def sampling_one(r):
    return sampling(r, top_p=0.01, min_tokens_to_keep=1, seed=3)


@case
def sampling_one_custom(r):
    return sampling(r, top_p=0.01, custom=1, repetition=1.4, pads=2, b=3)


@case
def sampling_cold(r):
    return sampling(r, top_p=0.5, temperature=0.001, min_tokens_to_keep=1, seed=5, least=9)


if __name__ == "__main__":
    main()
