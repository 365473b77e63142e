"""Trains a network of run.py with PyTorch: torch_steps.py NET:eager|compiled FOLDER THREADS SECONDS. Prints the fastest step and the peak
of resident memory."""
import json
import resource
import sys
import time

import torch

from sizes import BLOCKS

nn, functional = torch.nn, torch.nn.functional


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        same = stride == 1 and inputs == outputs
        self.beside = None if same else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return functional.relu(self.second(self.first(x)) + (x if self.beside is None else self.beside(x)))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(30522, 768), nn.Embedding(512, 768), nn.LayerNorm(768)
        self.layers = nn.Sequential(*[nn.TransformerEncoderLayer(768, 12, 3072, 0.0, "gelu", batch_first=True) for _ in range(12)])
        self.pooled, self.out = nn.Linear(768, 768), nn.Linear(768, 2)

    def forward(self, x):
        h = self.layers(self.norm(self.words(x) + self.places(torch.arange(x.shape[1]))[None]))
        return self.out(torch.tanh(self.pooled(h[:, 0])))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.out = nn.LSTM(128, 256, 2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        return self.out(self.layers(x)[0][:, -1])


def resnet18():
    first = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*first, *[Block(*b) for b in BLOCKS], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


NETS = {"resnet18": lambda: (resnet18(), torch.randn(8, 3, 224, 224), torch.randint(0, 1000, (8,))),
        "bert": lambda: (Bert(), torch.randint(0, 30522, (4, 128)), torch.randint(0, 2, (4,))),
        "lstm": lambda: (Lstm(), torch.randn(16, 100, 128), torch.randint(0, 10, (16,)))}


def main():
    net, how = sys.argv[1].split(":")
    torch.set_num_threads(int(sys.argv[3]))
    model, x, y = NETS[net]()
    model.train()
    run = torch.compile(model) if how == "compiled" else model
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    times, end = [], None
    while end is None or len(times) < 4 or time.monotonic() < end:
        before = time.perf_counter()
        optimizer.zero_grad()
        functional.cross_entropy(run(x), y).backward()
        optimizer.step()
        times.append(time.perf_counter() - before)
        end = end or time.monotonic() + float(sys.argv[4])  # the first step compiles
    print(json.dumps({"seconds": min(times), "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


if __name__ == "__main__":
    main()
