"""train.py - a step of training, forward, backward and AdamW in f32, beside PyTorch's eager mode and torch.compile with its fused AdamW, JAX and llm.c.

    bench/run.sh --train [--models mlp,resnet50] [--threads 1,2] [--rounds 3] [--peers eager,compile,jax,llmc] [--json FILE]

Models have random weights from a fixed seed and are made on the spot; torch.export writes them once, loss included, into build/bench/train
(or $TCC_BENCH_STATE/train), and tcc-train reads that file. A round runs tcc, a peer, tcc, the next peer, and so on: a peer's ratio is its
step over the mean of tcc's two beside it, stated is the median of all rounds. Each turn has a step that is not timed. The peak is the
kernel's high-water mark of the process, Python's included; a peer's losses are held against tcc's.

JAX is installed into an environment of its own among what the bench keeps; it has the models of train_jax.py. llm.c has GPT-2 alone: its sources
are fetched beforehand, --llm-c or $TCC_LLM_C names their folder. Both get the weights of PyTorch's model.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATE = pathlib.Path(os.environ.get("TCC_BENCH_STATE", ROOT / "build" / "bench")) / "train"
RATE, STEPS = 1e-4, 3  # steps of a turn, the first of them not timed


# ---- models: what gives a loss, and a batch ----
def classifier(net, *shape, classes=1000):
    import torch

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, x, y):
            return torch.nn.functional.cross_entropy(self.net(x), y)
    return Loss(), (torch.randn(*shape), torch.randint(classes, shape[:1]))


def mlp():
    from torch import nn
    return classifier(nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)), 64, 784, classes=10)


def resnet50():
    import timm
    return classifier(timm.create_model("resnet50"), 8, 3, 224, 224)


def mobilenetv3():
    import timm
    return classifier(timm.create_model("mobilenetv3_small_100", drop_rate=0.0), 8, 3, 224, 224)


def vit():
    import timm
    return classifier(timm.create_model("vit_base_patch16_224"), 8, 3, 224, 224)


def gpt2():
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(use_cache=False, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = GPT2LMHeadModel(config)

        def forward(self, x, y):
            return torch.nn.functional.cross_entropy(self.net(input_ids=x).logits.flatten(0, 1), y.flatten())
    words = config.vocab_size
    return Loss(), (torch.randint(words, (4, 64)), torch.randint(words, (4, 64)))


def llama():
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(hidden_size=512, intermediate_size=1376, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=8, vocab_size=8000,
                         max_position_embeddings=256, use_cache=False)

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = LlamaForCausalLM(config)

        def forward(self, x, y):
            return torch.nn.functional.cross_entropy(self.net(input_ids=x, use_cache=False).logits.flatten(0, 1), y.flatten())
    return Loss(), (torch.randint(8000, (4, 128)), torch.randint(8000, (4, 128)))


def lstm():
    import torch

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.net, self.head = torch.nn.Embedding(1000, 256), torch.nn.LSTM(256, 512, 2, batch_first=True), torch.nn.Linear(512, 1000)

        def forward(self, x, y):
            return torch.nn.functional.cross_entropy(self.head(self.net(self.words(x))[0]).flatten(0, 1), y.flatten())
    return Loss(), (torch.randint(1000, (16, 64)), torch.randint(1000, (16, 64)))


MODELS = {f.__name__: f for f in (mlp, resnet50, mobilenetv3, vit, gpt2, llama, lstm)}


def make(name):
    import torch
    torch.manual_seed(0)
    module, batch = MODELS[name]()
    return module.train(), batch


def places(name):
    """The model's file and the folder of its data."""
    return STATE / f"{name}.pt2", STATE / name


def export(name):
    import numpy as np
    import torch
    (file, data), (module, batch) = places(name), make(name)
    data.mkdir(parents=True, exist_ok=True)
    for i, tensor in enumerate(batch):
        np.save(data / f"input_{i}.npy", tensor.numpy())
    torch.export.save(torch.export.export(module, batch), str(file) + ".part.pt2")
    os.rename(str(file) + ".part.pt2", file)


def prepare(name):
    """In a process of its own: what this one holds would count in the peaks of those that it starts."""
    if not places(name)[0].exists():
        subprocess.run([sys.executable, __file__, "--export", name], check=True, stdout=subprocess.DEVNULL)
    return places(name)


# ---- PyTorch, in a process of its own ----
def peak_mb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def worker(way, name, threads, autocast):
    """A turn for each line of standard input: {"ms": [of each step], "losses", "peak_mb"}."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import torch
    torch.set_num_threads(threads)
    module, batch = make(name)
    optimizer = torch.optim.AdamW(module.parameters(), lr=RATE, fused=True)
    call = torch.compile(module) if way == "compile" else module
    for line in sys.stdin:
        ms, losses = [], []
        for _ in range(STEPS):
            begin = time.perf_counter()
            with torch.autocast("cpu", torch.bfloat16, enabled=autocast == "bf16"):
                loss = call(*batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            ms.append((time.perf_counter() - begin) * 1e3)
        print(json.dumps({"ms": ms, "losses": losses, "peak_mb": peak_mb()}), file=answers, flush=True)


# ---- peers that are not PyTorch get its weights ----
def export_weights(name):
    import numpy as np
    module, _ = make(name)
    tensors = {f"p:{of}": value for of, value in module.named_parameters()} | {f"b:{of}": value for of, value in module.named_buffers()}
    part = STATE / f"{name}.part.npz"
    np.savez(part, **{of: value.detach().numpy() for of, value in tensors.items()})
    os.rename(part, STATE / f"{name}.npz")


def weights(name):
    if not (STATE / f"{name}.npz").exists():
        subprocess.run([sys.executable, __file__, "--export-weights", name], check=True, stdout=subprocess.DEVNULL)
    return STATE / f"{name}.npz"


def jax_command(name, threads):
    folder = STATE.parent / "jax"
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "jax", "numpy"], check=True)
        (folder / "done").touch()
    return [folder / "bin" / "python", ROOT / "bench" / "train_jax.py", weights(name), places(name)[1], name, str(threads)]


def write_checkpoint(path, tensors):
    """GPT-2 as llm.c reads it: a header, then tensors in its order, those of layers one behind the other, the words filled up."""
    import numpy as np
    words, layers = 50257, 12
    header = np.zeros(256, np.int32)
    header[:8] = 20240326, 3, 1024, words, layers, 12, 768, 50304

    def stacked(of, turn=False):
        each = [tensors[f"p:net.transformer.h.{i}.{of}"] for i in range(layers)]
        return np.stack([value.T for value in each] if turn else each)
    top = {of: tensors[f"p:net.transformer.{of}"] for of in ("wte.weight", "wpe.weight", "ln_f.weight", "ln_f.bias")}
    parts = [np.pad(top["wte.weight"], ((0, header[7] - words), (0, 0))), top["wpe.weight"], stacked("ln_1.weight"), stacked("ln_1.bias"),
             stacked("attn.c_attn.weight", True), stacked("attn.c_attn.bias"), stacked("attn.c_proj.weight", True), stacked("attn.c_proj.bias"),
             stacked("ln_2.weight"), stacked("ln_2.bias"), stacked("mlp.c_fc.weight", True), stacked("mlp.c_fc.bias"),
             stacked("mlp.c_proj.weight", True), stacked("mlp.c_proj.bias"), top["ln_f.weight"], top["ln_f.bias"]]
    with open(path, "wb") as file:
        for part in [header, *parts]:
            file.write(np.ascontiguousarray(part).tobytes())


def llm_c_command(name, sources):
    import numpy as np
    data, program, checkpoint = places(name)[1], STATE / "train_llmc", STATE / f"{name}.bin"
    if not (pathlib.Path(sources or "") / "train_gpt2.c").is_file():
        sys.exit("bench: llm.c's sources are not there: --llm-c DIR or $TCC_LLM_C names the folder that has train_gpt2.c")
    subprocess.run(["gcc", "-Ofast", "-march=native", "-fopenmp", "-w", "-I", sources, ROOT / "bench" / "train_llmc.c", "-lm", "-o", program], check=True)
    if not checkpoint.exists():
        write_checkpoint(checkpoint, np.load(weights(name)))
    tokens = [np.load(data / f"input_{i}.npy").astype(np.int32) for i in range(2)]
    for i, each in enumerate(tokens):
        each.tofile(data / f"input_{i}.int32")
    return [program, checkpoint, data / "input_0.int32", data / "input_1.int32", *map(str, tokens[0].shape), str(RATE), str(STEPS)]


def has(way, name, autocast):
    """Whether a peer has this model, in this precision."""
    import train_jax
    return way in ("eager", "compile") or (autocast == "none" and name in {"jax": train_jax.NAMES, "llmc": ("gpt2",)}[way])


class Peer:
    def __init__(self, way, name, threads, autocast, sources):
        if way == "jax": command = jax_command(name, threads)
        elif way == "llmc": command = llm_c_command(name, sources)
        else: command = [sys.executable, __file__, "--worker", way, name, str(threads), autocast]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
        begin = time.perf_counter()
        self.first = self.turn()  # compiles
        self.first_s = time.perf_counter() - begin

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a peer ended: {' '.join(map(str, self.process.args))}")
        return json.loads(line)


# ---- tcc ----
def tcc(file, data, threads, autocast):
    log = STATE / "log.jsonl"
    log.unlink(missing_ok=True)
    process = subprocess.Popen([ROOT / "build" / "bin" / "tcc-train", file, "--data", data, "--steps", str(STEPS), "--threads", str(threads), "--quiet", "--autocast", autocast,
                                "--optimizer", f"kind=adamw lr={RATE} decay=0.01", "--log", log],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"tcc-train: status {status}")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return {"ms": [line["ms"] for line in lines], "losses": [line["loss"] for line in lines], "peak_mb": usage.ru_maxrss / 1024}


def step_ms(turn):
    return statistics.median(turn["ms"][1:])


def measure(name, threads, ways, rounds, autocast, sources):
    file, data = prepare(name)
    tcc(file, data, threads, autocast)  # compiles
    peers = {way: Peer(way, name, threads, autocast, sources) for way in ways if has(way, name, autocast)}
    result = {"model": name, "threads": threads, "autocast": autocast, "tcc_ms": [], "peers": {way: {"ms": [], "ratio": []} for way in peers}}
    before = tcc(file, data, threads, autocast)
    for _ in range(rounds):
        for way, peer in peers.items():
            turn, after = peer.turn(), tcc(file, data, threads, autocast)
            result["tcc_ms"].append(step_ms(after))
            result["peers"][way]["ms"].append(step_ms(turn))
            result["peers"][way]["ratio"].append(2 * step_ms(turn) / (step_ms(before) + step_ms(after)))
            result["peers"][way]["peak_mb"] = turn["peak_mb"]
            before = after
    result["tcc_peak_mb"] = before["peak_mb"]
    for way, peer in peers.items():
        result["peers"][way]["first_s"] = peer.first_s
        result["peers"][way]["loss_error"] = max(abs(a - b) / abs(b) for a, b in zip(before["losses"], peer.first["losses"]))
        peer.process.kill()
    return result


def row(result, ways):
    cells = [result["model"], str(result["threads"]), f"{statistics.median(result['tcc_ms']):.1f}", f"{result['tcc_peak_mb']:.0f}"]
    for way in ways:
        peer = result["peers"].get(way)
        cells += ["-"] * 4 if not peer else [f"{statistics.median(peer['ms']):.1f}", f"{statistics.median(peer['ratio']):.2f}", f"{peer['peak_mb']:.0f}", f"{peer['loss_error']:.0e}"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(prog="bench/run.sh --train", description="steps of training beside PyTorch")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default="eager,compile", help="of eager, compile, jax, llmc")
    parser.add_argument("--llm-c", default=os.environ.get("TCC_LLM_C"), metavar="DIR", help="the folder of llm.c's sources, for the peer llmc")
    parser.add_argument("--autocast", choices=["none", "bf16"], default="none", help="mixed precision, by tcc-train --autocast and torch.autocast")
    parser.add_argument("--json")
    options = parser.parse_args()
    ways, results = options.peers.split(","), []
    if unknown := set(ways) - {"eager", "compile", "jax", "llmc"}:
        parser.error(f"--peers: no peer {', '.join(sorted(unknown))}")
    head = ["model", "threads", "tcc ms", "peak MB"]
    for way in ways:
        head += [f"{way} ms", "its step / tcc's", "peak MB", "loss differs by"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for name in options.models.split(","):
        for threads in map(int, options.threads.split(",")):
            results.append(measure(name, threads, ways, options.rounds, options.autocast, options.llm_c))
            print(row(results[-1], ways), flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    elif sys.argv[1:2] == ["--export"]:
        export(sys.argv[2])
    elif sys.argv[1:2] == ["--export-weights"]:
        export_weights(sys.argv[2])
    else:
        main()
