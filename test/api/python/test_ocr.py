"""The example reads pictures as PaddleOCR does."""
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from conftest import RECORDED

pytest.importorskip("cv2", reason="OpenCV is not installed")
REAL = RECORDED / "real"
EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "python/examples/ocr.py"
TURNED = {"poster": [0, 0, 0, 180, 0], "form": [0] * 4, "sign": [0] * 2}


@pytest.mark.skipif(not (REAL / "images").exists(), reason="the pictures are not recorded here")
@pytest.mark.parametrize("model", ["ppocrv4_det/inference.pdmodel", "ppocrv5_mobile_det/inference.json"])
@pytest.mark.parametrize("picture", TURNED)
def test_boxes_and_directions(tmp_path, cache, picture, model):
    out = tmp_path / "out.png"
    command = [sys.executable, EXAMPLE, REAL / model, REAL / "ppocr_cls/inference.pdmodel", REAL / f"images/{picture}.png", out]
    printed = subprocess.run([*command, f"--cache={cache}"], check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in printed.splitlines()]
    case = next((REAL / model).parent.glob(f"case_{picture}_*")) / "case.json"
    expected = json.loads(case.read_text())["expected"]["boxes"]
    boxes = [[[float(v) for v in corner.split(",")] for corner in line[:4]] for line in lines]
    # PaddleOCR rounds corners to whole pixels on the way.
    np.testing.assert_allclose(np.array(boxes), np.array(expected), atol=1.5)
    assert [int(line[4]) for line in lines] == TURNED[picture]
    assert out.read_bytes()[:4] == b"\x89PNG"
