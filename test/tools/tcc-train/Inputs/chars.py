"""chars.py STEPS FOLDER: steps of the model of text of examples/train on these pages, on the host and on the emulated device: losses, which may differ by
1e-5 of them. FOLDER is for data and logs; the last line is the number of losses that agree. Exit 1 if one does not."""
import json
import pathlib
import subprocess
import sys

import numpy as np

LENGTH, CHARACTERS = 32, 128
steps, folder = sys.argv[1], pathlib.Path(sys.argv[2])
root = pathlib.Path(__file__).resolve().parents[4]
folder.mkdir(parents=True, exist_ok=True)
text = np.frombuffer(b"".join(page.read_bytes() for page in sorted((root / "docs").glob("*.md"))), np.uint8).astype(np.int64)
text[text >= CHARACTERS] = ord("?")
count = (len(text) - 1) // LENGTH
for name, begin in (("text", 0), ("labels", 1)): np.save(folder / f"{name}.npy", text[begin:begin + count * LENGTH].reshape(count, LENGTH))


def losses(target):
    log = folder / "log.jsonl"
    subprocess.run(["tcc-train", root / "examples/train/chars.onnx", "--loss", "cross_entropy", "--data", folder, "--steps", steps, "--threads=1",
                    "--optimizer", "kind=adamw lr=0.003 warmup=20 clip-norm=1", f"--target={target}", "--log", log],
                   check=True, stdout=subprocess.DEVNULL)
    return np.array([json.loads(line)["loss"] for line in log.read_text().splitlines()])


host, device = losses("x86,avx2"), losses("nvptx,sm_90a")
agree = np.abs(host - device) <= 1e-5 * np.abs(host)
print(f"from {device[0]:.4g} to {device[-1]:.4g}, at most {np.max(np.abs(host - device) / np.abs(host)):.2g} apart")
print(f"{np.sum(agree)} of {steps} losses agree")
sys.exit(not np.all(agree))
