"""What tcc takes of torch that torch does not promise to keep: all of it is here."""
import torch
from functorch.compile import min_cut_rematerialization_partition as min_cut_partition
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext

__all__ = ["aot_autograd", "compiler", "is_saved", "min_cut_partition", "static_inputs"]


def is_saved():
    """Whether what is compiled now will be saved, so that it must be an OutputCode."""
    return torch._functorch.config.force_autograd_cache or torch._functorch.config.bundled_autograd_cache


def compiler(function):
    """The function as AOTAutograd wants a compiler whose results it saves."""
    if not is_saved():
        return function
    from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler
    from torch._inductor.output_code import OutputCode
    return SerializableAOTDispatchCompiler(OutputCode, function)


def static_inputs():
    """The numbers of the inputs of the graph that is being compiled that are parameters and buffers."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return frozenset(metadata.static_input_indices or ()) if metadata else frozenset()
