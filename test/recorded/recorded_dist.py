"""Distributed programs (kind `dist` of recorded.py), recordings below dist/.

  text   every program's text through typed text and JSON and back, to the byte, but for what JSON does not hold; Paddle's JSON gives
         Paddle's text, likewise, and itself back but for the version of the format and the place of op_role; every type of types.txt
"""
import re

from recorded_formats import Batch, Chain, job, same, through_json

VERSION = re.compile(rb'"version":\d+')
# JSON holds these of ops that Paddle does not describe alone.
UNHELD = re.compile(rb'([{,])(?:chunk_id:-?\d+|execution_stream:"\w*"|replace_all_uses_with_reshard_var:true)(,?)')
# Of undescribed ops: behind or in front of other attributes, by the passes that the program went through.
ROLE = re.compile(rb'ITEM,|,ITEM|ITEM'.replace(b"ITEM", rb'\{"AT":\{"#":"0.a_i32","D":\d\},"N":"op_role"\}'))
BATCH = 50  # texts that one process reads


def held(text):
    """The text without what JSON does not hold."""
    while True:
        shorter = UNHELD.sub(lambda m: b"{" if m[1] == b"{" else m[2], text)
        if shorter == text:
            return text
        text = shorter


def comparable(json):
    return ROLE.sub(b"", VERSION.sub(b"", json.strip(), count=1))


def json_steps(chain, path):
    same(comparable(chain.file(path, "json")), comparable(path.read_bytes()), "JSON")
    text = path.with_suffix(".pir")
    if not text.exists():
        return ""
    made, want = chain.file(path, "text"), text.read_bytes()
    if made == want:
        return ""
    same(held(made), held(want), "text")
    return "attributes that JSON does not hold"


def program_steps(chain, batch, path):
    if batch.holds(path):
        return ""
    text = path.read_bytes()
    same(chain.file(path, "text"), text, "text")
    typed, json = chain.file(path, "typed"), chain.file(path, "json")
    same(chain.text(typed, "text"), text, "text through typed")
    same(chain.text(typed, "json"), json, "JSON of typed")
    same(held(chain.text(json, "text")), held(text), "text through JSON")
    return "attributes that JSON does not hold"


def type_steps(chain, path):
    """Each type is the result of an op."""
    types = path.read_text().splitlines()
    ops = "".join(f'    (%{i}) = "test.made" () {{}} : () -> {t}\n' for i, t in enumerate(types))
    text = ("{\n" + ops + "}\n").encode()
    same(chain.text(text, "text"), text, "text")
    same(chain.text(chain.text(text, "typed"), "text"), text, "text through typed")
    return through_json(chain, text, "text", chain.text(text, "json"))


def format_jobs(run, tools, root):
    chain = Chain(run, tools, "--unverified")
    texts = sorted(root.rglob("*.pir"))
    for i, path in enumerate(texts):
        if i % BATCH == 0:
            batch = Batch(run, tools, texts[i:i + BATCH])
        name, steps = job(f"dist text {path.relative_to(root)}", program_steps, chain, batch, path)
        yield name, steps, batch
    for path in sorted(root.rglob("*.json")):
        if ".meta." not in path.name and path.name != "index.json" and "spmd" not in path.parts:
            yield job(f"dist json {path.relative_to(root)}", json_steps, chain, path)
    if (root / "types.txt").exists():
        yield job("dist types", type_steps, chain, root / "types.txt")


def dist_jobs(run):
    def jobs(tools, root):
        yield from format_jobs(run, tools, root / "dist")
    return jobs
