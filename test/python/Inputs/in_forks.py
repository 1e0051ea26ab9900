"""in_forks.py [NAME=VALUE ...] SCRIPT [ARGUMENT ...] [-- ...]: runs scripts, each in a fork of this process, one after another.

torch, Dynamo and tcc take five seconds of CPU time to import. Here they are imported once: a script finds them as after its own imports, and no
thread is started before a fork. NAME=VALUE is for the one script. A script that fails ends the run.
"""
import itertools
import os
import runpy
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's, which would start its threads when it is imported
import tcc.dynamo  # noqa: E402, F401
del os.environ["OPENBLAS_NUM_THREADS"]


def run(command):
    """As `python SCRIPT ARGUMENT ...`."""
    os.environ.update(word.split("=", 1) for word in itertools.takewhile(lambda word: "=" in word, command))
    sys.argv = list(itertools.dropwhile(lambda word: "=" in word, command))
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


def main():
    threads = len(os.listdir("/proc/self/task"))
    assert threads == 1, f"{threads} threads: a fork would have one of them"
    commands = [list(words) for apart, words in itertools.groupby(sys.argv[1:], lambda word: word == "--") if not apart]
    for command in commands:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            return run(command)
        _, status, used = os.wait4(child, 0)
        print(f"{os.path.basename(next(w for w in command if '=' not in w))}: {used.ru_utime + used.ru_stime:.1f} s of CPU time", file=sys.stderr)
        status = os.waitstatus_to_exitcode(status)
        if status:
            sys.exit(f"{' '.join(command)}: {'exit' if status > 0 else 'signal'} {abs(status)}")


if __name__ == "__main__":
    main()
