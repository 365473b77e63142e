#!/usr/bin/env python3
"""What mk/op_numbers.py finds in a history.

  op_numbers_test.py MK
"""
import sys

sys.path.insert(0, sys.argv[1])
import op_numbers  # noqa: E402

HISTORY = """
diff --git a/dialects/toy/toy.numbers b/dialects/toy/toy.numbers
--- a/dialects/toy/toy.numbers
+++ b/dialects/toy/toy.numbers
@@ -1,2 +1,3 @@
 0x90001 relu
+0x90002 relu_
diff --git a/dialects/toy/toy.numbers b/dialects/toy/toy.numbers
+++ b/dialects/toy/toy.numbers
+# Numbers of the ops of toy.
+0x90001 relu
"""
KEPT = "# Numbers of the ops of toy.\n0x90001 relu\n0x90002 relu_\n"

for now, expected in [
    (KEPT, []),
    (KEPT + "0x90003 tanh\n", []),
    (KEPT.replace("relu_", "relu_ retired"), []),
    (KEPT.replace("0x90002 relu_\n", ""), ["0x90002 relu_"]),
    (KEPT.replace("relu_", "tanh"), ["0x90002 relu_"]),
    (KEPT.replace("relu\n", "tanh\n").replace("relu_", "relu"), ["0x90001 relu", "0x90002 relu_"]),
    ("", ["0x90001 relu", "0x90002 relu_"]),
]:
    found = op_numbers.gone(HISTORY, [now, "0xa0001 other\n"])
    assert found == expected, (now, found)
