"""Placement rules (kind `spmd` of recorded.py), recordings dist/spmd/*.json and dist/dist/*/0_mix.pir.

  spmd ID         an answer of Paddle's registry of rules: a program of one op, whose operands lie as recorded (backward: its results),
                  goes through infer_spmd_pass; operands and results have to lie as recorded
  spmd mix/NAME   a program as Paddle built it: without op_dist_attr and distributed types it goes through the pass, and must come back

A dim that lies over several mesh dims is compared by the first, which is all that programs state.
"""
import json
import pathlib
import re
import subprocess
import tempfile

from recorded_deviations import digest

OPS = pathlib.Path(__file__).resolve().parents[2] / "dialects/pd_op/pd_op.ops"
REDUCTIONS = "SUM MAX MIN PRODUCT AVG ANY ALL".split()
# Names of rules that are no op, and an op that has the rule.
OTHER = {"elementwise_unary": "relu", "elementwise_binary": "maximum", "flash_attention": "flash_attn", "matmul_v2": "matmul",
         "reshape2": "reshape", "unsqueeze2": "unsqueeze", "transpose2": "transpose", "lookup_table_v2": "embedding",
         "reduce_max": "max", "reduce_sum": "sum", "elementwise_add": "add", "elementwise_div": "divide", "elementwise_mul": "multiply",
         "expand_as_v2": "expand_as", "fused_rms_norm": "rms_norm", "softmax_with_cross_entropy": "cross_entropy_with_softmax"}
GRADIENTS = "argsort bmm c_embedding index_put index_select mean_all roll strided_slice take_along_axis topk instance_norm".split()
REDUCE_BASE = "sum max min prod mean any all".split()
# What the rules of the registry are told, in its order; `-` is nothing that the op knows.
ARGS = {"matmul": "transpose_x transpose_y", "sum": "axis keepdim", "mean": "axis keepdim", "max": "axis keepdim", "min": "axis keepdim",
        "prod": "axis keepdim", "any": "axis keepdim", "all": "axis keepdim", "amax": "axis keepdim", "amin": "axis keepdim",
        "squared_l2_norm": "- -", "argsort": "axis descending stable", "c_embedding": "start_index vocab_size",
        "c_softmax_with_cross_entropy": "ignore_index rank nranks", "concat": "axis", "stack": "axis",
        "cross_entropy_with_softmax": "soft_label use_softmax numeric_stable_mode ignore_index axis", "embedding": "padding_idx sparse",
        "expand_as": "target_shape", "flash_attn": "dropout causal return_softmax is_test", "flatten": "start_axis stop_axis",
        "fused_gemm_epilogue": "trans_x trans_y", "fused_linear_param_grad_add": "multi_precision has_bias",
        "fused_rotary_position_embedding": "use_neox_rotary_style time_major rotary_emb_base", "gather": "axis",
        "index_put": "accumulate", "index_select": "axis", "instance_norm": "epsilon", "label_smooth": "epsilon",
        "layer_norm": "epsilon begin_norm_axis", "softmax": "axis", "log_softmax": "axis", "p_norm": "porder axis epsilon keepdim asvector",
        "reshape": "shape", "roll": "shifts axis", "scatter": "overwrite", "slice": "axes starts ends infer_flags decrease_axis",
        "split": "sections axis", "split_with_num": "num axis", "squeeze": "axis", "unsqueeze": "axis",
        "strided_slice": "axes starts ends strides", "take_along_axis": "axis", "put_along_axis": "axis", "tile": "repeat_times",
        "topk": "k axis largest sorted", "transpose": "perm", "triu": "diagonal", "tril": "diagonal", "cumsum": "axis flatten exclusive reverse",
        "argmax": "axis keepdims flatten dtype", "argmin": "axis keepdims flatten dtype", "unbind": "axis", "one_hot": "num_classes",
        "logsumexp": "axis keepdim reduce_all", "expand": "shape", "frobenius_norm": "axis keep_dim reduce_all", "pad": "paddings pad_value"}


# ---- signatures
def read_signatures(tools):
    """Of each op the names and types of its operands, attributes and results, by opsc."""
    with tempfile.NamedTemporaryFile() as f:
        subprocess.run([tools / "opsc", OPS, f"--list={f.name}"], check=True)
        rows = [line.split("\t") for line in pathlib.Path(f.name).read_text().splitlines()[1:]]
    part = re.compile(r"(\w+)([?*~!]*)(?::([^=]*))?(=.*)?$")
    return {row[0].removeprefix("pd_op."): [[m.groups() for m in map(part.match, column.split()) if m] for column in row[2:5]] for row in rows}


def is_attribute(kind):
    return bool(kind) and kind.startswith(("intarray", "scalar"))


# ---- a program of one op
def dtype_of(kind):
    kinds = kind.split("|") if kind else ["f32"]
    return "f32" if "f32" in kinds else kinds[0]


def type_of(case, tensor, dtype):
    dims = "".join(f"{d}x" for d in tensor["shape"])
    partial = "".join(f", partial({p},SUM)" for p in tensor["partial"])
    return (f"pd_dist.tensor<{dims}{dtype}, mesh_shape:{ints(case['mesh'])},process_ids:{ints(case['mesh_ids'])},"
            f"dims_mappings:{ints(tensor['dims_mapping'])}{partial}, placements:[]>")


def ints(values):
    return "[" + ",".join(map(str, values)) + "]"


class Program:
    """The text of a program that grows op by op."""

    def __init__(self):
        self.lines, self.values = [], 0

    def add(self, op, operands, attrs, types, results):
        names = [f"%{self.values + i}" for i in range(len(results))]
        self.values += len(results)
        body = ",".join(f"{k}:{v}" for k, v in sorted(attrs.items()))
        self.lines.append(f'    ({", ".join(names)}) = "{op}" ({", ".join(operands)}) {{{body}}} : ({", ".join(types)}) -> {", ".join(results)}')
        return names

    def data(self, case, tensor, dtype):
        long = {"f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool", "b": "bool"}.get(dtype, "float32")
        kind = type_of(case, tensor, "b" if dtype == "bool" else dtype)
        attrs = {"dtype": long, "name": f'"x{self.values}"', "place": "Place(undefined:0)", "shape": ints(tensor["shape"])}
        return self.add("pd_op.data", [], attrs, [], [kind])[0], kind

    def number(self, value, kind):
        if kind.startswith("intarray"):
            values = value if isinstance(value, list) else [value]
            result = f"tensor<{len(values)}xi64>"
            attrs = {"dtype": "int64", "place": "Place(cpu)", "value": ints(values)}
            return self.add("pd_op.full_int_array", [], attrs, [], [result])[0], result
        attrs = {"dtype": "int32", "place": "Place(cpu)", "shape": "[1]", "value": str(value)}
        return self.add("pd_op.full", [], attrs, [], ["tensor<1xi32>"])[0], "tensor<1xi32>"

    def text(self):
        return "{\n" + "\n".join(self.lines) + "\n}\n"


def written(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


DEFAULTS = {"bool": False, "i32": 0, "i64": 0, "f32": 0, "f64": 0, "str": "", "scalar": 0, "dtype": "float32"}


def attributes(args, attrs):
    """The attributes of the op: recorded, or any where the rule does not ask."""
    out = {}
    for name, _, kind, default in attrs:
        if name in args:
            value = args[name] if not (kind == "i64[]" or kind == "i32[]") or isinstance(args[name], list) else [args[name]]
            out[name] = written(value)
        elif kind == "dtype":
            out[name] = "float32" if name != "dtype" or default is None else "Undefined"
        elif kind == "place":
            out[name] = "Place(undefined:0)"
        elif default is None:
            out[name] = written([] if kind.endswith("[]") else DEFAULTS[kind])
    if any(name == "groups" for name, *_ in attrs):
        out["groups"] = "1"
    return out


def operands_of(program, case, tensors, signature, args):
    """The names and types of all operands."""
    names, types = [], []
    given = list(tensors)
    for name, marks, kind, default in signature:
        if is_attribute(kind):
            literal = args.get(name, json.loads(default[1:]) if default else 1)
            made = program.number(literal, kind)
        elif not given:
            made = "<<NULL VALUE>>", "<<NULL TYPE>>"
        else:
            tensor = given.pop(0)
            dtype = "i64" if name == "label" and args.get("soft_label") is False else dtype_of(kind)
            if isinstance(tensor, list):
                parts = [program.data(case, t, dtype) for t in tensor]
                kinds = [k for _, k in parts]
                vec = "vec[" + ",".join(kinds) + "]"
                made = program.add("builtin.combine", [n for n, _ in parts], {}, kinds, [vec])[0], vec
            elif is_absent(tensor) and "?" in marks:
                made = "<<NULL VALUE>>", "<<NULL TYPE>>"
            else:
                made = program.data(case, tensor, dtype)
        names.append(made[0])
        types.append(made[1])
    return names, types


def results_of(case, signature):
    types, given = [], list(case.get("outputs", []))
    given = given[0] if given and isinstance(given[0], list) else given
    recorded = case.get("result", {}).get("outputs", [])
    for i, (_, marks, kind, _) in enumerate(signature):
        dtype, forward = dtype_of(kind), case["direction"] == "forward"
        dtype = "b" if dtype == "bool" else dtype
        if "*" in marks:
            n = len(given) if not forward else len(recorded)
            kinds = [f"tensor<{dtype}>" if forward else type_of(case, given[k], dtype) for k in range(n)]
            types.append("vec[" + ",".join(kinds) + "]")
        elif not forward and i < len(given) and (given[i]["shape"] or i == 0):
            types.append(type_of(case, given[i], dtype))
        elif "?" in marks and i < len(recorded) and not recorded[i]["dims_mapping"]:
            types.append("<<NULL TYPE>>")
        else:
            types.append(f"tensor<{dtype}>")
    return types


def is_gradient(case):
    """The registry has the rule of the gradient in the place of a backward rule."""
    return case["direction"] != "forward" and case["rule"] in GRADIENTS


def op_of(case):
    rule = case["rule"]
    if is_gradient(case):
        return rule + "_grad", case["attrs"]
    if rule == "reduce_base":
        return REDUCE_BASE[case["attrs"][2]], case["attrs"][:2]
    return OTHER.get(rule, rule), case["attrs"]


def forms(case):
    return "forward" if is_gradient(case) else case["direction"]


def add_case(program, case, signatures):
    op, attrs = op_of(case)
    operands, declared, results = signatures[op]
    names = ARGS.get(op.removesuffix("_grad"), "").split()
    tensors = case["inputs"]
    if is_gradient(case):
        case = dict(case, direction="forward")
        tensors = tensors + case.pop("outputs")
    args = dict(zip(names, attrs))
    if op == "rms_norm":
        args["normalized_shape"] = case["inputs"][0]["shape"][-1:]
    values, types = operands_of(program, case, tensors, operands, args)
    program.add(f"pd_op.{op}", values, attributes(args, declared), types, results_of(case, results))


# ---- answers
ENTRY = re.compile(r"(operand|result)\(\d+\):\{(.*?)\}")
ONE = re.compile(r"dims_mappings:\[([-\d,]*)\]((?:, ?partial\(\d+,\w+\))*)")


def read_answer(line):
    """The mapping and partial state of every operand and result that a line of text states."""
    sides = {"operand": [], "result": []}
    for side, text in ENTRY.findall(line):
        ones = [(tuple(int(d) for d in m.split(",") if d), tuple(sorted((int(d), r) for d, r in re.findall(r"\((\d+),(\w+)\)", p))))
                for m, p in ONE.findall(text)]
        sides[side].append(ones if text.startswith("[") else ones[0])
    return sides["operand"], sides["result"]


def wanted(tensor):
    if isinstance(tensor, list):
        return [wanted(t) for t in tensor]
    kinds = dict(re.findall(r"dims:(\d+), (\w+)", tensor.get("partial_text", "")))
    return tuple(tensor["dims_mapping"]), tuple(sorted((d, kinds.get(str(d), "SUM")) for d in tensor["partial"]))


def shown(tensor):
    if isinstance(tensor, list):
        return "[" + " ".join(map(shown, tensor)) + "]"
    return ints(tensor[0]) + "".join(f" {r}({d})" for d, r in tensor[1])


def is_absent(tensor):
    """The registry has a tensor without dims where an optional operand is left out."""
    return isinstance(tensor, dict) and not tensor["shape"]


def differences(case, line):
    operands, results = read_answer(line)
    if len(results) == 1 and isinstance(results[0], list):
        results = results[0]  # the registry gives the members of a list as results
    out = []
    for side, ours, theirs in (("operand", operands, case["result"]["inputs"]), ("result", results, case["result"]["outputs"])):
        for i, tensor in enumerate(theirs):
            given = case["inputs"] if side == "operand" else case.get("outputs", [])
            if not is_gradient(case) and i < len(given) and i and is_absent(given[i]):
                continue
            want = wanted(tensor)
            have = ours[i] if i < len(ours) else None
            if have != want:
                out.append(f"{side} {i} lies {shown(have) if have is not None else 'nowhere'}, recorded {shown(want)}")
    return "; ".join(out)


class Rule:
    """The cases of one file: those with an answer of one direction in one program."""

    def __init__(self, run, tools, cases, signatures):
        self.run, self.tools, self.cases, self.signatures, self.lines = run, tools, cases, signatures, None

    def ask(self, cases, direction):
        program = Program()
        for case in cases:
            add_case(program, case, self.signatures)
        with tempfile.NamedTemporaryFile("w", suffix=".pir") as f:
            f.write(program.text())
            f.flush()
            passes = "infer,spmd{wide=true" + (",backward=true}" if direction != "forward" else "}")
            code, out, err = self.run([self.tools / "pir-opt", f"--passes={passes}", f.name])
        if code:
            return None, err.splitlines()[0].partition("error: ")[2]
        return [l for l in out.decode().splitlines() if "op_dist_attr" in l], ""

    def answer(self, case):
        if self.lines is None:
            self.lines = {}
            for direction in ("forward", "backward"):
                cases = [c for c in self.cases if forms(c) == direction and "result" in c]
                lines, _ = self.ask(cases, direction) if cases else ([], "")
                for c, line in zip(cases, lines or []):
                    self.lines[c["id"]] = line
        if case["id"] in self.lines:
            return self.lines[case["id"]], ""
        lines, why = self.ask([case], forms(case))
        return (lines[-1] if lines else None), why


def rule_job(rule, case):
    name = f"spmd {case['id']}"
    op, _ = op_of(case)
    if op not in rule.signatures:
        return name, "skip", "a rule of no operator"
    line, why = rule.answer(case)
    if "error" in case:
        return name, ("pass" if line is None else "fail"), "" if line is None else f"answered; Paddle: {case['error'].strip()}"
    if line is None:
        return name, "fail", f"refused: {why}"
    differ = differences(case, line)
    return name, "fail" if differ else "pass", differ


# ---- programs
PLACED = re.compile(r"pd_dist\.tensor<((?:-?\d+x)*\w+), mesh_shape[^>]*>")


def without_attribute(line, name):
    start = line.find(name + ":")
    if start < 0:
        return line
    depth, end = 0, start
    while True:
        depth += {"{": 1, "}": -1}.get(line[end], 0)
        end += 1
        if line[end - 1] == "}" and not depth:
            break
    if line[end] == ",":
        return line[:start] + line[end + 1:]
    return line[:start - (line[start - 1] == ",")] + line[end:]


def without_placement(text):
    """The text without what the pass adds: only ops of dist_op say how tensors lie."""
    lines = []
    for line in text.splitlines(keepends=True):
        if '"dist_op.' not in line:
            line = without_attribute(line, "op_dist_attr")
        elif "op_dist_attr" not in line:  # its type says so
            head, arrow, types = line.rpartition(" -> ")
            lines += [PLACED.sub(r"tensor<\1>", head), arrow, types]
            continue
        lines.append(PLACED.sub(r"tensor<\1>", line))
    return "".join(lines)


def mix_job(run, tools, name, path):
    text = path.read_text()
    with tempfile.NamedTemporaryFile("w", suffix=".pir") as f:
        f.write(without_placement(text))
        f.flush()
        code, out, err = run([tools / "pir-opt", "--passes=spmd", f.name])
    if code:
        return name, "skip" if code == 3 else "fail", err.splitlines()[0].partition("error: ")[2]
    same = out.decode() == text
    return name, "pass" if same else "fail", "" if same else f"placed otherwise [{digest(out)}]"


def spmd_jobs(run):
    def jobs(tools, root):
        signatures = read_signatures(tools)
        for path in sorted((root / "dist/spmd").glob("*.json")):
            rule = Rule(run, tools, json.loads(path.read_text()), signatures)
            for case in rule.cases:
                yield f"spmd {case['id']}", lambda r=rule, c=case: rule_job(r, c)
        for path in sorted((root / "dist/dist").glob("*/0_mix.pir")):
            name = f"spmd mix/{path.parent.name}"
            yield name, lambda n=name, p=path: mix_job(run, tools, n, p)
    return jobs
