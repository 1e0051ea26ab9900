"""train.py - a step of training, forward, backward and AdamW in f32, beside PyTorch's eager mode and torch.compile with its fused AdamW.

    bench/run.sh --train [--models mlp,resnet50] [--threads 1,2] [--rounds 3] [--peers eager,compile] [--json FILE]

Models have random weights from a fixed seed and are made on the spot; torch.export writes them once, loss included, into build/bench/train
(or $TCC_BENCH_STATE/train), and tcc-train reads that file. A round runs tcc, a peer, tcc, the next peer, and so on: a peer's ratio is its
step over the mean of tcc's two beside it, stated is the median of all rounds. Each turn has a step that is not timed. The peak is the
kernel's high-water mark of the process, Python's included; a peer's losses are held against tcc's.
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


class Peer:
    def __init__(self, way, name, threads, autocast):
        self.process = subprocess.Popen([sys.executable, __file__, "--worker", way, name, str(threads), autocast], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        begin = time.perf_counter()
        self.first = self.turn()  # compiles
        self.first_s = time.perf_counter() - begin

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


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


def measure(name, threads, ways, rounds, autocast):
    file, data = prepare(name)
    tcc(file, data, threads, autocast)  # compiles
    peers = {way: Peer(way, name, threads, autocast) for way in ways}
    result = {"model": name, "threads": threads, "autocast": autocast, "tcc_ms": [], "peers": {way: {"ms": [], "ratio": []} for way in ways}}
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


def row(result):
    cells = [result["model"], str(result["threads"]), f"{statistics.median(result['tcc_ms']):.1f}", f"{result['tcc_peak_mb']:.0f}"]
    for way, peer in result["peers"].items():
        cells += [f"{statistics.median(peer['ms']):.1f}", f"{statistics.median(peer['ratio']):.2f}", f"{peer['peak_mb']:.0f}", f"{peer['loss_error']:.0e}"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(prog="bench/run.sh --train", description="steps of training beside PyTorch")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default="eager,compile")
    parser.add_argument("--autocast", choices=["none", "bf16"], default="none", help="mixed precision, by tcc-train --autocast and torch.autocast")
    parser.add_argument("--json")
    options = parser.parse_args()
    ways, results = options.peers.split(","), []
    head = ["model", "threads", "tcc ms", "peak MB"]
    for way in ways:
        head += [f"{way} ms", "its step / tcc's", "peak MB", "loss differs by"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for name in options.models.split(","):
        for threads in map(int, options.threads.split(",")):
            results.append(measure(name, threads, ways, options.rounds, options.autocast))
            print(row(results[-1]), flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    elif sys.argv[1:2] == ["--export"]:
        export(sys.argv[2])
    else:
        main()
