"""Random numbers of a graph: its inputs tcc.seed and tcc.offset, which come from torch's default generator at each call.

So torch.manual_seed makes a run repeat. The numbers themselves are tcc's own: not those that eager draws from the same seed."""
import torch

NAMES = ("tcc.seed", "tcc.offset")


class Seeded:
    """A graph's function with both of them behind its arguments."""

    def __init__(self, function):
        self._function = function
        self._boxed_call = True

    def __call__(self, arguments):
        seed = int(torch.empty((), dtype=torch.int64).random_())
        given = [*arguments, seed, 0]
        if isinstance(arguments, list):
            arguments.clear()
        return self._function(given)


def names(model):
    """Those of the model's inputs that a call here gives."""
    return NAMES if any(port.name in NAMES for port in model.inputs) else ()


def seeded(function, model):
    """The model's function, called with seeds if it takes them."""
    return Seeded(function) if names(model) else function
