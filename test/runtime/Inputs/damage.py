"""damage.py FOLDER: flips a byte in the middle of every file below."""
import pathlib
import sys

for path in pathlib.Path(sys.argv[1]).rglob("*"):
    if path.is_file():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
