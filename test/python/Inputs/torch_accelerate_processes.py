"""torch_accelerate_processes.py: one of two processes that accelerate launches, which train a Llama of two layers that it prepared, by DDP and FSDP2.

Ten steps each: the root mean square error of the losses against f64 is at most twice eager mode's and 1e-6 of the losses."""
import os

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState, GradientState
from accelerate.utils import FullyShardedDataParallelPlugin, TorchDynamoPlugin
from transformers import LlamaConfig, LlamaForCausalLM

import tcc
import tcc.report

STEPS = 10


def llama():
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                        num_key_value_heads=2, max_position_embeddings=64, use_cache=False))


def ddp():
    return {}


def fsdp():
    return {"fsdp_plugin": FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy="transformer_based_wrap",
                                                          transformer_cls_names_to_wrap=["LlamaDecoderLayer"])}


def train(net, **how):
    for state in (AcceleratorState, GradientState):  # the processes stay, what accelerate was told of them does not
        state._reset_state()
    accelerator = Accelerator(cpu=True, **how)
    net, optimizer = accelerator.prepare(net, torch.optim.Adam(net.parameters(), lr=1e-3))
    torch.manual_seed(100 + accelerator.process_index)
    losses = []
    for _ in range(STEPS):
        ids = torch.randint(0, 128, (2, 16))
        loss = net(input_ids=ids, labels=ids, use_cache=False).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return torch.tensor(losses, dtype=torch.float64)


def rms(x):
    return x.square().mean().sqrt()


def compare(way):
    exact, eager = train(llama().double(), **way()), train(llama(), **way())
    torch._dynamo.reset()
    recorder = tcc.report.Recorder()
    ours = train(llama(), dynamo_plugin=TorchDynamoPlugin(backend="tcc"), **way())
    found = recorder.stop()
    assert {graph["kind"] for graph in found.graphs} == {"forward", "backward"} and not found.eager, str(found)
    far, allowed = rms(ours - exact), 2 * rms(eager - exact) + 1e-6 * rms(exact)
    assert far <= allowed, (way.__name__, far, allowed, ours, eager, exact)
    torch.distributed.barrier()
    os.write(1, f"{way.__name__} {os.environ['RANK']} {STEPS} losses as eager's\n".encode())  # at once: both write to one pipe


if __name__ == "__main__":
    torch.set_num_threads(1)
    compare(ddp)
    compare(fsdp)
    torch.distributed.destroy_process_group()
