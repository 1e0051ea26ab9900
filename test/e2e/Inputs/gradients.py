"""gradients.py MODEL FILE OUTPUTS interp|TARGET: differentiates FILE of a zoo model, runs it on its first data set, for nvptx on the emulated device,
and compares with the f64 gradients. The rule is the zoo's: rmse <= 2 rmse_eager + 1e-6 rms, where rms counts as a thousandth of the largest at least: of a
gradient that is 0 in theory all have noise. Repeated layers are functions (tcc-dedup-regions) before they are differentiated."""
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

PIPELINE = "tcc-verify,tcc-infer-shapes,tcc-simplify,tcc-recompose,tcc-dedup-regions,tcc-grad,tcc-simplify,tcc-verify"


def run(model, file, outputs, engine):
    """The differentiated module's text; outputs has output_K.npy."""
    data = model / "test_data_set_0"
    command = ["tcc-interp", model / file, "--pipeline", PIPELINE, "--parameters", "--data", data, "--save", outputs, "--print"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if engine != "interp":
        module = outputs / "module.mlir"
        module.write_text(text[:text.index("\noutput 0: ") + 1])
        subprocess.run(["tcc-run", module, f"--weights={model}", f"--data={data}", f"--save={outputs}", "--no-cache",
                        f"--target={engine}", *["--emulate"] * engine.startswith("nvptx")], check=True, capture_output=True)
    return text


def results(text, outputs):
    header = text[text.index("@main("):]
    header = header[:header.index(" {\n")]
    names = re.findall(r'tcc\.name = "((?:[^"\\]|\\.)*)"', header[header.index(") -> ("):])
    return {name[len("grad."):]: np.load(outputs / f"output_{k}.npy").astype(np.float64) for k, name in enumerate(names) if name.startswith("grad.")}


def compare(model, found):
    facts = json.loads((model / "tolerance.json").read_text())
    grads = {path.stem: np.load(path).astype(np.float64) for path in (model / "grads").glob("*.npy")}
    others = {name: group["torch_names"] + group["onnx_initializers"] for name, group in (facts.get("tied") or {}).items()}
    largest = max(np.sqrt(np.mean(g ** 2)) for g in grads.values())
    wrong = 0
    for name, want in sorted(grads.items()):
        got = next((found[other] for other in [name, *others.get(name, [])] if other in found), None)
        rms = np.sqrt(np.mean(want ** 2))
        limit = 2 * facts["grads"][name]["rmse_eager"] + 1e-6 * max(rms, 1e-3 * largest)
        error = np.inf if got is None else np.sqrt(np.mean((got.reshape(want.shape) - want) ** 2))
        if not error <= limit:
            wrong += 1
            print(f"{name}: " + ("no result" if got is None else f"rmse {error:.3g} > {limit:.3g} (rms {rms:.3g})"))
    print(f"{len(grads)} gradients, {wrong} wrong")
    return not wrong


def main(model, file, outputs, engine):
    model, outputs = pathlib.Path(model), pathlib.Path(outputs)
    outputs.mkdir(parents=True, exist_ok=True)
    for old in outputs.glob("output_*.npy"): old.unlink()
    text = run(model, file, outputs, engine)
    sys.exit(not compare(model, results(text, outputs)))


if __name__ == "__main__":
    main(*sys.argv[1:])
