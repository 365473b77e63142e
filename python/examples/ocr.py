#!/usr/bin/env python3
"""Finds lines of text on a picture with PP-OCR's published models, and draws them.

  ocr.py DETECTOR DIRECTION PICTURE OUT.png [--recogniser MODEL --characters FILE] [--threads N] [--cache FOLDER]

DETECTOR, DIRECTION and MODEL are program files with their parameters beside them. Prints one line for each box:
its corners in pixels, from the upper left one of the text clockwise, "0" or "180" with a probability, and the text
when there is a recogniser. FILE holds its characters, one a line.

The steps are those of PaddleOCR: differentiable binarization (Liao et al., 2020) for boxes, and greedy CTC for text.
"""
import argparse

import cv2
import numpy as np

import libpir

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
THRESHOLD, BOX_SCORE, UNCLIP, LEAST_SIDE = 0.3, 0.6, 1.5, 3
TURN_SCORE = 0.9


def grown(rectangle):
    """A rotated rectangle with the distance that PaddleOCR adds around shrunk text: area * ratio / perimeter."""
    centre, (width, height), angle = rectangle
    distance = width * height * UNCLIP / (2 * (width + height))
    return centre, (width + 2 * distance, height + 2 * distance), angle


def ordered(corners):
    """Corners clockwise from the upper left one: of the two leftmost corners the upper one comes first."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    left, right = left[np.argsort(left[:, 1])], right[np.argsort(right[:, 1])]
    return np.array([left[0], right[0], right[1], left[1]])


def boxes_of(probabilities):
    """Boxes [n, 4, 2] in pixels, in reading order, of a map [height, width] that says how likely each pixel is text."""
    found = []
    mask = (probabilities > THRESHOLD).astype(np.uint8)
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        rectangle = cv2.minAreaRect(contour)
        inside = np.zeros_like(mask)
        cv2.fillPoly(inside, [cv2.boxPoints(rectangle).astype(np.int32)], 1)
        if min(rectangle[1]) < LEAST_SIDE or cv2.mean(probabilities, inside)[0] < BOX_SCORE:
            continue
        found.append(ordered(cv2.boxPoints(grown(rectangle))))
    height, width = probabilities.shape
    boxes = np.clip(np.round(np.array(found).reshape(-1, 4, 2)), 0, [width, height])
    return boxes[np.argsort(boxes[:, 0, 1], kind="stable")]


def detect(session, picture):
    """Boxes on a picture [height, width, 3] in BGR order, whose sides are rounded up to multiples of 32."""
    height, width = picture.shape[:2]
    padded = cv2.copyMakeBorder(picture, 0, -height % 32, 0, -width % 32, cv2.BORDER_REPLICATE)
    pixels = (padded.astype(np.float32) / 255 - MEAN) / DEVIATION
    (maps,) = session.run([np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])], copy=False)
    return boxes_of(maps[0, 0, :height, :width].copy())


def line_of(picture, box):
    """The text inside a box as an upright picture."""
    width = int(max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[3] - box[2])))
    height = int(max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2])))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(box.astype(np.float32), corners)
    line = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.rot90(line) if height >= 1.5 * width else line


def scaled(line, height, most):
    """A line [3, height, width] in -1..1, at most `most` wide, and padded to it with 0."""
    width = min(most, int(np.ceil(height * line.shape[1] / line.shape[0])))
    pixels = cv2.resize(line, (width, height)).astype(np.float32).transpose(2, 0, 1) / 127.5 - 1
    return np.pad(pixels, ((0, 0), (0, 0), (0, most - width)))


def directions(session, lines):
    """For each line whether it is upside down, and how sure that is."""
    (likely,) = session.run([np.stack([scaled(line, 48, 192) for line in lines])])
    return [(bool(p[1] > p[0]), float(p.max())) for p in likely]


def texts(session, lines, characters):
    """The text of each line by greedy CTC: the blank has number 0, repeated characters count once."""
    for line in lines:
        most = max(320, int(np.ceil(48 * line.shape[1] / line.shape[0])))
        (likely,) = session.run([scaled(line, 48, most)[None]])
        best = likely[0].argmax(-1)
        kept = [int(n) for i, n in enumerate(best) if n and (i == 0 or n != best[i - 1])]
        yield "".join(characters[n - 1] for n in kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("detector", "direction", "picture", "out"):
        parser.add_argument(name)
    parser.add_argument("--recogniser")
    parser.add_argument("--characters")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cache")
    args = parser.parse_args()
    options = libpir.Options(cache=args.cache)
    open_session = lambda path: libpir.Model.load(path, options=options).session(threads=args.threads)
    picture = cv2.imread(args.picture)
    if picture is None:
        parser.error(f"no picture: {args.picture}")
    boxes = detect(open_session(args.detector), picture)
    lines = [line_of(picture, box) for box in boxes]
    turns = directions(open_session(args.direction), lines) if lines else []
    upright = [np.rot90(line, 2) if turned and sure > TURN_SCORE else line for line, (turned, sure) in zip(lines, turns)]
    words = [""] * len(lines)
    if args.recogniser:
        with open(args.characters, encoding="utf-8") as file:
            characters = file.read().split("\n") + [" "]
        words = texts(open_session(args.recogniser), upright, characters)
    for box, (turned, sure), text in zip(boxes, turns, words):
        print(" ".join(f"{x:.0f},{y:.0f}" for x, y in box), f"{180 * turned} {sure:.3f}", text)
    cv2.polylines(picture, boxes.astype(np.int32), True, (0, 0, 255), 2)
    if not cv2.imwrite(args.out, picture):
        parser.error(f"cannot write {args.out}")


if __name__ == "__main__":
    main()
