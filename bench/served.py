"""served.py - a process that is told by lines on standard input what to do.

Each line is a JSON list, the name of a method of the session and its arguments; each answer is a line of JSON, {"error": text} when the
method failed. What libraries print goes to standard error, from the import of this module on.
"""
import json
import os
import signal
import sys
import traceback

_answers, _commands = os.fdopen(os.dup(1), "w"), sys.stdin
os.dup2(2, 1)


class Served:
    """Methods that all sessions have."""

    def memory(self):
        """{"peak_mb"}, the kernel's high-water mark of the process: not ru_maxrss, which a process inherits from the one that started it."""
        with open("/proc/self/status") as file:
            return {"peak_mb": next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))}

    def fork(self, source, target):
        """A child serves the pipes source and target from here on, with all that was imported and loaded."""
        global _answers, _commands
        child = os.fork()
        if child:
            return {"pid": child}
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # the high-water mark is the child's own
        _commands, _answers = open(source), open(target, "w")
        return None  # the answer is the parent's


def first_line(error):
    """The first line that says something; of a PyTorch backend its own."""
    inner = getattr(error, "inner_exception", error)
    return (str(inner).strip().splitlines() or [""])[0][:300]


def serve(session, **more):
    """Until standard input ends; more: joins each answer."""
    while line := _commands.readline():
        name, *arguments = json.loads(line)
        try:
            answer = getattr(session, name)(*arguments)
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {first_line(error)}"}
        if answer is not None:
            print(json.dumps({**answer, **more}), file=_answers, flush=True)
