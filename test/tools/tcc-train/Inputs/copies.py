"""copies.py FEW MORE STEPS: what steps cost in calls of the driver: the difference of two counts (TCC_EMULATE_CALLS) over STEPS steps."""
import pathlib
import sys

few, more = [dict(line.split() for line in pathlib.Path(path).read_text().splitlines()) for path in sys.argv[1:3]]
for name in ("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemAlloc_v2", "cuLaunchKernelEx", "cuMemcpyDtoDAsync_v2"):
    print(f"{name} {(int(more[name]) - int(few[name])) / int(sys.argv[3]):g} a step")
