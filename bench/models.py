#!/usr/bin/env python3
"""Makes the models that are measured: folders with model.json, model.pdiparams, model.pdmodel, model.onnx, case0/.

  models.py DIR --pir-translate EXE [NAME ...]     all by default; what is there already is kept

NAME is a model of bench/zoo (full-size networks with random weights, about ten minutes and 4 GB for all), or a detector of
text: the recorded PP-OCRv4 one with a picture of 480x640, and one of 640x640. Needs the Python that has Paddle and paddle2onnx.
`quantise` (latency.py calls it) adds programs of 8 bits, all calibrated on the same seeded inputs: int8.json by our passes, ptq.pdmodel
by Paddle's PostTrainingQuantization, int8.onnx by ONNX Runtime (QDQ of a graph with folded batch norms: bytes without a sign, which
both peers multiply fastest, filters by channel; OpenVINO is faster with it than with what nncf.quantize makes).
paddle2onnx 2.1 refuses lists of doubles (the `scale` of a resizing); it is given a copy of the program with lists of floats.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ZOO = ("resnet50 mobilenet_v1 bert_base vit_base_patch16_224 resnet18 mobilenet_v2 mobilenet_v3_large alexnet squeezenet1_1 "
       "shufflenet_v2_x1_0 densenet121 googlenet inception_v3 gpt2_small llama_160m_prefill llama_160m_decode unet_256 "
       "yolov3_darknet53 ppocr_rec lstm_classifier gru_classifier").split()
SAMPLES = 8
DETECTORS = {"ppocrv4_det_480": (480, 640), "ppocrv4_det_640": (640, 640)}


def detector(folder, pir_translate, height, width):
    """The recorded detector with one input, and what Paddle makes of it with passes and oneDNN off."""
    import numpy as np
    import paddle.inference as pi
    with tempfile.TemporaryDirectory() as there:
        with tarfile.open(os.path.join(HERE, "../test/recorded/archives/ppocrv4_det.tar.xz")) as archive:
            archive.extractall(there, filter="data")
        source = os.path.join(there, "real/ppocrv4_det")
        os.makedirs(folder + "/case0", exist_ok=True)
        for name in ("pdmodel", "pdiparams"):
            shutil.copy(f"{source}/inference.{name}", f"{folder}/model.{name}")
        image = np.load(source + "/case_poster_480x640/in_x.npy")
    subprocess.run([pir_translate, folder + "/model.pdmodel", "--to=json", "-o", folder + "/model.json"], check=True)
    rows = -(-height // image.shape[2])
    image = np.ascontiguousarray(np.concatenate([image] * rows, axis=2)[:, :, :height, :width])
    np.save(folder + "/case0/in_x.npy", image)
    config = pi.Config(folder + "/model.pdmodel", folder + "/model.pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.switch_ir_optim(False)
    config.disable_mkldnn()
    predictor = pi.create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(image)
    predictor.run()
    np.save(folder + "/case0/out_0.npy", predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu())
    open(folder + "/DONE", "w").close()


def to_onnx(folder):
    with tempfile.TemporaryDirectory() as there:
        with open(folder + "/model.json") as f:
            program = f.read().replace('"0.a_f64"', '"0.a_f32"')
        with open(there + "/model.json", "w") as f:
            f.write(program)
        shutil.copy(folder + "/model.pdiparams", there)
        command = [os.path.join(os.path.dirname(sys.executable), "paddle2onnx"), "--model_dir", there, "--model_filename",
                   "model.json", "--params_filename", "model.pdiparams", "--save_file", folder + "/model.onnx", "--opset_version", "17"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if not os.path.exists(folder + "/model.onnx"):
        sys.exit(f"models.py: paddle2onnx made nothing of {folder}: {done.stderr.decode(errors='replace')[-300:]}")


def samples(folder):
    """Inputs like those of case0: normal numbers, and its whole numbers in another order."""
    import numpy as np
    r = np.random.RandomState(1)
    given = {f[3:-4]: np.load(f"{folder}/case0/{f}") for f in sorted(os.listdir(folder + "/case0")) if f.startswith("in_")}
    return [{name: r.standard_normal(a.shape).astype(a.dtype) if a.dtype.kind == "f" else r.permutation(a.ravel()).reshape(a.shape)
             for name, a in given.items()} for _ in range(SAMPLES)]


def to_int8_onnx(folder):
    from onnxruntime.quantization import QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process
    rest = iter(samples(folder))
    reader = type("Reader", (), {"get_next": lambda self: next(rest, None)})()
    with tempfile.TemporaryDirectory() as there:
        quant_pre_process(folder + "/model.onnx", there + "/folded.onnx")
        quantize_static(there + "/folded.onnx", there + "/int8.onnx", reader, per_channel=True, activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8)
        shutil.move(there + "/int8.onnx", folder)


def to_int8(folder, pir_opt):
    import numpy as np
    with tempfile.TemporaryDirectory() as there:
        for i, sample in enumerate(samples(folder)):
            os.mkdir(f"{there}/{i}")
            for name, array in sample.items():
                np.save(f"{there}/{i}/in_{name}.npy", array)
        subprocess.run([pir_opt, folder + "/model.json", f"--params={folder}/model.pdiparams", f"--passes=fold,quantise{{data={there}}}",
                        "--emit=json", f"--params-out={folder}/int8.pdiparams", "-o", folder + "/int8.json", f"--report={folder}/int8.txt"],
                       check=True)


def to_ptq(folder):
    """In a child, because Paddle quantises old programs alone, and those only without PIR."""
    import paddle
    from paddle.static.quantization import PostTrainingQuantization
    paddle.enable_static()
    ptq = PostTrainingQuantization(
        paddle.static.Executor(paddle.CPUPlace()), folder, model_filename="model.pdmodel", params_filename="model.pdiparams",
        data_loader=lambda: iter(samples(folder)), batch_size=1, batch_nums=SAMPLES, algo="hist", onnx_format=True, optimize_model=True,
        quantizable_op_type=["conv2d", "depthwise_conv2d", "mul", "matmul_v2"])
    ptq.quantize()
    ptq.save_quantized_model(folder, model_filename="ptq.pdmodel", params_filename="ptq.pdiparams")


def paddle_ptq(folder):
    subprocess.run([sys.executable, __file__, "--ptq", folder], env=dict(os.environ, FLAGS_enable_pir_api="0"),
                   stdout=subprocess.DEVNULL, check=True)


def quantise(folder, pir_opt, wanted):
    """Makes the wanted programs of 8 bits that are missing; says which one cannot be made."""
    makers = {"int8.onnx": to_int8_onnx, "int8.json": lambda f: to_int8(f, pir_opt), "ptq.pdmodel": paddle_ptq}
    for name in sorted(wanted):
        if os.path.exists(f"{folder}/{name}"):
            continue
        try:
            makers[name](folder)
        except Exception as error:  # of whichever engine quantises
            print(f"models.py: {folder}/{name} is not made: {str(error)[-300:]}", file=sys.stderr)


def main():
    if sys.argv[1:2] == ["--ptq"]:
        return to_ptq(sys.argv[2])
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("names", nargs="*", default=ZOO + list(DETECTORS))
    ap.add_argument("--pir-translate", required=True)
    args = ap.parse_intermixed_args()
    for name in args.names or ZOO + list(DETECTORS):
        folder = os.path.join(args.dir, name)
        if not os.path.exists(folder + "/DONE"):
            print(f"models: making {name}", file=sys.stderr, flush=True)
            if name in DETECTORS:
                detector(folder, args.pir_translate, *DETECTORS[name])
            else:
                subprocess.run([sys.executable, HERE + "/zoo/make_zoo.py", "--no-variants", args.dir, name], check=True,
                               stdout=subprocess.DEVNULL)
        if not os.path.exists(folder + "/model.onnx"):
            to_onnx(folder)


if __name__ == "__main__":
    main()
