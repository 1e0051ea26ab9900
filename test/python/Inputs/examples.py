"""examples.py PAGE: runs the page's blocks of Python as one program."""
import pathlib
import re
import sys

blocks = re.findall(r"^```python\n(.*?)^```", pathlib.Path(sys.argv[1]).read_text(), re.M | re.S)
names = {"__name__": "__main__"}
for block in blocks:
    exec(compile(block, sys.argv[1], "exec"), names)
print(f"ran {len(blocks)} examples")
