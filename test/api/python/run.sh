#!/usr/bin/env bash
# Runs the tests of the Python package, and ends with `N passed, N failed, N skipped`.
#   test/api/python/run.sh BUILD RECORDED [PYTHON]      PYTHON: one in which the package is installed; else that of the system
set -u
build=$(cd "$1" && pwd) recorded=$(cd "$2" && pwd) python=${3-}
if [ -z "$python" ]; then
  python=/usr/bin/python3
  export PYTHONPATH=$build/python
fi
xml=$build/test-logs/python.xml
mkdir -p "$build/test-logs"
BUILD=$build RECORDED=$recorded "$python" -B -m pytest -q -p no:cacheprovider --junit-xml "$xml" -rs "$(dirname "$0")" | sed -E 's/^(FAILED|ERROR)/FAIL &/'
"$python" - "$xml" <<'END'
import sys, xml.etree.ElementTree as E
cases = list(E.parse(sys.argv[1]).getroot().iter("testcase"))
bad = sum(c.find("failure") is not None or c.find("error") is not None for c in cases)
skip = sum(c.find("skipped") is not None for c in cases)
print(f"{len(cases) - bad - skip} passed, {bad} failed, {skip} skipped")
END
