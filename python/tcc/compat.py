"""What tcc takes of torch that torch does not promise to keep: all of it is here."""
from functorch.compile import min_cut_rematerialization_partition as min_cut_partition
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext

__all__ = ["aot_autograd", "min_cut_partition", "static_inputs"]


def static_inputs():
    """The numbers of the inputs of the graph that is being compiled that are parameters and buffers."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return frozenset(metadata.static_input_indices or ()) if metadata else frozenset()
