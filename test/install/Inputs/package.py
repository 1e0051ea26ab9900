"""package.py FOLDER MODEL PYPROJECT: the package of this folder compiles a model, with libraries of this folder alone."""
import array
import pathlib
import sys

import tcc

folder, model, project = sys.argv[1:]
opened = tcc.compile(model, cache=False)
assert opened.report["compiled"]
values = memoryview(array.array("f", range(8))).cast("B").cast("f", (1, 8))
assert memoryview(opened(values)[2]).tolist() == [[7, 6, 5]]
own = {line.split()[-1] for line in open("/proc/self/maps") if "/libtcc" in line}
assert len(own) == 2 and all(path.startswith(folder) for path in own), own
assert f'version = "{tcc.__version__}"' in pathlib.Path(project).read_text()
