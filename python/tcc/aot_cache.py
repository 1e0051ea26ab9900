"""AOTAutograd's own cache with graphs of tcc in it: a graph of Dynamo's that is known is not traced again.

torch keeps what AOTAutograd made of a graph in a file under the digest of Dynamo's graph, the types of its inputs and the settings of torch that
matter: how the function of the user's tensors is made of the compiled graphs, the guards on sizes, and these graphs, if a backend's
compilers are SerializableAOTDispatchCompiler and give OutputCode. Of tcc's graphs an entry has the text (graph_json.py), from which the compile
cache, or the compiler, makes the model again: so an entry fits any machine, and code comes from tcc's own folder only.

torch's key has the settings of inductor, and imports inductor for that, which takes as long as tracing. Here it has in their place what
counts for tcc: its build, the options, the GPU. And files are looked at before torch unpickles them: theirs is the folder of a user who
alone writes to it, and a file is named after its digest. A backward graph, which AOTAutograd would compile when it is first called, is lowered
at once for the entry and compiled when it is first called.

None of torch's names here is one that torch promises to keep: where one is missing or looks otherwise, `use` says so and nothing is kept.
"""
import contextlib
import contextvars
import functools
import glob
import hashlib
import inspect
import os
import stat
import sys

import torch
from torch._functorch import config
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from tcc import _native, check, device

PATCH = {"bundled_autograd_cache": True, "force_non_lazy_backward_lowering": True}  # an entry has both graphs themselves
_current = contextvars.ContextVar("tcc_aot_cache", default=None)


class Use:
    """What became of the cache for one of Dynamo's graphs. state: "hit", "kept" (a miss that was saved), "not kept", "bypassed" or "off";
    reason: of the last three."""

    def __init__(self, settings, fold):
        self.settings, self.fold = settings, fold
        self.state, self.reason, self.notes = "not kept", None, []


def off(settings, fallback, inputs):
    """Why the cache is not used for a graph of these settings and inputs; None: it is."""
    if not settings.get("cache", True):
        return "the option cache is False"
    if fallback:
        return "the option fallback is 'eager'"
    if os.environ.get("TCC_DUMP") or check.folder():
        return "graphs are kept or compared (TCC_DUMP, TCC_DUMP_DATA or TORCHDYNAMO_REPRO_AFTER)"
    if torch.compiler.config.force_disable_caches or not config.enable_autograd_cache:
        return "torch's caches are switched off"
    if any(is_traceable_wrapper_subclass(value) for value in inputs):
        return "an input is a subclass of Tensor"
    return _installed()


@contextlib.contextmanager
def using(use):
    """What is compiled in here is looked for, and kept."""
    from torch._dynamo.utils import counters
    counts, token = counters["aot_autograd"], _current.set(use)
    before = {name: counts[f"autograd_cache_{name}"] for name in ("hit", "saved")}
    try:
        with config.patch(PATCH):
            yield
    finally:
        _current.reset(token)
        if counts["autograd_cache_hit"] > before["hit"]:
            use.state = "hit"
        elif counts["autograd_cache_saved"] > before["saved"]:
            use.state = "kept"


def current():
    """The Use of what is compiled now, or None."""
    return _current.get()


def bypass(reason):
    """The exception that tells torch not to keep an entry."""
    from torch._functorch._aot_autograd.autograd_cache import BypassAOTAutogradCache
    if use := current():
        use.reason = reason
    return BypassAOTAutogradCache(reason)


# ---- the key ----
@functools.cache
def _installed():
    """Puts the key of tcc's graphs beside torch's, once in a process; a text says why that cannot be done. Who compiles outside of `using` gets
    torch's."""
    try:
        from torch._functorch._aot_autograd import autograd_cache as torch_cache
        from torch._inductor.codecache import FxGraphHashDetails
        from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler  # noqa: F401
        details, key = torch_cache.AOTAutogradCacheDetails, torch_cache.autograd_cache_key
        wanted = (torch_cache.AOTAutogradCache._get_tmp_dir, torch_cache.AOTAutogradCache._get_tmp_dir_for_key, torch_cache.AOTAutogradCache.try_load,
                  torch_cache.BypassAOTAutogradCache, torch_cache.sha256_hash, torch_cache.should_bundle_autograd_cache)
        missing = [name for name in PATCH if not hasattr(config, name)]
        if missing or None in wanted or not issubclass(details, FxGraphHashDetails) or details.__new__ is not object.__new__ or list(inspect.signature(FxGraphHashDetails).parameters) != [
                "gm", "example_inputs", "fx_kwargs", "inputs_to_check"]:
            raise AttributeError(missing[0] if missing else "FxGraphHashDetails")
    except (ImportError, AttributeError) as error:
        return f"torch {torch.__version__} keeps AOTAutograd's results otherwise ({error})"

    class WithoutInductor(FxGraphHashDetails):
        """In the place of what inductor's caches depend on."""

        def __init__(self, gm, example_inputs, fx_kwargs, inputs_to_check):
            use = current()
            self.gm, self.example_inputs, self.tcc = gm, example_inputs, _facts(use, example_inputs)

        def __reduce__(self):
            return dict, (vars(self),)  # to be pickled as the digest wants it, by a name that pickle finds

    class Details(details, WithoutInductor):  # details' own super() is WithoutInductor here
        def get_triton_source_codes_from_gm(self, gm):
            return []  # such kernels are none of tcc's graphs

    def new(cls, *args, **named):  # the class keeps its name and place: torch's own keys are pickles that name it
        return object.__new__(Details if cls is details and current() else cls)

    def make_key(*args, **named):
        use = current()
        if not use:
            return key(*args, **named)
        try:
            _check_folder(torch_cache)
            found = key(*args, **named)
            _check_files(torch_cache, found[0])
            return found
        except Exception as error:
            use.state, use.reason = "bypassed", str(error).strip() or type(error).__name__
            raise
    details.__new__, torch_cache.autograd_cache_key = staticmethod(new), make_key
    return None


def _facts(use, inputs):
    """What compiled graphs depend on besides Dynamo's graph."""
    gpu = device.chip() if any(isinstance(value, torch.Tensor) and value.device.type == "cuda" for value in inputs) else None
    return (torch.__version__, torch.version.git_version, sys.version_info[:2], torch.get_default_dtype(), torch.is_deterministic_algorithms_warn_only_enabled(),
            _native.build(), _sources(), sorted((name, repr(value)) for name, value in use.settings.items()), use.fold, gpu)


@functools.cache
def _sources():
    """The digest of this package's modules, which write and read the texts."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(glob.glob(os.path.join(os.path.dirname(__file__), "*.py"))):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


# ---- files ----
def _check_folder(torch_cache):
    """Entries are pickles, which are code: the folder, and the one it is in, are of this user, and nobody else writes to them."""
    folder = torch_cache.AOTAutogradCache._get_tmp_dir()
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    for path in (os.path.dirname(folder), folder):
        found = os.lstat(path) if path == folder else os.stat(path)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise torch_cache.BypassAOTAutogradCache(f"the folder {path} is not this user's, or others may write to it")


def _check_files(torch_cache, key):
    """Removes entries of a key that are not what was written."""
    folder = torch_cache.AOTAutogradCache._get_tmp_dir_for_key(key)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for path in (os.path.join(folder, name) for name in names if not name.startswith(".")):
        with contextlib.suppress(FileNotFoundError):
            with open(path, "rb") as file:
                whole = torch_cache.sha256_hash(file.read()) == os.path.basename(path)
            if not whole:
                os.unlink(path)
