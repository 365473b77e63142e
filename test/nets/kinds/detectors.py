"""Detection heads: boxes from feature maps, chosen by score, suppressed and pooled; how many there are the contents decide."""
import paddle
import paddle.nn.functional as F
import paddle.vision.ops as ops
from paddle import nn

from drawing import numbers

from . import images

INPUTS = [("x", (1, 3, "H", "W"), "float32"), ("size", (1, 2), "float32")]


def cells(n):
    """Boxes (N, 4) around the cells of a map, and their scores (N,)."""
    v = images.image(n)
    layer = n.keep(lambda: nn.Conv2D(images.channels(v), 5, 1))
    t = layer(v.t).flatten(2).squeeze(0).transpose([1, 0])
    h, w = paddle.shape(v.t)[2], paddle.shape(v.t)[3]
    y, x = paddle.meshgrid(paddle.arange(h).astype("float32"), paddle.arange(w).astype("float32"))
    centre = paddle.stack([x.flatten(), y.flatten()], -1) + F.sigmoid(t[:, :2])
    half = paddle.exp(paddle.clip(t[:, 2:4], -2.0, 1.0))
    n.add(paddle.concat([centre - half, centre + half], -1), ("box", 4))
    n.add(F.sigmoid(t[:, 4]), ("box",))
    n.boxes.append((n.values[-2], n.values[-1]))


def pair(n):
    if not n.boxes:
        raise IndexError("no boxes")
    boxes, scores = n.rnd.choice(n.boxes[-3:])
    return boxes.t, scores.t


def keep_boxes(n, boxes, scores):
    n.add(boxes, ("some", 4))
    n.add(scores, ("some",))
    n.boxes.append((n.values[-2], n.values[-1]))


def above(n):
    boxes, scores = pair(n)
    kept = paddle.nonzero(scores > n.rnd.choice([0.3, 0.5, 0.6])).flatten()
    keep_boxes(n, paddle.gather(boxes, kept), paddle.gather(scores, kept))


def by_mask(n):
    boxes, scores = pair(n)
    mask = scores > n.rnd.choice([0.4, 0.55])
    keep_boxes(n, boxes[mask], scores[mask])


def best(n):
    boxes, scores = pair(n)
    k = paddle.minimum(paddle.shape(scores)[0], paddle.full([], 5, paddle.shape(scores).dtype))
    s, i = paddle.topk(scores, k, 0)
    keep_boxes(n, paddle.gather(boxes, i), s)


def suppressed(n):
    boxes, scores = pair(n)
    kept = ops.nms(boxes, n.rnd.choice([0.3, 0.5]), scores)
    keep_boxes(n, paddle.gather(boxes, kept), paddle.gather(scores, kept))


def matrix_suppressed(n):
    boxes, scores = pair(n)
    each = paddle.stack([scores, scores * 0.83]).unsqueeze(0)
    made = ops.matrix_nms(boxes.unsqueeze(0), each, 0.3, 0.2, 40, 10, background_label=-1)
    n.add(made[0], ("some", 6))


def multiclass(n):
    boxes, scores = pair(n)
    n.add(paddle.sum(paddle.concat([boxes, scores.unsqueeze(-1)], -1), 0), (5,))


def roi_align(n):
    boxes, _ = pair(n)
    v = images.image(n)
    count = paddle.shape(boxes)[:1].astype("int32")
    t = n.rnd.choice([ops.roi_align, ops.roi_pool])(v.t, boxes, count, 3)
    n.add(t, ("some", images.channels(v), 3, 3))
    n.add(n.linear(images.channels(v) * 9, 4)(t.flatten(1)), ("some", 4))


def iou(n):
    a, _ = pair(n)
    b, _ = pair(n)
    low = paddle.maximum(a[:, None, :2], b[None, :, :2])
    high = paddle.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = paddle.prod(F.relu(high - low), -1)
    area = [paddle.prod(z[:, 2:] - z[:, :2], -1) for z in (a, b)]
    t = inter / (area[0][:, None] + area[1][None, :] - inter + 1e-3)
    n.add(paddle.max(t * t, 0), ("other",))


def scaled(n):
    boxes, scores = pair(n)
    size = n.pick(lambda v: v.dims == (1, 2) and v.dtype == "float32")
    limit = paddle.concat([size.t, size.t], -1)
    keep_boxes(n, paddle.minimum(F.relu(boxes), limit) * 0.5, scores)


def ordered(n):
    boxes, scores = pair(n)
    i = paddle.argsort(scores, descending=True, stable=True)
    keep_boxes(n, boxes[i], scores[i])


def joined(n):
    a, s = pair(n)
    b, t = pair(n)
    keep_boxes(n, paddle.concat([a, b], 0), paddle.concat([s, t], 0))


def coded(n):
    a, _ = pair(n)
    keep = ops.box_coder(a, [0.1, 0.1, 0.2, 0.2], a.unsqueeze(1) * 0.1, "decode_center_size", axis=0)
    n.add(keep.squeeze(1) if n.chance(0.5) else keep.sum(1), ("some", 4))


def yolo(n):
    v = images.image(n)
    layer = n.keep(lambda: nn.Conv2D(images.channels(v), 14, 1))
    size = n.pick(lambda v: v.dims == (1, 2) and v.dtype == "float32")
    boxes, scores = ops.yolo_box(layer(v.t), size.t.astype("int32") + 20, [8, 10, 16, 20], 2, 0.3, 8)
    keep_boxes(n, boxes.squeeze(0), paddle.max(scores.squeeze(0), -1))


def priors(n):
    v = images.image(n)
    x = n.values[0]
    boxes, _ = ops.prior_box(v.t, x.t, [4.0, 8.0], aspect_ratios=[1.0, 2.0])
    n.add(boxes.reshape([-1, 4]), ("prior", 4))


def deformed(n):
    v = images.image(n)
    c = images.channels(v)
    offset = n.keep(lambda: nn.Conv2D(c, 18, 3, padding=1))
    weight = n.param([4, c, 3, 3], 0.2)
    t = ops.deform_conv2d(v.t, offset(v.t) * 0.3, weight, padding=1)
    images.add(n, t, v, 4)


def classes(n):
    _, scores = pair(n)
    n.add(paddle.cumsum(scores, 0) * 0.1, ("some",))


def distribution(n):
    """Distances as the mean of a distribution over bins."""
    v = images.image(n)
    layer = n.keep(lambda: nn.Conv2D(images.channels(v), 4 * 8, 1))
    t = layer(v.t).flatten(2).transpose([0, 2, 1]).reshape([1, -1, 4, 8])
    t = paddle.matmul(F.softmax(t, -1), paddle.arange(8).astype("float32").unsqueeze(-1)).squeeze(-1)
    n.add(t.squeeze(0), ("box", 4))


STEPS = images.STEPS + [(5, cells), (3, suppressed)] + [(2, f) for f in (
    above, by_mask, best, matrix_suppressed, multiclass, roi_align, iou, scaled, ordered, joined, coded, yolo, priors, deformed, classes, distribution)]


def draw(n, x, size):
    n.boxes = []
    n.add(x, (1, 3, "H", "W"))
    n.add(size, (1, 2))
    n.take(images.conv)
    n.take(cells)
    n.grow(STEPS, 8, 26)
    return n.outputs(6)


def feeds(rnd):
    for h, w in ((rnd.randint(16, 24), rnd.randint(16, 24)), (16, 17)):
        yield {"x": numbers(rnd, (1, 3, h, w)), "size": abs(numbers(rnd, (1, 2))) * 10}
