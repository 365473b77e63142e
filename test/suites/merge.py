#!/usr/bin/env python3
"""Adds up the results of all shares of the tests (`make test SHARE=K/N` leaves one each), and ends with
`N passed, N failed, N skipped`. Fails where a share is missing or has another commit than the others, and where a test failed.

  test/suites/merge.py FOLDER
"""
import pathlib
import re
import sys

RESULT = re.compile(r"commit (\S+)\npassed (\d+) failed (\d+) skipped (\d+) seconds (\d+)\n((?:failure .*\n)*)")


def read(folder):
    """The results by share: commit, counts, seconds, failures."""
    results, faults = {}, []
    for path in sorted(folder.glob("*-of-*")):
        match = RESULT.fullmatch(path.read_text())
        if match:
            commit, *counts, failures = match.groups()
            results[tuple(map(int, path.name.split("-of-")))] = commit, list(map(int, counts)), failures
        else:
            faults.append(f"{path}: not a result")
    return results, faults


def check(results, folder):
    """Why these are not the results of all shares of one commit."""
    if not results:
        return [f"no results in {folder}"]
    sizes = {n for _, n in results}
    if len(sizes) > 1:
        return [f"shares of {' and of '.join(map(str, sorted(sizes)))}: remove one sort from {folder}"]
    (n,) = sizes
    faults = [f"share {k}/{n} is missing" for k in range(n) if (k, n) not in results]
    commits = {commit for commit, _, _ in results.values()}
    newest = results[max(results)][0]
    if len(commits) > 1:
        faults += [f"share {k}/{n} is of {commit}, not of {newest}" for (k, n), (commit, _, _) in sorted(results.items()) if commit != newest]
    faults += [f"{commit}: its sources were changed" for commit in commits if commit.endswith("-changed") and n > 1]
    return faults


def main():
    folder = pathlib.Path(sys.argv[1])
    results, faults = read(folder)
    faults += check(results, folder)
    for fault in faults:
        print(f"FAIL {fault}")
    for (k, n), (_, _, failures) in sorted(results.items()):
        for failure in failures.splitlines():
            print(f"share {k}/{n}: {failure}")
    passed, failed, skipped, seconds = (sum(counts[i] for _, counts, _ in results.values()) for i in range(4))
    if results:
        commit = next(iter(results.values()))[0]
        print(f"{len(results)} shares of {commit}, {seconds} s")
    print(f"{passed} passed, {failed + len(faults)} failed, {skipped} skipped")
    return bool(failed or faults)


if __name__ == "__main__":
    sys.exit(main())
