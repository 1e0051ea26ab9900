"""What tcc takes of torch that torch does not promise to keep: all of it is here, but for what AOTAutograd's cache wants (aot_cache.py, aot.py)
and what makes tracing quicker (tracing.py)."""
import contextlib
import operator
import os

import torch
from torch._dynamo import utils
from torch._guards import CompileContext, TracingContext, detect_fake_mode
from torch._higher_order_ops.invoke_subgraph import invoke_subgraph
from torch._prims import rng_prims
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map

from tcc import joint

__all__ = ["RNG_STATES", "addresses", "aot_autograd", "can_save", "compile_id", "compiler", "debug_folder", "donate_nothing", "drawn", "empty", "graph_breaks", "invoke_subgraph", "is_saved", "keep_metrics", "metrics",
           "not_traced", "plain_tensors", "repeats_after_aot", "schemas_once", "states_as_tensors", "static_inputs", "storage", "whole_resizes"]


VERSION = tuple(int(n) for n in torch.__version__.split(".")[:2])


def aot_autograd(**compilers):
    """What hands Dynamo's graphs to compilers through AOTAutograd, cut by the min-cut partitioner, which saves what a view is of and no view: a
    transpose would be copied for each backward pass. The partitioner takes a third of a second to import, and who only runs what was saved does not need it. torch's
    own way to it (torch._dynamo.backends.common.aot_autograd) imports all of inductor at its first graph, a second more, for a log that TORCH_COMPILE_DEBUG=1 asks
    for; without that it does what is here."""
    from functorch.compile import min_cut_rematerialization_partition
    from torch._dynamo.backends import common

    def partition(module, inputs, *, num_fwd_outputs, **named):
        joint.merge(module.graph, num_fwd_outputs)
        with torch._functorch.config.patch(cse=False, recompute_views=True):
            return min_cut_rematerialization_partition(module, inputs, num_fwd_outputs=num_fwd_outputs, **named)

    compilers["partition_fn"] = partition
    if os.environ.get("TORCH_COMPILE_DEBUG") == "1":
        return common.aot_autograd(**compilers)

    def compile(module, inputs):
        if any(isinstance(x, (list, tuple, dict)) for x in inputs):
            return common.flatten_graph_inputs(module, inputs, compile)
        count = utils.counters["aot_autograd"]
        count["total"] += 1
        function = common.aot_module_simplified(module, inputs, **compilers)
        count["ok"] += 1
        return torch._dynamo.disable(function, reason="do not trace AOT-compiled graph")
    return compile


RNG_STATES = {rng_prims.run_and_save_rng_state, rng_prims.run_with_rng_state}


def drawn(node):
    """What such a node gives, on fake tensors: the partitioner, which puts it in the place of an operator, does not say."""
    first = node.target is rng_prims.run_with_rng_state
    overload, *given = node.args[first:]
    args, kwargs = tree_map(lambda a: a.meta["val"] if isinstance(a, torch.fx.Node) else a, (given, node.kwargs))
    with detect_fake_mode((args, kwargs)) or contextlib.nullcontext():
        value = overload(*args, **kwargs)
    if first:
        return value
    state = next(user for user in node.users if user.target is operator.getitem and user.args[1] == 0)
    return state.meta["val"], value


def states_as_tensors():
    """What a checkpoint computes again on a CUDA device draws from a state that the forward graph gives, too, not from torch's generator itself."""
    return torch._functorch.config.patch(graphsafe_rng_functionalization=False)


def not_traced(compiler):
    """A compiler of backward graphs that Dynamo does not look into, nor into what it makes: both run when the user's backward pass does."""
    def call(*args, **named):
        made = torch._dynamo.disable(compiler, reason="do not trace backward compiler function")(*args, **named)
        return torch._dynamo.disable(made, reason="do not trace generated backwards pass")
    return call


def is_saved():
    """Whether what is compiled now will be saved, so that it must be an OutputCode."""
    return torch._functorch.config.force_autograd_cache or torch._functorch.config.bundled_autograd_cache


def can_save():
    """Whether torch saves what a backend gives for Dynamo's graphs: since 2.13."""
    return VERSION >= (2, 13)


def compiler(function):
    """The function as AOTAutograd wants a compiler whose results it saves."""
    from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler
    from torch._inductor.output_code import OutputCode
    return SerializableAOTDispatchCompiler(OutputCode, function)


def static_inputs():
    """The numbers of the inputs of the graph that is being compiled that are parameters and buffers."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return frozenset(metadata.static_input_indices or ()) if metadata else frozenset()


def donate_nothing():
    """Of the backward graph at hand, which is compiled before it is known whether saved tensors are wanted again (retain_graph): AOTAutograd then
    refuses to keep the graph if any of them may be overwritten. None is."""
    context = TracingContext.try_get()
    if context and context.fw_metadata:
        context.fw_metadata.bw_donated_idxs = []


def compile_id():
    """Dynamo's name of the compilation at hand: "FRAME/VARIANT"; None outside of one."""
    number = CompileContext.current_compile_id()
    return str(number) if number else None


def keep_metrics():
    """Dynamo keeps what it measures of more compilations than its usual 64."""
    utils.set_compilation_metrics_limit(10000)


def metrics(since):
    """What Dynamo measured of compilations that began after this time."""
    return [m for m in utils.get_compilation_metrics() if (m.start_time or 0) >= since]


def repeats_after_aot():
    """Whether torch's minifier is asked to look for wrong results behind AOTAutograd."""
    return torch._dynamo.config.repro_after == "aot" and torch._dynamo.config.repro_level == 4


def debug_folder():
    """Where torch keeps what it writes for debugging."""
    return torch._dynamo.config.debug_dir_root


def graph_breaks():
    """Reasons of all graph breaks since the last reset."""
    return list(utils.graph_break_reasons)


@contextlib.contextmanager
def schemas_once():
    """invoke_subgraph is asked once for each subgraph what it writes to. torch asks at each call that is differentiated, and traces the subgraph
    anew for the answer, which its caller cannot change: subgraph, identifier and the types of operands decide it."""
    ask, known = invoke_subgraph.gen_schema, {}

    def answer(subgraph, identifier, *operands):
        key = subgraph, identifier, tuple(map(type, operands))
        if key not in known:
            known[key] = ask(subgraph, identifier, *operands)
        return known[key]
    invoke_subgraph.gen_schema = answer  # hides the class's
    try:
        yield
    finally:
        vars(invoke_subgraph).pop("gen_schema", None)


def _resizes():
    """Overloads that torch decomposes by Python into reads at indices, whose gradients are scatters."""
    names = [f"{name}{n}d" for name in ("upsample_nearest", "_upsample_nearest_exact") for n in (1, 2, 3)]
    for name in (*names, "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d"):
        packet = getattr(torch.ops.aten, name, None)
        for overload in ("vec", "default"):
            if packet and hasattr(packet, overload):
                yield getattr(packet, overload)


def _is_symbolic(values):
    return any(isinstance(size, (torch.SymInt, torch.SymFloat)) for value in values for size in
               (value.shape if isinstance(value, torch.Tensor) else value if isinstance(value, (list, tuple, torch.Size)) else (value,)))


@contextlib.contextmanager
def whole_resizes():
    """An upsampling is one node, and its gradient another, where sizes are numbers: without it, torch traces its own decompositions whatever a backend asks for."""
    def hide(overload, kernels):
        for key in kernels:
            overload.py_kernels.pop(key)
        overload._dispatch_cache.clear()

    def show(overload, kernels):
        overload.py_kernels.update(kernels)
        overload._dispatch_cache.clear()

    def whole(overload, decomposed, kernels):
        def call(*args, **named):
            if _is_symbolic((*args, *named.values())):
                return decomposed(*args, **named)
            there = {key: overload.py_kernels[key] for key in kernels}
            hide(overload, there)
            try:
                return overload(*args, **named)
            finally:
                show(overload, there)
        return call

    keys = torch._C.DispatchKey.Autograd, torch._C.DispatchKey.CompositeImplicitAutograd
    before = []
    for overload in _resizes():
        if kernels := {key: overload.py_kernels[key] for key in keys if key in getattr(overload, "py_kernels", ())}:
            before.append((overload, kernels))
            show(overload, {key: whole(overload, function, tuple(kernels)) for key, function in kernels.items()})
    try:
        yield
    finally:
        for overload, kernels in before:
            show(overload, kernels)


@contextlib.contextmanager
def plain_tensors():
    """What is made here are tensors with memory on the CPU, whatever modes the thread is in."""
    with _disable_current_modes(), torch._C.DisableTorchFunction(), torch.inference_mode(False), torch.no_grad(), torch.device("cpu"):
        yield


def addresses(tensor):
    """Where a tensor's implementation, its storage and its memory are."""
    storage = tensor.untyped_storage()
    return tensor._cdata, storage._cdata, storage.data_ptr()


def empty():
    """torch's function (sizes, strides, type) for a tensor in host memory that asks no mode and no dispatcher, and its types by tcc's names; None: there is none."""
    try:
        from torch._C._dynamo.guards import _empty_strided_cpu as function
    except ImportError:
        return None
    names = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
    return function, {name: getattr(torch, name) for name in names}


def is_wrapped(value):
    """A tensor of a level of torch.func (rows under vmap), which has no storage to ask for."""
    return isinstance(value, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(value)


def storage(tensor):
    """What two tensors have in common if one is a view of the other."""
    return StorageWeakRef(tensor.untyped_storage()) if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided else None
