"""The engines of run.py, each in a process of its own that answers lines of JSON:

  {"open": FOLDER, "threads": N}  loads the program there, runs it once and says how far its results are from Paddle's
  {"time": SECONDS}               runs it for so long (a second run only if there is time) and says how long the fastest took

Of one thread the processor time counts, so that what other processes take away does not; of several the wall clock.
Inputs are bound once and results stay the engine's, so that a run is the op and the engine's own call and nothing else.
"""
import ctypes as c
import json
import os
import sys
import time

import numpy as np

NUMPY = [None, "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64", "complex64",
         "complex128", None, "float16"]  # by pir_dtype


class Borrowed(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t), ("release", c.c_void_p), ("user", c.c_void_p)]


class Str(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_size_t)]


class Port(c.Structure):
    _fields_ = [("size", c.c_size_t), ("name", Str), ("dtype", c.c_int), ("rank", c.c_int32), ("shape", c.c_int64 * 16)]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("dtype", c.c_int), ("rank", c.c_int32), ("shape", c.c_int64 * 16),
                ("strides", c.c_int64 * 16), ("lod", c.c_void_p), ("lod_sizes", c.c_void_p), ("lod_levels", c.c_size_t),
                ("reserved", c.c_uint64 * 2)]


class ModelOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("pipeline", c.c_char_p), ("rest", c.c_char * 88)]


class SessionOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("threads", c.c_int), ("rest", c.c_char * 112)]


class Pir:
    def __init__(self, lib, pipeline):
        self.lib, self.pipeline = c.CDLL(lib), pipeline.encode()
        self.lib.pir_model_inputs.restype = self.lib.pir_model_outputs.restype = c.c_size_t
        self.lib.pir_session_message.restype = c.c_char_p
        for name in ("inputs", "outputs", "release"):
            getattr(self.lib, "pir_model_" + name).argtypes = [c.c_void_p]
        self.lib.pir_model_input.argtypes = [c.c_void_p, c.c_size_t, c.c_void_p]
        self.lib.pir_session_create.argtypes = [c.c_void_p, c.c_void_p, c.c_void_p]
        for name in ("run", "message", "destroy"):
            getattr(self.lib, "pir_session_" + name).argtypes = [c.c_void_p]
        for name in ("bind_input", "output"):
            getattr(self.lib, "pir_session_" + name).argtypes = [c.c_void_p, c.c_size_t, c.POINTER(Tensor)]
        self.model = self.session = None

    def check(self, status):
        if status:
            message = self.lib.pir_session_message(self.session).decode() if self.session else ""
            raise RuntimeError(f"status {status} {message}")

    def open(self, folder, feeds, threads):
        if self.session:
            self.lib.pir_session_destroy(self.session)
            self.lib.pir_model_release(self.model)
        self.session, self.model, session = None, c.c_void_p(), c.c_void_p()
        options = ModelOptions(size=16, pipeline=self.pipeline)
        self.check(self.lib.pir_model_load_file((folder + "/model.json").encode(), None, c.byref(options), c.byref(self.model)))
        self.check(self.lib.pir_session_create(self.model, c.byref(SessionOptions(size=16, threads=threads)), c.byref(session)))
        self.session, self.feeds = session, feeds
        for i in range(self.lib.pir_model_inputs(self.model)):
            port = Port(size=c.sizeof(Port))
            self.check(self.lib.pir_model_input(self.model, i, c.byref(port)))
            array = feeds[port.name.data[:port.name.size].decode()]
            strides = [s // array.itemsize for s in array.strides]
            tensor = Tensor(array.ctypes.data, NUMPY.index(str(array.dtype)), array.ndim, tuple(array.shape), tuple(strides))
            self.check(self.lib.pir_session_bind_input(session, i, c.byref(tensor)))
        run, check = self.lib.pir_session_run, self.check
        return lambda: check(run(session))

    def results(self):
        found = []
        for i in range(self.lib.pir_model_outputs(self.model)):
            t = Tensor()
            self.check(self.lib.pir_session_output(self.session, i, c.byref(t)))
            kind, shape = np.dtype(NUMPY[t.dtype]), tuple(t.shape[:t.rank])
            size = int(np.prod(shape)) * kind.itemsize
            found.append(np.frombuffer(c.string_at(t.data, size), kind).reshape(shape))
        return found


class Ort:
    def open(self, folder, feeds, threads):
        import onnxruntime as ort
        o = ort.SessionOptions()
        o.intra_op_num_threads, o.inter_op_num_threads, o.log_severity_level = threads, 1, 3
        session = ort.InferenceSession(folder + "/model.onnx", o, providers=["CPUExecutionProvider"])
        self.binding = session.io_binding()
        self.feeds = {k: ort.OrtValue.ortvalue_from_numpy(v) for k, v in feeds.items()}
        for i in session.get_inputs():
            self.binding.bind_ortvalue_input(i.name, self.feeds[i.name])
        outs = np.load(folder + "/out.npz")
        for i, o in enumerate(session.get_outputs()):
            if os.path.basename(os.path.dirname(folder)) in ("nonzero", "masked_select", "unique"):
                self.binding.bind_output(o.name, "cpu")
            else:
                self.binding.bind_ortvalue_output(o.name, ort.OrtValue.ortvalue_from_numpy(np.empty_like(outs[str(i)])))
        binding, self.session = self.binding, session
        return lambda: session.run_with_iobinding(binding)

    def results(self):
        return self.binding.copy_outputs_to_cpu()


class Openvino:
    def open(self, folder, feeds, threads):
        import openvino as ov
        how = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
        self.request = ov.Core().compile_model(folder + "/model.onnx", "CPU", how).create_infer_request()
        self.feeds = {k: ov.Tensor(v, shared_memory=True) for k, v in feeds.items()}
        for name, tensor in self.feeds.items():
            self.request.set_tensor(name, tensor)
        return self.request.infer

    def results(self):
        return [self.request.get_output_tensor(i).data for i in range(len(self.request.model_outputs))]


class Paddle:
    def open(self, folder, feeds, threads):
        import paddle.inference as pi
        config = pi.Config(folder + "/model.json", folder + "/model.pdiparams")
        config.disable_gpu()
        config.disable_glog_info()
        config.enable_mkldnn()
        config.set_cpu_math_library_num_threads(threads)
        self.predictor = pi.create_predictor(config)
        for name in self.predictor.get_input_names():
            self.predictor.get_input_handle(name).copy_from_cpu(feeds[name])
        return self.predictor.run

    def results(self):
        return [self.predictor.get_output_handle(n).copy_to_cpu() for n in self.predictor.get_output_names()]


def difference(results, folder):
    """The largest difference in units of the tolerance: 1 is 1e-3 of the largest number, anything for another shape or integer."""
    worst, wanted = 0.0, np.load(folder + "/out.npz")
    for i, r in enumerate(results[:len(wanted.files)]):
        w = wanted[str(i)]
        if r.size != w.size:
            return float("inf")
        a, b = np.asarray(r).astype("f8").ravel(), w.astype("f8").ravel()
        off = float(np.max(np.abs(a - b), initial=0)) / max(1e-30, float(np.max(np.abs(b), initial=0))) / 1e-3
        worst = max(worst, off if off == off else float("inf"))
    return worst


def main():
    name, lib = sys.argv[1:3]
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what engines print must not come between the answers
    engine = {"pir": lambda: Pir(lib, "compile"), "called": lambda: Pir(lib, "kernels"), "ort": Ort,
              "openvino": Openvino, "paddle": Paddle}[name]()
    run, now, clock = None, time.perf_counter_ns, None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if "open" in order:
                folder = order["open"]
                feeds = {k: np.ascontiguousarray(v) for k, v in np.load(folder + "/in.npz").items()}
                run = engine.open(folder, feeds, order["threads"])
                clock = time.process_time_ns if order["threads"] == 1 else now
                run()
                reply = {"difference": difference(engine.results(), folder)}
            else:
                times, end = [], now() + int(order["time"] * 1e9)
                while not times or now() < end:
                    start = clock()
                    run()
                    times.append(clock() - start)
                reply = {"us": min(times) / 1e3}
        except Exception as e:  # told to run.py, which reports it by name
            reply = {"error": str(e).strip()[-300:]}
        print(json.dumps(reply), file=answer, flush=True)


if __name__ == "__main__":
    main()
