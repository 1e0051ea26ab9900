"""Static inputs: parameters and buffers that a graph compiled with the option freeze is given in each call.

What depends on them alone is made once and looked for by address and version (tcc/runtime.h). An address means a tensor only as long as its
memory is not given back, so that memory is held here while something is made of it, and let go when nobody else has it.
"""
import torch


class Holder:
    """Holds the memory of the sets of static inputs of one model."""

    def __init__(self, model):
        self.model, self.sets = model, {}

    def __call__(self, tensors):
        """These static inputs are in use."""
        addresses = tuple(tensor.data_ptr() for tensor in tensors)
        if addresses not in self.sets:
            self.purge()
            self.sets[addresses] = [tensor.detach() for tensor in tensors]

    def purge(self):
        """Lets go of sets with memory that nobody else has: no call can come with it any more."""
        for addresses, tensors in list(self.sets.items()):
            gone = [tensor for tensor in tensors if _is_alone(tensor)]
            for tensor in gone:
                self.model.forget(tensor.data_ptr())
            if gone:
                self.sets.pop(addresses, None)  # another thread may have been here meanwhile


def _is_alone(tensor):
    """Whether its storage has no owner but this tensor, and the Python object that asks."""
    storage = tensor.untyped_storage()
    return storage.nbytes() > 0 and torch._C._storage_Use_Count(storage._cdata) <= 2
