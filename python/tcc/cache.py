"""Compiled graphs of this process, by their canonical text: an equal graph is compiled once.

On disk the library keeps artifacts under the digest of the same text (docs/cache.md), so that a graph of an earlier process is loaded only.
"""
import collections
import hashlib
import os
import threading

from tcc import _native, freeze

MOST = 256  # graphs that are remembered
_known, _lock = collections.OrderedDict(), threading.Lock()
counts = collections.Counter()  # "found", "opened"


def _renew_lock():
    """In the child of a fork: the thread that had the lock may not be there."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class Compiled:
    """A model, and who holds its static inputs."""

    def __init__(self, model):
        self.model, self.hold = model, freeze.Holder(model)


def compiled(text, settings):
    """The model of this text and these settings. Errors are the compiler's; nothing of them is remembered."""
    key = hashlib.blake2b(text, digest_size=16).digest(), tuple(sorted(settings.items(), key=lambda item: item[0]))
    with _lock:
        entry = _known.get(key)
        if entry:
            _known.move_to_end(key)
            counts["found"] += 1
            return entry
    entry = Compiled(_native.compile_memory("graph.json", text, settings))
    with _lock:
        counts["opened"] += 1
        _known[key] = entry
        while len(_known) > MOST:
            _known.popitem(last=False)
    return entry


def clear():
    """Forgets all graphs; those in use stay with who uses them."""
    with _lock:
        _known.clear()
        counts.clear()
