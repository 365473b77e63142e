"""Configuration of the site (`make site`): Sphinx with MyST, the theme furo, and Breathe over Doxygen's XML of the headers.

mk/site/pages.py writes the sources: these pages, and those that are made from tables, headers and declarations. BUILD/site/xml is Doxygen's.
"""
import gc
import os
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.osutil import relative_uri

project = "libpir"
author = "the authors of libpir"
copyright = "Apache License 2.0"
release = version = os.environ.get("PIR_VERSION", "")
extensions = ["myst_parser", "breathe"]
root_doc = "index"
html_theme = "furo"
html_title = f"libpir {release}"
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_theme_options = {"navigation_with_keys": True}
myst_heading_anchors = 4
breathe_projects = {"libpir": os.environ.get("PIR_XML", "xml")}
breathe_default_project = "libpir"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
highlight_language = "text"
# Languages of blocks that Pygments does not have.
suppress_warnings = ["misc.highlighting_failure"]
PAGE = re.compile(r"\b(?:docs/)?((?:[a-z-]+/)*[\w.-]+)\.md(#[\w-]+)?")


class Mentions(SphinxPostTransform):
    """Makes links of pages that comments and docstrings mention: docs/explain/execution.md#threads."""

    default_priority = 400

    def run(self, **kwargs):
        for node in list(self.document.findall(nodes.Text)):
            if "docs/" not in node or any(isinstance(p, (nodes.reference, nodes.literal_block, nodes.title)) for p in ancestors(node)):
                continue
            parts, end, text = [], 0, str(node)
            for match in PAGE.finditer(text):
                target = match[1]
                if not match[0].startswith("docs/") or target not in self.env.found_docs:
                    continue
                uri = relative_uri(self.app.builder.get_target_uri(self.env.docname), self.app.builder.get_target_uri(target)) + (match[2] or "")
                title = self.env.titles[target].astext()
                parts += [nodes.Text(text[end:match.start()]), nodes.reference("", title, internal=True, refuri=uri)]
                end = match.end()
            if parts:
                node.parent.replace(node, parts + [nodes.Text(text[end:])])


def ancestors(node):
    while node.parent is not None:
        node = node.parent
        yield node


def only_titles(app, env):
    """Leaves headings of generated pages out of the navigation: there are thousands, and it is written into every page."""
    for name, toc in env.tocs.items():
        if name.startswith(("reference/operators/", "reference/c/", "reference/tools/", "reference/passes", "reference/python")):
            for item in list(toc.children):
                item.children = [child for child in item.children if not isinstance(child, nodes.bullet_list) or
                                 any(isinstance(n, addnodes.toctree) for n in child.findall())]
    return []


def setup(app):
    gc.set_threshold(1000000)  # documents are trees of many objects, none of which is garbage
    app.connect("env-updated", only_titles)
    app.add_post_transform(Mentions)
    for name in ("pir", "loops", "drr", "ops"):
        app.add_lexer(name, PlainLexer)


def PlainLexer(**options):
    from pygments.lexers.special import TextLexer
    return TextLexer(**options)
