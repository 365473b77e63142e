#!/usr/bin/env python3
"""Checks the links of a built site: every page, picture, script and anchor that a page names exists, nothing is fetched from elsewhere, and
the search has every page.

  site_links.py HTML
"""
import html.parser
import pathlib
import sys
import urllib.parse

FETCHED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
NOT_FETCHED = {"canonical", "search", "index", "next", "prev", "author", "help"}


class Reader(html.parser.HTMLParser):
    """The ids of a page, what it links to, and what a browser fetches for it."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.fetched = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(v for k, v in attrs.items() if k in ("id", "name") and v)
        if tag == "a" and attrs.get("href"):
            self.links.append((attrs["href"], self.getpos()[0]))
        elif attrs.get(FETCHED.get(tag, "")) and attrs.get("rel") not in NOT_FETCHED:
            self.fetched.append((attrs[FETCHED[tag]], self.getpos()[0]))


def findings(root):
    pages = {p: Reader(p.read_text(encoding="utf-8")) for p in sorted(root.rglob("*.html"))}
    count, bad = 0, []
    for page, read in pages.items():
        here = page.relative_to(root)
        for address, line in read.fetched + read.links:
            url = urllib.parse.urlsplit(address)
            if url.scheme or url.netloc:
                if (address, line) in read.fetched and url.scheme != "data":
                    bad.append(f"{here}:{line}: fetches {address}")
                continue
            count += 1
            target = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
            if not target.is_file():
                bad.append(f"{here}:{line}: no page {address}")
            elif url.fragment and target in pages and urllib.parse.unquote(url.fragment) not in pages[target].ids:
                bad.append(f"{here}:{line}: no anchor {address}")
    for style in root.rglob("*.css"):
        text = style.read_text(encoding="utf-8", errors="replace")
        bad += [f"{style.relative_to(root)}: fetches from elsewhere" for mark in ("url(http", 'url("http', "@import") if mark in text and "://" in text[text.find(mark):][:200]]
    search = root / "searchindex.js"
    index = search.read_text(encoding="utf-8") if search.exists() else ""
    names = [str(p.relative_to(root).with_suffix("")) for p in pages if p.stem not in ("genindex", "search", "py-modindex")]
    bad += [f"{name}: not found by the search" for name in names if f'"{name}"' not in index]
    return len(pages), count, bad


def main():
    pages, count, bad = findings(pathlib.Path(sys.argv[1]).resolve())
    print("".join(f"FAIL {line}\n" for line in bad), end="")
    print(f"{pages} pages, {count} links, {len(bad)} findings")
    return bool(bad) or not pages


if __name__ == "__main__":
    sys.exit(main())
