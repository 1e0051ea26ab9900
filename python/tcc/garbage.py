"""No full garbage collection while a graph is compiled, nor because one was: a tenth of a first call where the graph is known.

A full collection walks all objects of the process, which behind the imports of torch and a library of models takes 0.2 s. Compiling makes so many objects
that CPython has one run several times on the way (torch 2.15 puts those off until the end, older ones do not), and for certain directly behind, in the
user's first call. What a compilation made counts as old instead: the next full collection comes when the program has made as many objects as it takes
otherwise. A program that compiles graph after graph has one after every few.
"""
import gc
import sys

GENERATION_2 = 1000  # collections of generation 1 until a full one, while a graph is compiled
MOST = 4             # compilations in a row behind which a full collection is put off
_saved = None        # thresholds as they were when the outermost compilation started
_ours = False        # whether this backend has compiled something in it
_row, _seen = 0, -1  # compilations in a row, and full collections so far, as of the last of them


def made():
    """This backend was called."""
    global _ours
    _install()  # once more: torch._dynamo.reset() takes callbacks out
    _ours = True


def _started(*_):
    global _saved
    _saved = gc.get_threshold()
    gc.set_threshold(_saved[0], _saved[1], max(_saved[2], GENERATION_2))


def _ended(*_):
    global _saved, _ours, _row, _seen
    if _saved:  # else it started before this was installed
        gc.set_threshold(*_saved)
    ours, _saved, _ours = _ours, None, False
    full = gc.get_stats()[2]["collections"]
    _row, _seen = (0 if full != _seen else _row), full
    if ours and _row < MOST and not gc.get_freeze_count():  # what the program has frozen itself stays so
        _row += 1
        gc.freeze()  # all objects become old, and what counts towards the next collections starts anew
        gc.unfreeze()


def _install():
    """For all compilations from now on. Torch calls both under a lock, for the outermost of nested ones and of several threads'."""
    if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
        return  # the collector of a Python without it has no generations
    from torch._dynamo import callback, callback_handler
    if _started not in callback_handler.start_callbacks:
        callback.on_compile_start(_started)
        callback.on_compile_end(_ended)


_install()
