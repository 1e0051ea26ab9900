"""run.py - kernels of tcc beside hand-written libraries and memcpy: all suites, or some. Started by run.sh.

Prints a row of Markdown for each case, then how the groups of all suites stand against their limits; writes both, and all samples as
JSON, after each case."""
import argparse
import datetime
import json
import pathlib

import conv
import driver
import gemm
import rows

SUITES = {suite.name: suite for suite in (gemm.SUITE, conv.SUITE, rows.SUITE)}


def parse():
    parser = argparse.ArgumentParser(prog="bench/kernels/run.sh")
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; default: all")
    parser.add_argument("--only", nargs="*", default=[], help="of one suite: cases, beginnings of their names, or lists (conv: resnet, resnet8, mobile, odd)")
    parser.add_argument("--threads", default="1", help="such as 1,2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cold", type=int, default=96, help="MB that the weights of one case are at least")
    parser.add_argument("--compiler", action="append", default=[], help="NAME=BUILD: further builds of tcc to compare")
    parser.add_argument("--output", type=pathlib.Path, help="JSON; default: bench/results/kernels-DATE.json; Markdown beside it")
    parser.add_argument("--avx2", action="store_true", help="as on a machine without AVX-512: tcc's target, what the libraries may use, the peak")
    parser.add_argument("--before", default="", help="a command that runs each measurement")
    arguments = parser.parse_args()
    arguments.suites = arguments.suites or list(SUITES)
    unknown = [name for name in arguments.suites if name not in SUITES]
    if unknown:
        parser.error(f"no suite '{unknown[0]}'; there are {', '.join(SUITES)}")
    if arguments.only and len(arguments.suites) > 1:
        parser.error("--only is for one suite")
    arguments.threads = [int(n) for n in arguments.threads.split(",")]
    return arguments


def main():
    arguments, results, lines = parse(), {}, []
    path = arguments.output or driver.ROOT / "bench" / "results" / f"kernels-{datetime.date.today().isoformat()}.json"
    path.parent.mkdir(parents=True, exist_ok=True)

    def say(text):
        lines.append(text)
        print(text, flush=True)
        path.with_suffix(".md").write_text("\n".join(lines) + "\n")

    def groups():
        return [group for name, found in results.items() for group in driver.groups(SUITES[name], found)]

    for name in arguments.suites:
        def keep(found, name=name):
            results[name] = found
            path.write_text(json.dumps({"date": datetime.date.today().isoformat(), "groups": groups(), "results": results}, indent=1) + "\n")
        say(f"\n## {name}\n")
        driver.run(SUITES[name], arguments, say, keep)
    say("\n## Groups against their limits\n\n" + driver.group_table(groups()))


if __name__ == "__main__":
    main()
