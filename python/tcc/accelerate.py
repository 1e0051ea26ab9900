"""accelerate's TorchDynamoPlugin(backend="tcc"): its enumeration of backends gets a member TCC.

The enumeration is closed; a member is added once the module that defines it has been imported, whether before `import tcc` or behind it.
accelerate itself is not imported by this.
"""
import importlib.abc
import importlib.util
import sys

MODULE = "accelerate.utils.dataclasses"


def add_backend():
    """Now if accelerate is there, else as soon as it is imported."""
    if module := sys.modules.get(MODULE):
        _add(module)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _add(module):
    backends = getattr(module, "DynamoBackend", None)
    if backends is None or "TCC" in backends.__members__:
        return
    member = str.__new__(backends, "TCC")
    member._name_, member._value_, member.__objclass__ = "TCC", "TCC", backends
    member._sort_order_ = len(backends.__members__)
    backends._member_names_.append("TCC")
    backends._member_map_["TCC"] = backends._value2member_map_["TCC"] = member
    type.__setattr__(backends, "TCC", member)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module, by the other finders, and adds the member behind it."""

    def find_spec(self, name, path, target=None):
        if name != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                _add(module)
            spec.loader.exec_module = exec_module
        return spec
