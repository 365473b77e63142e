"""Python that to_static turns into control flow: branches, loops, early returns, lists, on tensors."""

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family


@family
def branch_return(r, inputs):
    """Early returns of branches whose condition is a tensor."""
    c = r.choice([3, 8, 16])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(c, 5), nn.Linear(c, 5)

        def forward(self, x, flag):
            if flag > 2:
                return self.a(x) * 2
            y = self.b(x)
            if paddle.mean(y) > 0:
                y = F.relu(y) + 1
            elif flag == 1:
                y = y - 1
            else:
                y = paddle.tanh(y)
            return y

    return Net(), inputs.sizes({"B": 3}, {"B": 1}).add("x", ["B", c]).add("flag", [], "int64")


@family
def loop_break(r, inputs):
    """while with break and continue; the number of rounds is an output."""
    c, most = r.choice([4, 7]), r.randint(3, 9)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.cell = nn.Linear(c, c)

        def forward(self, x):
            i = paddle.zeros([1], "int64")
            total = paddle.zeros_like(x)
            while i < most:
                i = i + 1
                x = paddle.tanh(self.cell(x))
                if i % 2 == 0:
                    continue
                total = total + x
                if paddle.abs(x).max() < 0.3:
                    break
            return total, i

    return Net(), inputs.sizes({"B": 2}, {"B": 5}).add("x", ["B", c])


@family
def loop_extent(r, inputs):
    """A loop over the extent of a tensor that collects its steps in a list."""
    c, h = r.choice([3, 6]), r.choice([4, 9])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.cell, self.out = r.choice([nn.GRUCell, nn.SimpleRNNCell])(c, h), nn.Linear(h, 2)

        def forward(self, x):
            state = paddle.zeros([x.shape[0], h])
            steps = []
            for t in range(x.shape[1]):
                y, state = self.cell(x[:, t], state)
                steps.append(self.out(y))
            return paddle.stack(steps, 1), state

    return Net(), inputs.sizes({"B": 2, "T": 5}, {"B": 1, "T": 9}).add("x", ["B", "T", c])


@family
def for_over_tensor(r, inputs):
    """`for row in tensor`, enumerate and zip."""
    c = r.choice([4, 5])
    way = r.choice(["rows", "enumerate", "zip"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Linear(c, c)

        def forward(self, x, y):
            total = paddle.zeros([c])
            if way == "rows":
                for row in x:
                    total = total * 0.5 + self.f(row)
            elif way == "enumerate":
                for i, row in enumerate(x):
                    total = total + self.f(row) * (i + 1)
            else:
                for a, b in zip(x, y):
                    total = total + a * b
            return total

    rows = 4 if way == "zip" else "N"
    return Net(), inputs.sizes({"N": 4}, {"N": 2} if way != "zip" else {"N": 4}).add("x", [rows, c]).add("y", [rows, c])


@family
def greedy_decode(r, inputs):
    """Tokens are chosen and appended until all sequences have ended."""
    words, c, most = 12, r.choice([8, 16]), r.randint(4, 8)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.out = nn.Embedding(words, c), nn.GRUCell(c, c), nn.Linear(c, words)

        def forward(self, state):
            batch = paddle.shape(state)[0]
            token = paddle.full([batch], 1, "int64")
            ended = paddle.zeros([batch], "bool")
            made = paddle.full([batch, 1], 1, "int64")
            score = paddle.zeros([batch])
            step = paddle.full([1], 0, "int64")
            while paddle.logical_and(step < most, paddle.logical_not(paddle.all(ended))):
                y, state = self.cell(self.embed(token), state)
                log = F.log_softmax(self.out(y) * 4, -1)
                best = paddle.argmax(log, -1)
                token = paddle.where(ended, paddle.full_like(best, 2), best)
                score = score + paddle.where(ended, paddle.zeros_like(score), paddle.max(log, -1))
                made = paddle.concat([made, token.unsqueeze(1)], 1)
                ended = paddle.logical_or(ended, token == 2)
                step = step + 1
            return made, score

    return Net(), inputs.sizes({"B": 3}, {"B": 1}).add("state", ["B", c])


@family
def beam_decode(r, inputs):
    """A beam search with a fixed number of steps."""
    words, c, beams, steps = 10, 8, r.choice([2, 3]), r.randint(3, 6)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.out = nn.Embedding(words, c), nn.GRUCell(c, c), nn.Linear(c, words)

        def forward(self, start):
            b = paddle.shape(start)[0]
            state = start.unsqueeze(1).expand([-1, beams, -1]).reshape([-1, c])
            token = paddle.full([b * beams], 1, "int64")
            first = paddle.concat([paddle.zeros([1]), paddle.full([beams - 1], -1e9)])
            score = first.unsqueeze(0).expand([b, beams])
            made = paddle.zeros([b, beams, 0], "int64")
            offset = (paddle.arange(b) * beams).unsqueeze(1).astype("int64")
            for _ in range(steps):
                y, state = self.cell(self.embed(token), state)
                log = F.log_softmax(self.out(y) * 3, -1).reshape([b, beams, words])
                total = (score.unsqueeze(-1) + log).reshape([b, beams * words])
                score, at = paddle.topk(total, beams, -1)
                source, word = at // words, at % words
                state = paddle.gather(state, (source + offset).flatten())
                made = paddle.concat(
                    [paddle.take_along_axis(made, source.unsqueeze(-1), 1) if made.shape[-1] else made, word.unsqueeze(-1)], -1
                )
                token = word.flatten()
            return made, score

    return Net(), inputs.sizes({"B": 2}, {"B": 1}).add("start", ["B", c])


@family
def shapes_in_python(r, inputs):
    """Arithmetic with x.shape, lists of extents, branches on extents and conversions to Python numbers."""
    c = r.choice([4, 6])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Linear(c, 2 * c)

        def forward(self, x):
            b, t, w = x.shape
            y = self.f(x).reshape([b, t, 2, w])
            y = y.transpose([0, 2, 1, 3]).reshape([b * 2, t, w])
            if t % 2 == 1:
                y = paddle.concat([y, paddle.zeros([b * 2, 1, w])], 1)
            half = y.shape[1] // 2
            y = paddle.mean(y.reshape([b * 2, half, 2 * w]), 1)
            z = F.pad(y.unsqueeze(1), [1, 0, 0, 0], data_format="NCL") if y.ndim > 3 else y
            return z, paddle.ones([b, t]) * x.shape[1]

    return Net(), inputs.sizes({"B": 2, "T": 5}, {"B": 1, "T": 4}).add("x", ["B", "T", c])


@family
def array_state(r, inputs):
    """States in a list that a loop changes; an assertion; a print."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layers = nn.LayerList([nn.Linear(c, c) for _ in range(3)])

        def forward(self, x, n):
            states = [x, x * 2, x * 3]
            i = paddle.zeros([1], "int64")
            while i < n:
                for k, layer in enumerate(self.layers):
                    states[k] = paddle.tanh(layer(states[k]) + states[k - 1] * 0.1)
                i += 1
            result = {"a": states[0], "b": paddle.concat(states, -1)}
            return result["b"], result["a"]

    return Net(), inputs.sizes({"B": 2}, {"B": 4}).add("x", ["B", c]).add("n", [1], "int64", 0, 4)


@family
def nested_control(r, inputs):
    """Branches in loops in branches, with variables that only one side makes."""
    c = 5

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Linear(c, c)

        def forward(self, x, n):
            out = x
            if n > 1:
                i = paddle.zeros([1], "int64")
                while i < n:
                    if paddle.sum(out) > 0:
                        step = self.f(out) * 0.5
                    else:
                        step = out * 0.25 + 1
                    out = paddle.tanh(step)
                    i = i + 1
            else:
                out = out * 3
                for _ in range(2):
                    out = paddle.where(out > 1, out * 0.5, out)
            return out

    return Net(), inputs.sizes({"B": 2}, {"B": 3}, {"B": 1}).add("x", ["B", c]).add("n", [1], "int64", 0, 5)


@family
def logic(r, inputs):
    """and, or, not and chained comparisons of tensors; conditional expressions."""
    c = 4

    class Net(nn.Layer):
        def forward(self, x, a, b):
            y = x + 1
            if a > b:
                y = x * 2
            if a > 0 and not b > 3:
                y = y + 10
            if 1 < a < 4 or b == 0:
                y = y * 0.5
            if bool(a > 2):
                y = paddle.exp(-paddle.abs(y))
            return y * (int(a) + 1), float(b) * y

    return Net(), inputs.sizes({"B": 2}, {"B": 3}, {"B": 1}, {"B": 4}).add("x", ["B", c]).add("a", [], "int64").add("b", [], "int64")
