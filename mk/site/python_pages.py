"""The page of the Python package: its public names with their signatures and docstrings, read from the sources without running them."""
import ast
import pathlib
import re

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python/libpir"


def public():
    """Public names in the order of the package, with the syntax trees of what they name."""
    package = ast.parse((PACKAGE / "__init__.py").read_text())
    names = [c.value for n in ast.walk(package) if isinstance(n, (ast.Assign, ast.AugAssign)) and "__all__" in ast.unparse(n) for c in ast.walk(n) if isinstance(c, ast.Constant)]
    found = {}
    for module in sorted(PACKAGE.glob("*.py")):
        for node in ast.parse(module.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names:
                found[node.name] = node
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in names:
                found[node.targets[0].id] = node
    return {name: found[name] for name in names}


def text_of(doc):
    """A docstring as Markdown: characters that would be marks are escaped outside of code."""
    lines = [line.strip() for line in (doc or "").strip().split("\n")]
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>\[\]])", r"\\\1", part) for part in re.split(r"(`[^`]*`)", "\n".join(lines)))


def members(node):
    """(name, directive, signature, docstring) of what a class has."""
    for i, item in enumerate(node.body):
        if isinstance(item, ast.FunctionDef):
            if item.name.startswith("_") and item.name not in ("__init__", "__enter__", "__iter__", "__next__", "__len__", "__getitem__"):
                continue
            marks = [ast.unparse(d) for d in item.decorator_list]
            if any(m.endswith(".setter") for m in marks):
                continue
            arguments = re.sub(r"^(self|cls)(, /)?(, )?", "", ast.unparse(item.args))
            result = f" -> {ast.unparse(item.returns)}" if item.returns else ""
            doc = ast.get_docstring(item)
            if item.name.startswith("_") and not doc:
                continue
            if "property" in marks:
                yield item.name, "property", item.name, ([f":type: {ast.unparse(item.returns)}"] if item.returns else []), doc
            else:
                kind = "classmethod" if "classmethod" in marks else "staticmethod" if "staticmethod" in marks else "method"
                yield item.name, kind, f"{item.name}({arguments}){result}", [], doc
        elif isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_"):
            after = node.body[i + 1] if i + 1 < len(node.body) else None
            doc = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str) else None
            value = [f":value: {ast.unparse(item.value)}"] if item.value and len(ast.unparse(item.value)) < 60 else []
            yield item.target.id, "attribute", item.target.id, [f":type: {ast.unparse(item.annotation)}", *value], doc


def directive(kind, signature, options, text, nested=(), level=3):
    """A directive of Sphinx's Python domain; those nested have shorter fences."""
    fence = "`" * level
    return "\n".join([f"{fence}{{py:{kind}}} {signature}", *options, "", text, "", *nested, fence, ""])


def entry(name, node):
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(b) for b in node.bases if not ast.unparse(b).startswith("_")]
        doc = text_of(ast.get_docstring(node)) + (f"\n\nBases: {', '.join(f'`{b}`' for b in bases)}." if bases else "")
        inside = [directive(kind, signature, options, text_of(text)) for _, kind, signature, options, text in members(node)]
        return directive("class", name, [], doc, inside, 4)
    if isinstance(node, ast.FunctionDef):
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return directive("function", f"{name}({ast.unparse(node.args)}){result}", [], text_of(ast.get_docstring(node)))
    return directive("data", name, [], "")


def write(out):
    text = "# Python\n\nThe names of the package `libpir`; [the page about it](../python.md) has examples.\n\n```{py:module} libpir\n```\n\n"
    out.write_text(text + "\n".join(f"## {name}\n\n{entry(name, node)}" for name, node in public().items()))
