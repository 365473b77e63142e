#!/usr/bin/env python3
"""Adds up what parts of the tests came to, prints `N passed, N failed, N skipped`, and fails if any failed.

  count.py FILE..      of lit's --xunit-xml-output (.xml), or logs that end with such a line; a part without one is a failure
"""
import re
import sys
import xml.etree.ElementTree


def of_lit(path):
    """(passed, failed, skipped) of lit's report."""
    cases = list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))
    bad = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases) - bad - skipped, bad, skipped


def of_log(path):
    """The same of the last summary line of a log."""
    lines = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", open(path, errors="replace").read(), re.M)
    return tuple(map(int, lines[-1])) if lines else (0, 1, 0)


def count(path):
    try:
        return of_lit(path) if path.endswith(".xml") else of_log(path)
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        print(f"{path}: {error}")
        return 0, 1, 0


passed, failed, skipped = map(sum, zip(*map(count, sys.argv[1:])))
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
