#!/usr/bin/env python3
"""Writes the sources of the site: the pages of the repository, and those that are made from tables, headers and declarations.

  pages.py BUILD OUT      BUILD: with tools and `make docs`

docs/README.md is the first page. The lists of the navigation are the links of its sections, in their order.
"""
import os
import pathlib
import re
import shutil
import sys

import header_pages
import op_pages
import pass_pages
import python_pages
import tool_pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages of the repository that are not below docs: where the site has them.
OTHERS = {"CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md", "python/README.md": "python.md", "bench/RESULTS.md": "results.md"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)]*)?\)")


def places():
    """Pages of the site by their paths in the repository."""
    pages = {str(p.relative_to(ROOT)): str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    pages["docs/README.md"] = "index.md"
    return {**pages, **OTHERS}


def rewritten(text, page, pages):
    """The text of a page with links between pages of the site; links to other files of the repository become code."""
    here, there = os.path.dirname(page), os.path.dirname(pages[page])

    def link(match):
        picture, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        if "://" in target or not target:
            return match[0]
        path = os.path.normpath(os.path.join(here, target))
        if picture:
            return f"![{words}]({os.path.relpath(path.removeprefix('docs/'), there)})"
        if path in pages:
            words = re.sub(r"^`?(?:docs/)?(?:[a-z]+/)*([\w-]+)\.md`?$", lambda m: title_of(path), words)
            return f"[{words}]({os.path.relpath(pages[path], there)}{anchor})"
        return f"`{path}`"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def title_of(path):
    return re.search(r"^# (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.M)[1]


def navigation(text, made):
    """Lists of pages for the side: the links of each section of the first page, then `made`, pages of the section that are generated."""
    out, seen = [], set()
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        entries = [m[3][:-3] for m in LINK.finditer(body) if m[3].endswith(".md") and "://" not in m[3]] + made.pop(title.strip(), [])
        entries = [e for e in dict.fromkeys(entries) if e not in seen]
        seen.update(entries)
        if entries:
            out.append(f"\n```{{toctree}}\n:hidden:\n:caption: {title.strip()}\n:maxdepth: 2\n\n" + "\n".join(entries) + "\n```\n")
    if made:
        raise SystemExit(f"docs/README.md has no section for {', '.join(made)}")
    return "".join(out)


def copied(out):
    """Writes the pages of the repository."""
    pages = places()
    for page, place in pages.items():
        target = out / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rewritten((ROOT / page).read_text(encoding="utf-8"), page, pages), encoding="utf-8")
    for picture in (ROOT / "docs").rglob("*.png"):
        target = out / picture.relative_to(ROOT / "docs")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, target)


def main():
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    copied(out)
    tool_pages.write(build, out / "reference/tools")
    pass_pages.write(build, out / "reference/passes.md")
    header_pages.write(out / "reference/c")
    python_pages.write(out / "reference/python.md")
    op_pages.write(build, out / "reference")
    index = out / "index.md"
    made = {"Reference": ["reference/tools/index", "reference/c/index", "reference/python"]}
    index.write_text(index.read_text() + navigation(index.read_text(), made))


if __name__ == "__main__":
    main()
