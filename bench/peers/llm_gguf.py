"""Language models for llama.cpp, as GGUF files of F32, BF16, Q8_0 or Q4_0 weights. Rows of queries and keys are permuted, because it rotates
neighbours where the programs rotate halves. The file names no vocabulary but its size."""
import gguf
import numpy as np

KINDS = {"f32": gguf.GGMLQuantizationType.F32, "bf16": gguf.GGMLQuantizationType.BF16, "int8": gguf.GGMLQuantizationType.Q8_0,
         "int4": gguf.GGMLQuantizationType.Q4_0}
NAMES = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
         "norm_1": "attn_norm", "norm_2": "ffn_norm"}


def name_of(name):
    if name.startswith("layer_"):
        layer, _, part = name[len("layer_"):].partition(".")
        return f"blk.{layer}.{NAMES[part]}.weight", part
    return {"embedding": "token_embd", "norm": "output_norm", "head": "output"}[name] + ".weight", name


def tensor_of(weights, name, part):
    array = weights.values[name]
    if array.ndim == 1 or part == "embedding":
        return array
    if part in ("q", "k"):
        array = array.reshape(array.shape[0], -1, 2, weights.size.width // 2).swapaxes(2, 3).reshape(array.shape)
    return np.ascontiguousarray(array.T)


def write(weights, kind, path):
    size, out = weights.size, gguf.GGUFWriter(path, "llama", use_temp_file=True)
    out.add_context_length(2048)
    out.add_embedding_length(size.hidden)
    out.add_block_count(size.layers)
    out.add_feed_forward_length(size.ffn)
    out.add_head_count(size.heads)
    out.add_head_count_kv(size.kv_heads)
    out.add_layer_norm_rms_eps(size.eps)
    out.add_rope_freq_base(size.theta)
    out.add_rope_dimension_count(size.width)
    out.add_vocab_size(size.vocab)
    out.add_tokenizer_model("no_vocab")
    shapes = size.parameters()
    for name in shapes:
        target, part = name_of(name)
        q = KINDS[kind] if len(shapes[name]) == 2 else KINDS["f32"]
        shape = shapes[name] if part == "embedding" or len(shapes[name]) == 1 else shapes[name][::-1]
        if q == KINDS["f32"]:
            out.add_tensor_info(target, shape, np.dtype("float32"), 4 * int(np.prod(shape)))
        else:
            bytes_of = gguf.quant_shape_to_byte_shape(shape, q)
            out.add_tensor_info(target, bytes_of, np.dtype("uint8"), int(np.prod(bytes_of)), raw_dtype=q)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_ti_data_to_file()
    for name in shapes:
        array = tensor_of(weights, name, name_of(name)[1])
        exact = array.ndim == 1 or kind == "f32"
        out.write_tensor_data(np.array(array) if exact else gguf.quants.quantize(array, KINDS[kind]))
    out.close()
