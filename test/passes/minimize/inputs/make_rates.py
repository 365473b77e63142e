"""Learning rates by the real Paddle: make_rates.py > test/passes/minimize/inputs/rates.tsv

For each scheduler of paddle.optimizer.lr: the options of schedule_pass that stand for it, and the rate of each step, as a training
program is given it: rounded to f32.
"""
import numpy as np
import paddle

lr = paddle.optimizer.lr
SCHEDULES = [
    ("rate=0.3", 3, lambda: lr.LambdaDecay(0.3, lambda t: 1)),
    ("decay=step,rate=0.5,steps=3", 10, lambda: lr.StepDecay(0.5, 3)),
    ("decay=step,rate=0.5,steps=2,gamma=0.7", 9, lambda: lr.StepDecay(0.5, 2, 0.7)),
    ("decay=piecewise,boundaries=3|5,values=1|0.5|0.1", 8, lambda: lr.PiecewiseDecay([3, 5], [1.0, 0.5, 0.1])),
    ("decay=piecewise,boundaries=2|4|7,values=0.5|0.05|0.005|0.0005", 9, lambda: lr.MultiStepDecay(0.5, [2, 4, 7])),
    ("decay=exponential,rate=0.5,gamma=0.9", 20, lambda: lr.ExponentialDecay(0.5, 0.9)),
    ("decay=natural-exp,rate=0.5,gamma=0.1", 20, lambda: lr.NaturalExpDecay(0.5, 0.1)),
    ("decay=inverse-time,rate=0.5,gamma=0.1", 20, lambda: lr.InverseTimeDecay(0.5, 0.1)),
    ("decay=polynomial,rate=0.5,steps=7", 11, lambda: lr.PolynomialDecay(0.5, 7)),
    ("decay=polynomial,rate=0.5,steps=5,end=0.01,power=2,cycle", 17, lambda: lr.PolynomialDecay(0.5, 5, 0.01, 2.0, cycle=True)),
    ("decay=cosine,rate=0.1,steps=9", 31, lambda: lr.CosineAnnealingDecay(0.1, 9)),
    ("decay=cosine,rate=0.1,steps=10,end=0.001", 25, lambda: lr.CosineAnnealingDecay(0.1, 10, 0.001)),
    ("decay=noam,rate=0.01,width=64,steps=4", 12, lambda: lr.NoamDecay(64, 4, 0.01)),
    ("rate=0.5,warmup=4", 8, lambda: lr.LinearWarmup(0.5, 4, 0.0, 0.5)),
    ("decay=cosine,rate=0.5,steps=8,warmup=3,warmup-start=0.05", 16,
     lambda: lr.LinearWarmup(lr.CosineAnnealingDecay(0.5, 8), 3, 0.05, 0.5)),
    ("decay=piecewise,boundaries=2|3,values=1|0.5|0.1,warmup=5,warmup-end=0.9", 12,
     lambda: lr.LinearWarmup(lr.PiecewiseDecay([2, 3], [1.0, 0.5, 0.1]), 5, 0.0, 0.9)),
    ("decay=exponential,rate=0.5,gamma=0.8,every=3", 10, lambda: EachThird(lr.ExponentialDecay(0.5, 0.8))),
]


class EachThird:
    """A scheduler that is stepped once in three steps, as a training steps it once in an epoch."""

    def __init__(self, of):
        self.of, self.count = of, 0

    def __call__(self):
        return self.of()

    def step(self):
        self.count += 1
        if self.count % 3 == 0:
            self.of.step()


for options, steps, make in SCHEDULES:
    scheduler, rates = make(), []
    for _ in range(steps):
        rates.append(repr(float(np.float32(scheduler()))))
        scheduler.step()
    print(options, " ".join(rates), sep="\t")
