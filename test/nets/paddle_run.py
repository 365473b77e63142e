"""Runs a saved program with Paddle: one thread, no graph passes, no oneDNN."""
import numpy as np
import paddle


def predict(program, params, feeds):
    """The outputs that Paddle Inference gives for each feed."""
    config = paddle.inference.Config(str(program), str(params))
    config.disable_gpu()
    config.disable_mkldnn()
    config.switch_ir_optim(False)
    config.set_cpu_math_library_num_threads(1)
    config.disable_glog_info()
    predictor = paddle.inference.create_predictor(config)
    results = []
    for feed in feeds:
        for name in predictor.get_input_names():
            handle = predictor.get_input_handle(name)
            handle.reshape(feed[name].shape)
            handle.copy_from_cpu(np.ascontiguousarray(feed[name]))
        predictor.run()
        results.append([predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()])
    return results


def execute(program, params, feeds):
    """Likewise by Paddle's executor."""
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        loaded, names, fetched = paddle.static.load_inference_model(
            str(program.parent), executor, model_filename=program.name, params_filename=params.name)
        return [executor.run(loaded, feed={name: feed[name] for name in names}, fetch_list=fetched) for feed in feeds]


def run(program, params, feeds):
    """By the predictor, or by the executor: the predictor does not load every program, and takes no complex inputs."""
    try:
        return predict(program, params, feeds)
    except (RuntimeError, TypeError):
        return execute(program, params, feeds)
