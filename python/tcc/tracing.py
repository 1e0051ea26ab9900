"""What Dynamo does for each node that it traces, done once for each line: a tenth of what is left of a first call where the graph is known.

Dynamo names the function of each call for its log `trace_call`, whether somebody reads that or not, and reads whole source files for it. And it writes the
lines of all frames on the stack as the node's stack_trace; a frame that stays on the stack is looked up in its source anew for each node. Both give what
they gave before. A torch that has other names here is left as it is.
"""
import linecache
import logging
import traceback

MOST = 1 << 14  # frames whose lines are remembered
_lines = {}  # for each its text, and the lines of the file that this was made of


def _source(filename):
    """The lines of a file, as linecache has them now; None: it has not looked."""
    entry = linecache.cache.get(filename)
    return entry[2] if entry and len(entry) == 4 else None


class _Stack(traceback.StackSummary):
    @classmethod
    def from_list(cls, frames):
        stack = cls()
        stack.extend(traceback.StackSummary.from_list(frames))
        return stack

    def format_frame_summary(self, frame, **named):
        key = (frame.filename, frame.lineno, frame.name, *(getattr(frame, name, None) for name in ("end_lineno", "colno", "end_colno")), *sorted(named.items()))
        text, source = _lines.get(key, (None, None))
        if source is None or source is not _source(frame.filename) or frame.locals:
            text = super().format_frame_summary(frame, **named)
            if len(_lines) >= MOST:
                _lines.clear()
            _lines[key] = text, None if frame.locals else _source(frame.filename)
        return text


class _Traceback:
    """The module traceback, with stacks whose lines are remembered."""
    StackSummary = _Stack

    def __getattr__(self, name):
        return getattr(traceback, name)


def forget():
    """Another graph of Dynamo's seldom has the same lines."""
    _lines.clear()


def _named(function, logs):
    def get_funcname(filename, lineno):
        return function(filename, lineno) if any(log.isEnabledFor(logging.DEBUG) for log in logs) else None
    return get_funcname


def install():
    from torch._dynamo import output_graph, symbolic_convert
    if getattr(output_graph, "traceback", None) is traceback:
        output_graph.traceback = _Traceback()
    logs = [getattr(module, name, None) for module, name in (
        (symbolic_convert, "trace_call_log"), (symbolic_convert, "trace_source_log"), (output_graph, "trace_call_log"))]
    function = getattr(symbolic_convert, "get_funcname", None)
    if function and function.__module__ == "torch._dynamo.funcname_cache" and None not in logs:
        symbolic_convert.get_funcname = _named(function, logs)
