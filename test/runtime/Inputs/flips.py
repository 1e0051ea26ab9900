"""flips.py CACHE MODEL DATA: flips single bits of the one entry of packed weights in CACHE, in the block and before it; after each flip
tcc-run must say so and give the right result. The entry is used between flips, so that it is one that was found right before."""
import glob
import random
import subprocess
import sys

cache, model, data = sys.argv[1:]
command = ["tcc-run", model, "--data", data, "--check", "--explain-cache"]


def run():
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "ok: 1 output matches" in done.stdout, (done.stdout, done.stderr)
    return done.stderr


random.seed(1)
for i in range(37):
    run()
    assert "bytes mapped" in run()
    (path,) = glob.glob(f"{cache}/packed/*/*")
    with open(path, "r+b") as file:
        size = file.seek(0, 2)
        at = (0, 8, 100, 4095, 4096, size - 1)[i] if i < 6 else random.randrange(4096, size)
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << random.randrange(8)]))
    said = run()
    # What is between the header and the block is not looked at.
    assert at == 4095 or ("removed, made again" in said and "bytes made" in said), (at, said)
print("37 flips")
