"""Symbolic shapes against recordings (passes/shape): what shape_analysis writes agrees with what Paddle derived.

The rule. Operations are met by their place, results by number, extents and elements in order. Paddle's symbols stand for
expressions of ours: one that is new stands for whatever ours says there, from then on. An expression of known symbols must
be the same function as ours: both are evaluated for random values of our symbols (operands of one Broadcast are 1 or a
common value), 16 times. So ours may say more (an equality, a number or contents where Paddle has a new symbol or NULL, and
such results are counted), never less and never something else: a symbol of ours that is new where Paddle's expression is
known has other values. What ours says of a stated result that is a number must be the stated one.
"""
import json
import random
import re

from recorded_deviations import last_line

SAMPLES, TRIES = 16, 400
TOKEN = re.compile(r"\s*(S\d+|-?\d+|\w+\(|[(),?])")
OP = re.compile(r'\s*\([^()"]*\) = "')


class Differs(Exception):
    pass


# ---- text
def parse(text):
    """A list of expressions: numbers, "S3", or (name, operands)."""
    tokens, stack = TOKEN.findall(text), [(None, [])]
    for token in tokens:
        if token.endswith("(") and len(token) > 1:
            stack.append((token[:-1], []))
        elif token == ")":
            name, operands = stack.pop()
            stack[-1][1].append((name, operands))
        elif token != ",":
            stack[-1][1].append(int(token) if token.lstrip("-").isdigit() else token)
    return stack[0][1]


def tensors(text):
    """The tensors of a result: (extents, elements or None) each; None when nothing is said."""
    if text is None or not text.startswith("shape["):
        return None
    pairs = re.findall(r"shape\[([^]]*)\], data\[([^]]*)\]", text)
    return [(parse(s), None if d == "NULL" else parse(d)) for s, d in pairs]


def groups(text):
    """The texts in parentheses on the outermost level."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "(" and depth == 1:
            start = i + 1
        if c == ")" and depth == 0:
            out.append(text[start:i])
    return out


def printed(text):
    """What follows every operation, in order: (texts of the results, stated extents)."""
    found, waiting = [], []
    for line in text.splitlines():
        starts, tail = OP.match(line), re.search(r" \{ (\(.*\))? ?\}\s*$", line)
        if starts:
            types = line[:tail.start() if tail else None].rpartition(" -> ")[2]
            found.append(([], [list(map(int, m.split("x")[:-1])) for m in re.findall(r"tensor<([^<>]*)>", types)]))
        if starts and not tail:
            waiting.append(len(found) - 1)
        if tail and (starts or line.strip().startswith("}")):
            at = len(found) - 1 if starts else waiting.pop()
            found[at] = groups(tail.group(1) or ""), found[at][1]
    return found


# ---- comparison
def symbols_in(e, out):
    if isinstance(e, tuple):
        for operand in e[1]:
            symbols_in(operand, out)
    elif isinstance(e, str):
        out.add(e)
    return out


def substitute(e, known):
    if isinstance(e, tuple):
        return e[0], [substitute(operand, known) for operand in e[1]]
    return known.get(e, e) if isinstance(e, str) else e


def broadcast_groups(e, out):
    if not isinstance(e, tuple):
        return
    if e[0] == "Broadcast":
        mine = symbols_in(e, set())
        for other in [g for g in out if g & mine]:
            out.remove(other)
            mine |= other
        out.append(mine)
    for operand in e[1]:
        broadcast_groups(operand, out)


def value(e, env):
    """Raises ZeroDivisionError or KeyError (an operand that does not broadcast, a symbol that is not known)."""
    if isinstance(e, int):
        return e
    if isinstance(e, str):
        return env[e]
    v = [value(operand, env) for operand in e[1]]
    name, result = e[0], v[0]
    if name == "Broadcast":
        longer = {x for x in v if x != 1}
        if len(longer) > 1:
            raise KeyError("broadcast")
        return longer.pop() if longer else 1
    for x in v[1:]:
        result = {"Add": lambda a, b: a + b, "Mul": lambda a, b: a * b, "Div": lambda a, b: a // b, "Mod": lambda a, b: a % b,
                  "CeilDiv": lambda a, b: -(-a // b), "Min": min, "Max": max}[name](result, x)
    return result


def equal(a, b):
    """Whether two expressions over our symbols are one function."""
    if a == b:
        return True
    names = sorted(symbols_in(a, set()) | symbols_in(b, set()))
    if "?" in names:
        return False
    together = []
    broadcast_groups(a, together)
    broadcast_groups(b, together)
    draw, valid = random.Random(1), 0
    for _ in range(TRIES):
        env = {n: draw.randrange(24, 200) for n in names}
        for group in together:
            common = draw.randrange(24, 200)
            env.update({n: draw.choice((1, common)) for n in sorted(group)})
        try:
            if value(a, env) != value(b, env):
                return False
            valid += 1
        except (KeyError, ZeroDivisionError):
            continue
        if valid == SAMPLES:
            return True
    return False


def bind(their, our, known):
    """Gives new symbols inside an expression the part of ours in the same place."""
    if isinstance(their, str) and their not in known:
        known[their] = our
    elif isinstance(their, tuple) and isinstance(our, tuple) and their[0] == our[0] and len(their[1]) == len(our[1]):
        for t, o in zip(their[1], our[1]):
            bind(t, o, known)


def agree(their, our, known, where):
    """Whether ours says more."""
    if isinstance(their, str) and their not in known:
        more = not isinstance(our, str) or our in known.values()
        known[their] = our
        return more
    bind(their, our, known)
    if not equal(substitute(their, known), our):
        raise Differs(f"{where}: ours {show(our)}, Paddle's {show(their)}")
    return False


def show(e):
    return f"{e[0]}({', '.join(map(show, e[1]))})" if isinstance(e, tuple) else str(e)


def compare_tensor(their, our, stated, known, where):
    """Whether ours says more."""
    (shape, data), (our_shape, our_data) = their, our
    if len(shape) != len(our_shape):
        raise Differs(f"{where}: ours has rank {len(our_shape)}, Paddle's {len(shape)}")
    if data is not None and (our_data is None or len(our_data) != len(data)):
        raise Differs(f"{where}: ours has no contents, Paddle's are {', '.join(map(show, data))}")
    if any(isinstance(o, int) and s >= 0 and o != s for o, s in zip(our_shape, stated)):
        raise Differs(f"{where}: ours {', '.join(map(show, our_shape))}, the type says {stated}")
    pairs = list(zip(shape, our_shape)) + list(zip(data or [], our_data or []))
    return any([agree(t, o, known, where) for t, o in pairs]) or (data is None and our_data is not None)


def compare_result(theirs, ours, stated, known, where):
    """How many tensors of a result say more than Paddle's."""
    want, got = tensors(theirs), tensors(ours)
    if want is None and not theirs.startswith("TensorArray"):
        return 0
    if want is None or got is None or len(got) != len(want):
        raise Differs(f"{where}: ours {ours}, Paddle's {theirs}")
    return sum(compare_tensor(w, g, stated if len(got) == 1 else [], known, where) for w, g in zip(want, got))


def compare(places, theirs, ours):
    """How many tensors say more than Paddle's, and what differs."""
    known, more, wrong = {}, 0, []
    if len(theirs) != len(ours):
        return 0, [f"{len(ours)} operations, Paddle has {len(theirs)}"]
    for (place, op), (wanted, _), (found, stated) in zip(places, theirs, ours):
        for r, text in enumerate(wanted):
            where, said = f"{op} at {'.'.join(map(str, place))} result {r}", found[r] if r < len(found) else "nothing"
            try:
                more += compare_result(text, said, stated[r] if len(stated) == len(wanted) else [], known, where)
            except Differs as e:
                wrong.append(str(e))
    return more, wrong


def shape_jobs(run):
    def jobs(tools, root):
        for symbols in sorted((root / "passes/shape").glob("*/*/symbols.json")):
            folder = symbols.parent
            name = f"shape {folder.parent.name}/{folder.name}"
            yield name, lambda n=name, f=folder: shape_job(run, tools, n, f)
    return jobs


def recorded(folder):
    """Places, and texts of the results: all of them where Paddle printed them, else the first of every operation."""
    symbols = json.loads((folder / "symbols.json").read_text())
    places = [(s["at"], s["op"]) for s in symbols]
    shaped = folder / "shaped.pir"
    theirs = printed(shaped.read_text()) if shaped.exists() else []
    return places, theirs if len(theirs) == len(places) else [([s["sym"]] if s["sym"] else [], []) for s in symbols]


def shape_job(run, tools, name, folder):
    code, out, err = run([tools / "pir-opt", "--passes=shape_analysis", folder / "before.pir"])
    if code:
        return name, "skip" if code == 3 else "fail", f"exit code {code}: {last_line(err)}"
    more, wrong = compare(*recorded(folder), printed(out.decode()))
    if wrong:
        return name, "fail", "; ".join(wrong)
    return name, "pass", "some results say more than Paddle's" if more else ""
