#!/usr/bin/env python3
"""Runs the blocks of the documentation, each page in a folder of its own, and ends with `N passed, N failed, N skipped`.

  blocks.py [--whole REPOSITORY] [--times FILE] [--keep DIR] [--update] PAGE...

A block is fenced; its first word says what becomes of it, and the second may name the file that it is kept as:

  text            nothing: grammars, sketches, commands of which the page shows an outline
  console         `$ command` lines, each followed by what it prints, both streams; `> ` goes on with a command. In the output `...`
                  stands for any characters of a line, and a line of it for any lines. `console once` is skipped but with --whole
  c, c++, python, drr, ops
                  a file, if it has a name, which a command of the page must use. Without one it is checked alone: C is compiled, within a function
                  after the text of a comment `<!-- before: .. -->` above it; Python is run; rules and operators are read
  pir, json       a program, which is read, verified and printed, with the options after its name; of the name `broken..` it is refused
  loops           loop IR: verified, and printed again with the same bytes; of the name `broken` it is refused

An indented block or another first word fails. The folder of a page has `digits`, the model of the tutorial, and `libpir`, a link to the
sources. The pages of a tutorial continue each other in one folder, in the order of their names; as many folders as there
are processors run side by side. With --whole the folder is empty, pages run alone, REPOSITORY stands for ADDRESS in their commands, and --times writes
how long each of them took. --update writes what commands print into pages that show something else.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^<!-- before: (?P<before>.*?) -->\n)?^```(?P<words>[^\n`]*)\n(?P<body>.*?)^```$", re.M | re.S)
SUFFIX = {"c": ".c", "c++": ".cc", "python": ".py", "drr": ".drr", "ops": ".ops"}
HEADERS = ["base.h", "engine/model.h", "engine/compiled.h", "engine/custom.h", "engine/generation.h", "compiler/load.h", "compiler/pass_library.h"]
SECONDS = float(os.environ.get("BLOCKS_SECONDS", "600"))  # of a command


class Shell:
    """A bash whose folder and variables last from one command to the next."""

    def __init__(self, folder, environment):
        self.folder, self.environment, self.state = folder, environment, tempfile.TemporaryDirectory(prefix="blocks.")

    def run(self, command):
        """Exit status and output of a command."""
        env, cwd = os.path.join(self.state.name, "env"), os.path.join(self.state.name, "cwd")
        script = f'[ ! -f {env} ] || . {env}; [ ! -f {cwd} ] || cd "$(cat {cwd})"; trap "export -p >{env}; pwd >{cwd}" EXIT\n{command}\n'
        with subprocess.Popen(["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as child:
            try:
                out, late = child.communicate(timeout=SECONDS)[0], ""
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)  # its children too, which hold the pipe
                out, late = child.communicate()[0], f"took longer than {SECONDS} s\n"
            # A busy machine is not measured, and says so; no page is about that.
            told = re.sub(r"^.*: note: the processor was not measured: .*\n", "", out.decode(errors="replace"), flags=re.M)
            return child.returncode, told + late


def matches(want, got):
    """Whether output is as a page shows it."""
    lines = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*?") + r"[ \t]*\n"
             for line in want.strip("\n").split("\n")]
    return re.fullmatch("".join(lines), got.strip("\n") + "\n") is not None if want.strip() else not got.strip()


def commands(body):
    """Pairs of a command and what it prints."""
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        lines = part.split("\n")
        count = 1
        while count < len(lines) and lines[count].startswith("> "):
            count += 1
        yield "\n".join([lines[0]] + [line[2:] for line in lines[1:count]]), "\n".join(lines[count:])


class Page:
    """One page and the folder that its blocks run in."""

    def __init__(self, path, shell, options):
        self.path, self.text, self.shell, self.options = path, path.read_text(encoding="utf-8"), shell, options
        self.failures, self.ran, self.times, self.named, self.changes = [], 0, [], {}, []

    def fail(self, place, text):
        self.failures.append(f"FAIL {self.path}:{self.text.count(chr(10), 0, place) + 1}: {text}")

    def check_layout(self):
        """Every block is fenced."""
        fenced, before, place = False, "", 0
        for line in self.text.split("\n"):
            fenced ^= line.startswith("```")
            if not fenced and line.startswith("    ") and not before.strip() and line.strip():
                self.fail(place, f"a block that is not fenced: {line.strip()[:60]}")
            before, place = line, place + len(line) + 1

    def console(self, body, place):
        """Runs commands. With --update the page gets what they print where it shows something else."""
        printed = ""
        for written, want in commands(body):
            command = written.replace("ADDRESS", str(self.options.whole))
            for name in self.named:
                self.named[name] |= name in command
            started = time.monotonic()
            status, got = self.shell.run(command)
            self.times.append((time.monotonic() - started, command))
            if status == -signal.SIGKILL:
                self.fail(place, f"$ {command}\n{got}")
                return
            shown = want if matches(want, got) else "".join(f"{line.rstrip()}\n" for line in got.strip("\n").split("\n"))
            printed += "$ " + written.replace("\n", "\n> ") + "\n" + shown
            if shown != want and not self.options.update:
                self.fail(place, f"$ {command}\n{got}")
                return
        if self.options.update and printed != body:
            self.changes.append((place, len(body), printed))

    def quiet(self, place, command, accepted=(0,)):
        """Runs a command; returns its output, or None where it fails."""
        status, out = self.shell.run(command)
        if status in accepted:
            return out
        self.fail(place, f"exit code {status} of {command}\n{out}")
        return None

    def file(self, kind, name):
        return pathlib.Path(self.shell.folder) / (name or f"block_{len(self.times)}_{self.ran}{SUFFIX.get(kind, '.' + kind)}")

    def source(self, kind, name, body, before, place):
        file = self.file(kind, name)
        if name:
            self.named[name] = False
        elif kind in ("c", "c++"):
            lines = body.split("\n")
            heads = [line for line in lines if line.startswith("#")]
            rest = "\n".join(line for line in lines if not line.startswith("#"))
            body = "\n".join([*(f"#include <pir/{h}>" for h in HEADERS), *heads, f"void block(void);\nvoid block(void) {{\n{before or ''}\n{rest}\n}}\n"])
        file.write_text(body)
        if name:
            return
        compiler = "cc -std=c11" if kind == "c" else "c++ -std=c++20"
        self.quiet(place, {"python": f"python3 {file}", "drr": f"echo '{{\n}}' | pir-opt - --rules={file}", "ops": f"echo '{{\n}}' | pir-opt - --ops={file}"}.get(
            kind, f"{compiler} -fsyntax-only -Wno-unused {file} $(pkg-config --cflags pir)"))

    def program(self, kind, name, arguments, body, place):
        file = self.file(kind, name)
        file.write_text(body)
        broken = bool(name) and name.startswith("broken")
        how = {"loops": " --emit=loops", "json": " --emit=json"}.get(kind, "") + "".join(f" {a}" for a in arguments)
        if name and name.startswith("older"):
            how += " --pipeline=none"  # brought to the form of today
        out = self.quiet(place, f"pir-opt {file}{how}", (1,) if broken else (0,))
        if broken or out is None:
            return
        if kind == "loops" and out != body or kind == "json" and json.loads(out) != json.loads(body) or \
                kind == "pir" and not out.startswith(("{", "program")):
            self.fail(place, f"printed otherwise:\n{out}")

    def run(self):
        self.check_layout()
        for block in BLOCK.finditer(self.text):
            words, place = block["words"].split() or [""], block.start("body")
            kind, name = words[0], words[1] if len(words) > 1 else None
            if kind == "text" or (kind == "console" and name == "once" and not self.options.whole):
                for known in self.named:  # a file of commands that run elsewhere
                    self.named[known] |= known in block["body"]
                continue
            self.ran += 1
            if kind == "console":
                self.console(block["body"], place)
            elif kind in SUFFIX:
                self.source(kind, name, block["body"], block["before"], place)
            elif kind in ("pir", "json", "loops"):
                self.program(kind, name, words[2:], block["body"], place)
            else:
                self.fail(place, f"no test runs blocks of '{kind}'")
        for name, used in self.named.items():
            if not used:
                self.fail(0, f"no command uses {name}")
        text = self.text
        for place, size, printed in reversed(self.changes):
            text = text[:place] + printed + text[place + size:]
        if text != self.text:
            self.path.write_text(text, encoding="utf-8")


def folder_of(base, path, whole):
    folder = base / ("tutorial" if path.parent.name == "tutorial" else re.sub(r"\W+", "-", str(path)))
    if not folder.exists():
        folder.mkdir(parents=True)
        if not whole:
            (folder / "libpir").symlink_to(ROOT)
            if folder.name != "tutorial":
                shutil.copytree(ROOT / "test/models/digits_cnn", folder / "digits")
    return folder


def environment_of(folder, whole):
    keep = {"PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "PYTHONPATH"} if not whole else set()
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
            **{k: v for k, v in os.environ.items() if k in keep}, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def run_in(folder, paths, options):
    """Runs pages that share a folder, one after the other."""
    shell = Shell(folder, environment_of(folder, options.whole))
    pages = [Page(path, shell, options) for path in paths]
    for page in pages:
        page.run()
    return pages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole")
    parser.add_argument("--times")
    parser.add_argument("--keep")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="+", type=lambda p: pathlib.Path(p).resolve())
    options = parser.parse_args()
    base, groups = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="blocks.")), {}
    for path in options.pages:
        groups.setdefault(folder_of(base, path, options.whole), []).append(path)
    pages = []
    # Times are those of commands that have the machine to themselves.
    with concurrent.futures.ThreadPoolExecutor(1 if options.whole else os.cpu_count()) as pool:
        for done in pool.map(lambda group: run_in(*group, options), groups.items()):
            print("".join(f"{f}\n" for page in done for f in page.failures), end="", flush=True)
            pages += done
    failed = sum(bool(page.failures) for page in pages)
    times = [(*t, page.path.stem) for page in pages for t in page.times]
    if options.times:
        pathlib.Path(options.times).write_text("".join(f"{s:.1f}\t{page}\t{c.splitlines()[0]}\n" for s, c, page in times))
    if not options.keep:
        shutil.rmtree(base)
    print(f"{len(pages) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
