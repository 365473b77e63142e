#!/usr/bin/env python3
"""Prints what two benches sum up of made-up numbers.

  summaries_test.py BENCH
"""
import sys

sys.path.insert(0, sys.argv[1])
import accuracy  # noqa: E402
import latency  # noqa: E402

# Largest error and root mean square, of each engine.
ERRORS = {"resnet50": {"pir": [4e-6, 1e-6], "pir-bf16": [0.025, 0.01], "ort": [1e-6, 3e-6], "paddle": [2e-6, 2e-6],
                       "openvino-bf16": [0.1, 0.04], "float64 compiled": [1e-14, 1e-14]},
          "gpt2_small": {"pir": [1e-6, 1e-6], "ort": "cannot read it", "paddle": [1e-6, 2e-6]},
          "gru_classifier": {"pir": [1e-6, 1e-6], "pir-bf16": [1e-3, 1e-3], "openvino": [0.9, 0.8], "openvino-bf16": [0.1, 0.1]},
          "ppocrv4_det_480": {"pir": [1.0, 1.0], "paddle": [1e-6, 1e-6]}}
RATIOS = {("resnet50", 1, 0): {"pir": {"ratio": 0.5}}, ("resnet50", 2, 4): {"pir": {"ratio": 2.0}},
          ("gpt2_small", 1, 0): {"pir": {"ratio": 2.0}}}

accuracy.summary(ERRORS)
latency.summary(RATIOS, [(1, 0), (2, 4)])
latency.summary({(name, *c): {"pir-int8": r["pir"]} for (name, *c), r in RATIOS.items()}, [(1, 0)], "pir-int8")
