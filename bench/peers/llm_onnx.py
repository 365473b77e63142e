"""Language models for ONNX Runtime: MatMul, or MatMulNBits where weights have 8 or 4 bits, and its GroupQueryAttention, whose caches share one
buffer between input and output, as its own exporter of language models writes them."""
import numpy as np
import onnx
from onnx import TensorProto, helper

import llm_graph

CONTRIB = "com.microsoft"
GROUP = {"int8": 32, "int4": 128}  # rows that share a scale
ROOM = 1024  # tokens that a cache has room for


class Front:
    def __init__(self, weights, kind):
        self.weights, self.size, self.kind = weights, weights.size, kind
        self.nodes, self.constants, self.count, self.big = [], [], 0, []
        self.inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "n"]),
                       helper.make_tensor_value_info("last", TensorProto.INT32, [1]),
                       helper.make_tensor_value_info("total", TensorProto.INT32, [1])]
        self.outputs = []
        angles = np.arange(ROOM)[:, None] * (1.0 / self.size.theta ** (np.arange(0, self.size.width, 2) / self.size.width))
        self.constant("cos", np.cos(angles).astype("float32"))
        self.constant("sin", np.sin(angles).astype("float32"))

    def constant(self, name, value):
        self.constants.append(onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def mapped(self, name, array):
        """A constant that stays in the file of parameters."""
        t = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=array.shape, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", "model.pdiparams"), ("offset", str(array.offset)), ("length", str(array.nbytes))):
            t.external_data.add(key=key, value=value)
        self.constants.append(t)
        return name

    def node(self, op, inputs, domain="", outputs=1, **attrs):
        self.count += 1
        names = [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, domain=domain, **attrs))
        return names[0] if outputs == 1 else names

    def embed(self):
        return self.node("Gather", [self.mapped("embedding", self.weights.values["embedding"]), "ids"])

    def norm(self, x, name):
        return self.node("SimplifiedLayerNormalization", [x, self.constant(name, self.weights.values[name])], epsilon=self.size.eps)

    def product(self, x, name):
        if self.kind == "f32" and name == "head" and self.size.tied:
            return self.node("MatMul", [x, self.node("Transpose", ["embedding"], perm=[1, 0])])
        if self.kind == "f32":
            return self.node("MatMul", [x, self.mapped(name, self.weights.values[name])])
        matrix, bits = self.weights.matrix(name), {"int8": 8, "int4": 4}[self.kind]
        numbers, scales = llm_graph.quantised(matrix, self.kind, GROUP[self.kind])
        numbers = (numbers + np.int8(8)).astype("uint8") if bits == 4 else (numbers.astype("int16") + 128).astype("uint8")
        if bits == 4:
            numbers = numbers[..., 0::2] | numbers[..., 1::2] << 4
        return self.node("MatMulNBits", [x, self.constant(name + ".numbers", numbers), self.constant(name + ".scales", scales)], CONTRIB,
                         K=matrix.shape[0], N=matrix.shape[1], bits=bits, block_size=GROUP[self.kind], accuracy_level=4)

    def attention(self, i, q, k, v):
        s, made = self.size, []
        for kind in ("keys", "values"):
            shape = [1, s.kv_heads, ROOM, s.width]
            self.inputs.append(helper.make_tensor_value_info(f"{kind}_{i}", TensorProto.FLOAT, shape))
            self.outputs.append(helper.make_tensor_value_info(f"new_{kind}_{i}", TensorProto.FLOAT, shape))
            made.append(f"new_{kind}_{i}")
        self.nodes.append(helper.make_node("GroupQueryAttention", [q, k, v, f"keys_{i}", f"values_{i}", "last", "total", "cos", "sin"],
                                           [f"attention_{i}"] + made, domain=CONTRIB, num_heads=s.heads, kv_num_heads=s.kv_heads,
                                           do_rotary=1, scale=s.width ** -0.5))
        return f"attention_{i}"

    def add(self, x, y):
        return self.node("Add", [x, y])

    def gated(self, gate, up):
        return self.node("Mul", [self.node("Mul", [gate, self.node("Sigmoid", [gate])]), up])

    def last(self, x):
        return self.node("Slice", [x, self.constant("minus_1", np.array([-1])), self.constant("end", np.array([1 << 31])),
                                   self.constant("axis", np.array([1]))])


def write(weights, kind, path):
    """Writes the model at `path`, in the folder of the parameters."""
    front = Front(weights, kind)
    logits = llm_graph.network(front, weights.size)
    outputs = [helper.make_tensor_value_info(logits, TensorProto.FLOAT, [1, 1, weights.size.vocab])] + front.outputs
    graph = helper.make_graph(front.nodes, "llm", front.inputs, outputs, front.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)], ir_version=9)
    large = [t for t in front.constants if t.data_location != TensorProto.EXTERNAL and len(t.raw_data) > 1024]
    at = 0
    with open(path + ".data", "wb") as out:
        for t in large:
            out.write(t.raw_data)
            for key, value in (("location", path.rpartition("/")[2] + ".data"), ("offset", str(at)), ("length", str(len(t.raw_data)))):
                t.external_data.add(key=key, value=value)
            at += len(t.raw_data)
    written = {t.name: t for t in large}
    for t in model.graph.initializer:
        if t.name in written:
            t.ClearField("raw_data")
            t.external_data.extend(written[t.name].external_data)
            t.data_location = TensorProto.EXTERNAL
    with open(path, "wb") as out:
        out.write(model.SerializeToString())


class Runner:
    """Runs ids behind those before; returns the id with the largest logit."""

    def __init__(self, path, size, threads):
        import onnxruntime as ort
        o = ort.SessionOptions()
        o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
        self.session = ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])
        self.ort, self.filled, self.logits = ort, 0, self.session.get_outputs()[0].name
        self.binding = self.session.io_binding()
        for i in range(size.layers):
            for name in (f"keys_{i}", f"values_{i}"):
                value = ort.OrtValue.ortvalue_from_numpy(np.zeros([1, size.kv_heads, ROOM, size.width], "float32"))
                self.binding.bind_ortvalue_input(name, value)
                self.binding.bind_ortvalue_output("new_" + name, value)

    def clear(self):
        self.filled = 0

    def run(self, ids):
        self.filled += len(ids)
        self.binding.bind_cpu_input("ids", np.array([ids], "int64"))
        self.binding.bind_cpu_input("last", np.array([self.filled - 1], "int32"))
        self.binding.bind_cpu_input("total", np.array([self.filled], "int32"))
        self.binding.bind_output(self.logits)
        self.session.run_with_iobinding(self.binding)
        return int(np.argmax(self.binding.get_outputs()[-1].numpy()))
