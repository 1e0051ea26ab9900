"""tcc compiles deep-learning models to fast native code and runs them.

    model = tcc.compile("model.onnx")     # or tcc.load("model.so"), an artifact of tcc-compile
    y = model(x)                          # x: NumPy, torch, JAX, anything with DLPack or the buffer protocol

torch.compile(net, backend="tcc") needs no import of this package: torch finds it by its entry point.
"""
from __future__ import annotations

import os
from typing import Any

from tcc import _native, accelerate
from tcc._native import Error, Model, Port, Tensor, __version__, options

__all__ = ["Error", "Model", "Port", "Tensor", "__version__", "compile", "explain", "load", "options"]
accelerate.add_backend()


def compile(model: str | os.PathLike[str], **options: Any) -> Model:
    """Compiles a model file, or takes its artifact from the compile cache, and loads it. options() lists the options."""
    return _native.compile(model, options)


def load(artifact: str | os.PathLike[str], *, threads: int | None = None, weights_dir: str | os.PathLike[str] | None = None,
         verify_weights: str | None = None, packed_cache: bool | None = None) -> Model:
    """Loads an artifact of tcc-compile. It is code: load only what you trust."""
    return _native.load(artifact, dict(threads=threads, weights_dir=weights_dir, verify_weights=verify_weights, packed_cache=packed_cache))


def explain(model: Any, **how: Any) -> Any:
    """explain(model, ...)(*args): what torch.compile(model, backend="tcc", ...) makes of a call: graph breaks, recompilations, graphs, times. See
    tcc.report.Explanation."""
    from tcc import report
    return report.explain(model, **how)
