"""A compiled graph as a function of torch's tensors.

A view of a tensor's memory takes 42 ns by torch's own function, 11 us for the 259 tensors of a small network. Most are the same call after call, and the
extension module sees that by comparing what torch's objects have in memory (python/native/seen.c). How, is found in a few tensors here, and
tried with each way to change a tensor behind its Python object. If torch's tensors are not as expected, `compares` is False and views are torch's
in each call.
"""
import torch

from tcc import _native, compat, seeds, views

EMPTY = compat.empty()


def function(entry, names, outputs, constants, viewed=()):
    """The function of a cache.Compiled; see _native.Callable. viewed: see views.Viewed."""
    return views.viewed(seeds.seeded(_native.Callable(entry.model, names, outputs, torch.Tensor, constants, entry.hold, EMPTY), entry.model), viewed)


def _changes():
    """(tensor, function that changes where its memory is, its sizes, strides or type)"""
    kept = []

    def made(*sizes, **how):
        return torch.ones(sizes or (3, 5), **how)

    def of(tensor, change, *args):
        return tensor, lambda: change(tensor, *args)

    def assign(tensor, data):
        tensor.data = data
    storage = made(64).untyped_storage()
    return (
        *(of(made(), assign, data) for data in (made(), made(5, 3), made(), made(5, 3).t(), made(2), made(3, 5, dtype=torch.float64))),
        of(torch.nn.Parameter(made()), assign, made()),
        of(made(), torch.Tensor.set_, made()),
        *(of(made().set_(storage, 0, (3, 5), (5, 1)), torch.Tensor.set_, storage, *how) for how in ((1, (3, 5), (5, 1)), (0, (5, 3), (3, 1)), (0, (3, 5), (1, 3)))),
        of(made(), torch.Tensor.resize_, (9, 9)), of(made(), torch.Tensor.resize_, (2, 5)), of(made(), torch.Tensor.as_strided_, (3, 2), (5, 1), 1),
        of(made(), torch.Tensor.t_), of(made(1, 5), torch.Tensor.squeeze_), of(made(), torch.Tensor.unsqueeze_, 0), of(made(4, 4), torch.Tensor.transpose_, 0, 1),
        of(made(), lambda tensor: tensor.untyped_storage().resize_(1 << 16)), of(made(), lambda tensor: tensor.untyped_storage().resize_(0)),
        of(made(), lambda tensor: torch.utils.swap_tensors(tensor, made(7))), of(made(), lambda tensor: kept.append(tensor._lazy_clone())),
        of(made(), torch.Tensor.add_, 1))


def _learn():
    try:
        with compat.plain_tensors():
            samples = torch.ones(3, 5), torch.nn.Parameter(torch.ones(7)), torch.frombuffer(bytearray(64), dtype=torch.uint8), torch.ones((), dtype=torch.float64)
            return _native.learn_tensors(tuple((tensor, *compat.addresses(tensor)) for tensor in samples), _changes())
    except (AttributeError, RuntimeError, TypeError):
        return False  # a torch that has one of these no more, or with another meaning


compares = _learn()
