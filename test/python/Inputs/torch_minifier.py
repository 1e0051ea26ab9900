"""torch_minifier.py FOLDER: torch's minifier, through the backend, finds the one node that a backend above it makes wrong."""
import os
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
package = folder / "wrong-0.dist-info"
package.mkdir(parents=True)
(package / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 0\n")
(package / "entry_points.txt").write_text("[torch_dynamo_backends]\nwrong = wrong_backend:backend\n")
paths = [str(folder), os.path.dirname(os.path.abspath(__file__)), os.environ["PYTHONPATH"]]
environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), TORCHDYNAMO_REPRO_AFTER="dynamo", TORCHDYNAMO_REPRO_LEVEL="4")
PROGRAM = """if 1:
    import torch
    def net(x):
        y = torch.tanh(x) * 2
        return torch.exp(-torch.relu(y - 1)) + y
    torch.compile(net, backend="wrong")(torch.ones(4))
    """
made = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True)
assert made.returncode != 0 and "AccuracyError" in made.stderr, made.stderr
[launcher] = folder.rglob("minifier_launcher.py")
made = subprocess.run([sys.executable, str(launcher)], cwd=folder, env=environment, capture_output=True, text=True)
body = re.search(r"def forward\(.*?\n(.*?)return", (folder / "repro.py").read_text(), re.S)[1]
assert re.findall(r"torch\.\w+", body) == ["torch.relu"], body
