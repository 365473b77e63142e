"""Language models for OpenVINO: its own operations, weights as constants of the narrower type with a conversion and scales behind them, and caches
that are states of the model, which it recognises with its attention."""
import numpy as np
import openvino as ov
from openvino import opset13 as op

import llm_graph


class Front:
    def __init__(self, weights, kind):
        self.weights, self.size, self.kind = weights, weights.size, kind
        self.ids = op.parameter([1, -1], ov.Type.i64, "ids")
        self.order = op.parameter([-1], ov.Type.i32, "beam_idx")
        self.ids.output(0).get_tensor().set_names({"ids"})
        self.order.output(0).get_tensor().set_names({"beam_idx"})
        self.states, self.kept = [], []

    def embed(self):
        weights = self.narrow("embedding", np.asarray(self.weights.values["embedding"])) if self.kind == "bf16" else \
            op.constant(np.array(self.weights.values["embedding"]))
        return op.gather(weights, self.ids, op.constant(np.int32(0)))

    def narrow(self, name, array):
        return op.convert(self.constant(llm_graph.bf16(array), list(array.shape), ov.Type.bf16), "f32")

    def constant(self, numbers, shape, kind):
        """A constant of the bytes of an array, which it does not copy."""
        tensor = ov.Tensor(numbers.reshape(-1).view("uint8"), shape, kind)
        self.kept += [numbers, tensor]
        return op.constant(tensor)

    def norm(self, x, name):
        square = op.reduce_mean(op.power(x, op.constant(np.float32(2))), op.constant(np.array([-1])), keep_dims=True)
        scale = op.divide(op.constant(np.float32(1)), op.sqrt(op.add(square, op.constant(np.float32(self.size.eps)))))
        return op.multiply(op.multiply(x, scale), op.constant(np.array(self.weights.values[name])))

    def product(self, x, name):
        matrix = self.weights.matrix(name)
        if self.kind == "f32":
            return op.matmul(x, op.constant(np.ascontiguousarray(matrix.T)), False, True)
        if self.kind == "bf16":
            return op.matmul(x, self.narrow(name, np.ascontiguousarray(matrix.T)), False, True)
        numbers, scales = llm_graph.quantised(matrix, self.kind, 128 if self.kind == "int4" else matrix.shape[0])
        shape = list(numbers.shape) if self.kind == "int4" else [numbers.shape[0], numbers.shape[2]]
        if self.kind == "int4":
            nibbles = numbers.astype("uint8") & 15
            numbers = nibbles[..., 0::2] | nibbles[..., 1::2] << 4
        constant = self.constant(numbers, shape, ov.Type.i4 if self.kind == "int4" else ov.Type.i8)
        scales = scales.reshape(shape[:-1] + [1]).astype("float16")
        wide = op.multiply(op.convert(constant, "f16"), op.constant(scales))
        if self.kind == "int4":
            wide = op.reshape(wide, op.constant(np.array([shape[0], -1])), False)
        return op.matmul(x, op.convert(wide, "f32"), False, True)

    def heads(self, x, count):
        x = op.reshape(x, op.constant(np.array([0, 0, count, self.size.width])), True)
        return op.transpose(x, op.constant(np.array([0, 2, 1, 3])))

    def rotate(self, x, past):
        if not hasattr(self, "angles"):
            n = op.gather(op.shape_of(self.ids), op.constant(np.array(1)), op.constant(np.array(0)))
            past = op.gather(op.shape_of(past), op.constant(np.array(2)), op.constant(np.array(0)))
            at = op.range(past, op.add(past, n), op.constant(np.array(1)), "f32")
            steps = 1.0 / self.size.theta ** (np.arange(0, self.size.width, 2) / self.size.width)
            angle = op.multiply(op.unsqueeze(at, op.constant(np.array([1]))), op.constant(steps[None].astype("float32")))
            angle = op.unsqueeze(op.concat([angle, angle], 1), op.constant(np.array([0, 1])))
            self.angles = op.cos(angle), op.sin(angle)
            self.queries = n, past
        half = self.size.width // 2
        parts = op.variadic_split(x, op.constant(np.array(3)), op.constant(np.array([half, half])))
        turned = op.concat([op.negative(parts.output(1)), parts.output(0)], 3)
        return op.add(op.multiply(x, self.angles[0]), op.multiply(turned, self.angles[1]))

    def mask(self):
        if not hasattr(self, "seen"):
            n, past = self.queries
            zero, one = op.constant(np.array(0)), op.constant(np.array(1))
            keys = op.range(zero, op.add(past, n), one, "i64")
            rows = op.unsqueeze(op.range(past, op.add(past, n), one, "i64"), op.constant(np.array([1])))
            seen = op.less_equal(keys, rows)
            bias = op.select(seen, op.constant(np.float32(0)), op.constant(np.float32(-3e38)))
            self.seen = op.unsqueeze(bias, op.constant(np.array([0, 1])))
        return self.seen

    def extended(self, i, kind, x):
        s = self.size
        empty = op.constant(np.zeros([1, s.kv_heads, 0, s.width], "float32"))
        past = op.read_value(empty, f"{kind}_{i}", ov.Type.f32, ov.PartialShape([1, s.kv_heads, -1, s.width]))
        ordered = op.gather(past, self.order, op.constant(np.array(0)))
        if kind == "keys":
            x = self.rotate(x, ordered)
        whole = op.concat([ordered, x], 2)
        self.states.append(op.assign(whole, f"{kind}_{i}"))
        if s.heads == s.kv_heads:
            return whole
        shape = op.constant(np.array([1, 1, s.heads // s.kv_heads, 1, 1]))
        wide = op.broadcast(op.unsqueeze(whole, op.constant(np.array([2]))), shape, broadcast_spec="BIDIRECTIONAL")
        return op.reshape(wide, op.constant(np.array([0, s.heads, -1, s.width])), True)

    def attention(self, i, q, k, v):
        s = self.size
        k = self.extended(i, "keys", self.heads(k, s.kv_heads))
        v = self.extended(i, "values", self.heads(v, s.kv_heads))
        q = self.rotate(self.heads(q, s.heads), None)
        y = op.scaled_dot_product_attention(q, k, v, self.mask(), op.constant(np.float32(s.width ** -0.5)), False)
        return op.reshape(op.transpose(y, op.constant(np.array([0, 2, 1, 3]))), op.constant(np.array([0, 0, s.hidden])), True)

    def add(self, x, y):
        return op.add(x, y)

    def gated(self, gate, up):
        return op.multiply(op.swish(gate), up)

    def last(self, x):
        return op.slice(x, op.constant(np.array([-1])), op.constant(np.array([1 << 31])), op.constant(np.array([1])), op.constant(np.array([1])))


def write(weights, kind, path):
    front = Front(weights, kind)
    logits = op.result(llm_graph.network(front, weights.size), "logits")
    model = ov.Model([logits], front.states, [front.ids, front.order], "llm")
    ov.save_model(model, path, compress_to_fp16=False)


class Runner:
    """Runs ids behind those before; returns the id with the largest logit."""

    def __init__(self, path, kind, threads):
        core = ov.Core()
        how = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
        if kind in ("f32", "bf16"):
            how["INFERENCE_PRECISION_HINT"] = kind
        self.request = core.compile_model(path, "CPU", how).create_infer_request()

    def clear(self):
        self.request.reset_state()

    def run(self, ids):
        self.request.infer({"ids": np.array([ids], "int64"), "beam_idx": np.zeros(1, "int32")}, share_inputs=True)
        return int(np.argmax(self.request.get_output_tensor(0).data))
