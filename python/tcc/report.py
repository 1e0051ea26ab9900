"""What became of a model: tcc.explain(model)(*args), and TCC_REPORT=FILE for any run.

Dynamo says what it made of frames (its compilation metrics, its graph breaks), the backend what it made of graphs. Both are collected while a
Recorder listens and become one Explanation, as text or as JSON. TCC_REPORT=FILE writes it when the process ends: JSON if its name has .json, else
text; of several processes (RANK), each its own FILE.RANK.
"""
import atexit
import contextlib
import dataclasses
import json
import os
import re
import sys
import time

import torch
from torch.autograd import profiler

from tcc import _native, compat

_recorders = []


def note(what, **facts):
    """Tells whoever listens of a graph ("graphs") or of repeated parts of one ("folds")."""
    for recorder in _recorders:
        recorder.take()
        recorder.notes[what].append(dict(dict(id=compat.compile_id()), **facts))


def count(module):
    """How many nodes of a graph compute."""
    return sum(node.op == "call_function" for node in module.graph.nodes)


def graph(nodes, kind, models, outside, seconds, id=None, traced=True):
    """Tells of a graph of so many nodes that was compiled into models of these reports; outside: nodes that torch runs, with reasons; id: of
    the compilation, if that is not the one at hand; traced: by AOTAutograd now, and not taken from its cache."""
    if not _recorders:
        return
    note("graphs", **({"id": id} if id else {}), kind=kind, nodes=nodes, compiled=nodes - len(outside), parts=len(models), seconds=seconds, traced=traced,
         cached=sum(not one["compiled"] for one in models), **{name: sum(one[name] for one in models) for name in ("kernels", "kernels_unique", "regions")},
         outside=[{"node": node.name, "operator": str(node.target), "reason": reason} for node, reason in outside.items()])


def profiled(function, name, passes_on):
    """A function of a list, which is a range of torch.profiler while one is on. The native one looks for that itself, in nanoseconds.

    What functools.wraps puts around it has the attributes of its own (passes_on: of a backward, which AOTAutograd asks behind such a wrapper
    whether it wants a list, and of a graph that its cache keeps), not those of its class (of others: AOTAutograd's own function around them wants
    none)."""
    if not isinstance(function, _native.Callable):
        return _Profiled(function, name, passes_on)
    function.watch(vars(profiler), "_is_profiler_enabled", _record, name, passes_on)
    return function


def _record(function, name, arguments):
    with torch.profiler.record_function(name):
        return function.run(arguments)


class _Profiled:
    """The same of parts of a graph, between which torch runs others."""
    __slots__ = ("run", "name", "__dict__")
    _boxed_call = True

    def __init__(self, function, name, passes_on):
        self.run, self.name = function, name
        if passes_on:
            self._boxed_call = True

    def __call__(self, arguments):
        return _record(self, self.name, arguments) if profiler._is_profiler_enabled else self.run(arguments)

    def post_compile(self, *args, **named):
        """What torch calls of what it loaded: as of _native.Callable."""


class Recorder:
    """Listens from its making to stop()."""

    def __init__(self):
        self.notes, self.frames, self.breaks = {"graphs": [], "folds": [], "aot_cache": []}, {}, {}
        self.since = time.time()
        compat.keep_metrics()
        self.old = set(map(id, compat.graph_breaks()))
        _recorders.append(self)

    def take(self):
        """What Dynamo has said up to now; a reset forgets it."""
        for found in compat.graph_breaks():
            if id(found) not in self.old:
                self.breaks[id(found)] = found
        for frame in compat.metrics(self.since):
            self.frames[frame.compile_id, frame.start_time] = frame

    def stop(self):
        self.take()
        _recorders.remove(self)
        return Explanation(self)


class Explanation:
    """What became of a model. graph_breaks, recompiles, eager, frames, graphs, folds, aot_cache: lists of dicts; seconds: where time went, by who
    spent it; result: of the call, error: why there is none. str() of it is the text; json() the same as a dict."""

    def __init__(self, recorder, result=None, error=None):
        frames = [_named(f, recorder.frames.values()) for f in recorder.frames.values() if not f.is_runtime]
        self.result, self.error = result, error
        self.graphs, self.folds, self.aot_cache = (recorder.notes[name] for name in ("graphs", "folds", "aot_cache"))
        self.graph_breaks = _counted(_graph_break(found) for found in recorder.breaks.values())
        self.frames = [_frame(f, self.graphs) for f in frames]
        self.recompiles = [dict(_place(f), guard=_guard(f.recompile_reason)) for f in frames if f.recompile_reason]
        self.eager = _counted(dict(_place(f), reason=_eager_reason(f)) for f in frames if f.fail_reason and not f.has_guarded_code)
        tcc = sum(graph["seconds"] for graph in self.graphs if graph["kind"] != "backward")
        behind, whole = sum(f["backend"] for f in self.frames), sum(f["seconds"] for f in self.frames)
        self.seconds = {"dynamo": whole - behind, "aotautograd": max(behind - tcc, 0.0), "tcc": sum(g["seconds"] for g in self.graphs)}

    def json(self):
        names = ("seconds", "graph_breaks", "recompiles", "eager", "frames", "folds", "aot_cache", "graphs")
        return dict({name: getattr(self, name) for name in names}, error=str(self.error) if self.error else None)

    def __str__(self):
        return "\n".join(_text(self))


# ---- what Dynamo says ----
def _named(frame, frames):
    """A frame that was given up before Dynamo looked at it has the place of an earlier variant."""
    if frame.co_name or not frame.compile_id:
        return frame
    code = frame.compile_id.split("/")[0]
    known = next((f for f in frames if f.co_name and f.compile_id and f.compile_id.split("/")[0] == code), frame)
    return dataclasses.replace(frame, **{name: getattr(known, name) for name in ("co_name", "co_filename", "co_firstlineno")})


def _place(frame):
    return {"function": frame.co_name, "file": frame.co_filename, "line": frame.co_firstlineno}


def _frame(frame, graphs):
    mine = [i for i, graph in enumerate(graphs) if graph["id"] == frame.compile_id]
    return dict(_place(frame), id=frame.compile_id, graphs=mine, seconds=frame.entire_frame_compile_time_s or 0.0,
                backend=frame.backend_compile_time_s or 0.0)


def _graph_break(found):
    place = found.user_stack[-1] if found.user_stack else None
    return {"reason": _first(found.reason), "file": place and place.filename, "line": place and place.lineno}


def _first(text):
    """What happened and why, without the hints."""
    lines = [line.strip() for line in str(text).strip().splitlines()]
    return lines[0] + "".join(f": {line.split(': ', 1)[-1]}" for line in lines[1:2] if line.startswith("Explanation: "))


def _guard(reason):
    """"0/0: L['x'].size()[0] == 4" without its number."""
    return re.sub(r"\s+#.*", "", reason.split(": ", 1)[-1].strip().splitlines()[0]) if reason else ""


def _eager_reason(frame):
    reason = _first(frame.fail_reason)
    if "recompile limit" in reason.lower():
        return f"{reason}: calls that no compiled variant takes run in eager mode; the last guard: {_guard(frame.recompile_reason or '')}"
    return reason


def _counted(found):
    """Equal ones are one, with how often it was."""
    times = {}
    for one in found:
        times.setdefault(json.dumps(one), dict(one, count=0))["count"] += 1
    return list(times.values())


# ---- text ----
def _where(one):
    return f"{one['file']}:{one['line']}"


def _times(one):
    return f" ({one['count']} times)" if one["count"] > 1 else ""


def _text(e):
    yield f"{len(e.graphs)} graphs, {len(e.graph_breaks)} graph breaks, {len(e.recompiles)} recompilations, {len(e.eager)} frames in eager mode"
    yield "time: " + ", ".join(f"{who} {seconds:.3f} s" for who, seconds in e.seconds.items())
    for one in e.graph_breaks:
        yield f"graph break at {_where(one)}: {one['reason']}{_times(one)}"
    for one in e.recompiles:
        yield f"recompiled {one['function']} ({_where(one)}): the guard that failed: {one['guard']}"
    for one in e.eager:
        yield f"in eager mode: {one['function']} ({_where(one)}): {one['reason']}{_times(one)}"
    for one in e.folds:
        yield f"graph {one['id']}: " + ("not folded: " + one["reason"] if one.get("reason") else
                                       f"{one['copies']} copies of {one['nodes']} nodes are one region, traced once")
    for one in e.aot_cache:
        yield f"graph {one['id']}: AOTAutograd's cache: {one['state']}" + (f": {one['reason']}" if one["reason"] else "")
    for number, graph in enumerate(e.graphs):
        yield from _graph_text(number, graph)
    if e.error:
        yield f"error: {e.error}"


def _graph_text(number, graph):
    yield (f"graph {number}: {graph['kind']} of {graph['id']}, {graph['compiled']} of {graph['nodes']} nodes compiled in {graph['parts']} parts: "
           f"{graph['regions']} regions, {graph['kernels']} kernels ({graph['kernels_unique']} different), "
           f"{graph['cached']} of {graph['parts']} from the cache, {graph['seconds']:.3f} s")
    for one in graph["outside"]:
        yield f"  torch runs {one['node']}: {one['reason']}"


# ---- who listens ----
def explain(model, **how):
    """explain(model, ...)(*args): the Explanation of one call of torch.compile(model, backend="tcc", ...). Dynamo forgets what it compiled
    before. What tcc refuses is the Explanation's error."""
    from tcc import dynamo

    def run(*args, **named):
        torch._dynamo.reset()
        recorder = Recorder()
        result = error = None
        try:
            result = torch.compile(model, backend=dynamo.backend, **how)(*args, **named)
        except torch._dynamo.exc.BackendCompilerFailed as failed:
            error = failed.inner_exception
        explanation = recorder.stop()
        explanation.result, explanation.error = result, error
        return explanation
    return run


def listen_for_file():
    """TCC_REPORT: from now on to the end of the process."""
    if path := os.environ.get("TCC_REPORT"):
        if rank := os.getenv("RANK"):
            path = f"{path}.{rank}"
        recorder, process = Recorder(), os.getpid()
        atexit.register(lambda: _write(path, recorder) if os.getpid() == process else None)


def _write(path, recorder):
    explanation = recorder.stop()
    try:
        with open(path, "w") as file:
            file.write(json.dumps(explanation.json(), indent=1) if ".json" in os.path.basename(path) else f"{explanation}\n")
    except OSError as error:  # the program ends: there is nobody to raise it to
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(f"tcc: TCC_REPORT: {error}\n")
