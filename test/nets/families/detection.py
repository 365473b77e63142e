"""Heads of detectors, trackers and key points."""

import math

import numpy as np
import paddle
import paddle.nn.functional as F
import paddle.vision.ops as ops
from paddle import nn

from . import family
from .backbones import conv_bn


def image(inputs, side=32, batch="B"):
    return inputs.sizes({"B": 1, "H": side, "W": side}, {"B": 1, "H": side, "W": side + 16}).add("x", [batch, 3, "H", "W"])


@family
def yolo3(r, inputs):
    """yolo_box of two maps, then suppression by a matrix or one class after the other."""
    classes, way = 3, r.choice(["matrix", "nms"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.down, self.mid = conv_bn(3, 8, 3, 4, act=nn.LeakyReLU), conv_bn(8, 16, 3, 2), conv_bn(16, 8, 1)
            self.heads = nn.LayerList([nn.Conv2D(16, 2 * (5 + classes), 1), nn.Conv2D(16, 2 * (5 + classes), 1)])

        def forward(self, x, size):
            a = self.stem(x)
            b = self.down(a)
            up = F.interpolate(self.mid(b), scale_factor=2.0, mode="nearest")
            maps = [b, paddle.concat([up, a], 1)]
            boxes, scores = [], []
            for k, (head, z) in enumerate(zip(self.heads, maps)):
                one, two = ops.yolo_box(
                    head(z),
                    size,
                    [[10, 14, 23, 27], [4, 6, 8, 9]][k],
                    classes,
                    0.01,
                    [8, 4][k],
                    clip_bbox=True,
                    scale_x_y=r.choice([1.0, 1.05]),
                )
                boxes.append(one)
                scores.append(two.transpose([0, 2, 1]))
            boxes, scores = paddle.concat(boxes, 1), paddle.concat(scores, 2)
            if way == "matrix":
                return ops.matrix_nms(
                    boxes,
                    scores,
                    0.05,
                    0.02,
                    20,
                    8,
                    use_gaussian=r.random() < 0.5,
                    background_label=-1,
                    return_index=False,
                    normalized=False,
                )
            best, label = scores[0].max(0), scores[0].argmax(0)
            kept = ops.nms(boxes[0], 0.4, best, label, list(range(classes)), 7)
            return paddle.gather(boxes[0], kept), paddle.gather(best, kept), paddle.gather(label, kept)

    return Net(), image(inputs).add("size", ["B", 2], "int32", how=lambda rng, s: np.full(s, 64))


@family
def distribution_boxes(r, inputs):
    """Anchor points, distances from a distribution, centre-ness and the union with them (PP-YOLOE, GFL)."""
    c, classes, bins = 8, 4, 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.down = conv_bn(3, c, 3, 4, act=nn.Swish), conv_bn(c, c, 3, 2, act=nn.Swish)
            self.fc, self.cls, self.reg = nn.Conv2D(c, c, 1), nn.Conv2D(c, classes, 3, padding=1), nn.Conv2D(c, 4 * bins, 3, padding=1)
            self.project = nn.Conv2D(bins, 1, 1, bias_attr=False)
            self.project.weight.set_value(paddle.arange(bins, dtype="float32").reshape([1, bins, 1, 1]))

        def points(self, maps, strides):
            points, scales = [], []
            for z, s in zip(maps, strides):
                h, w = paddle.shape(z)[2], paddle.shape(z)[3]
                y, x = paddle.meshgrid(paddle.arange(end=h) + 0.5, paddle.arange(end=w) + 0.5)
                points.append(paddle.cast(paddle.stack([x, y], -1), "float32").reshape([-1, 2]))
                scales.append(paddle.full([h * w, 1], s, "float32"))
            return paddle.concat(points), paddle.concat(scales)

        def forward(self, x):
            a = self.stem(x)
            maps = [a, self.down(a)]
            scores, dists = [], []
            for z in maps:
                _, _, h, w = paddle.shape(z)
                l = h * w
                y = z * F.sigmoid(self.fc(F.adaptive_avg_pool2d(z, (1, 1))))
                scores.append(F.sigmoid(self.cls(y) + z[:, :classes]).reshape([-1, classes, l]))
                d = self.reg(y).reshape([-1, 4, bins, l]).transpose([0, 2, 3, 1])
                dists.append(self.project(F.softmax(d, 1)).squeeze(1))
            points, scale = self.points(maps, [4, 8])
            lt, rb = paddle.split(paddle.concat(dists, 1), 2, -1)
            boxes = paddle.concat([points - lt, points + rb], -1) * scale
            scores = paddle.concat(scores, -1)
            top, at = paddle.topk(scores.max(1), 6, -1)
            return boxes, scores, paddle.stack([paddle.gather(boxes[k], at[k]) for k in range(1)])

    return Net(), image(inputs)


@family
def anchors(r, inputs):
    """Anchors made for a map, deltas decoded, clipped, filtered and suppressed (RPN, RetinaNet)."""
    c, n = 8, 3

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.score, self.delta, self.fc = (
                conv_bn(3, c, 3, 4),
                nn.Conv2D(c, n, 1),
                nn.Conv2D(c, 4 * n, 1),
                nn.Linear(c * 9, 5),
            )

        def forward(self, x, size):
            z = self.stem(x)
            h, w = paddle.shape(z)[2], paddle.shape(z)[3]
            base = paddle.to_tensor([[-8.0, -8.0, 8.0, 8.0], [-12.0, -6.0, 12.0, 6.0], [-6.0, -12.0, 6.0, 12.0]])
            sx, sy = paddle.arange(0, w * 4, 4, dtype="float32"), paddle.arange(0, h * 4, 4, dtype="float32")
            gy, gx = paddle.meshgrid(sy, sx)
            shift = paddle.stack([gx.flatten(), gy.flatten(), gx.flatten(), gy.flatten()], 1)
            boxes = (base.reshape([1, -1, 4]) + shift.reshape([-1, 1, 4])).reshape([-1, 4])
            score = F.sigmoid(self.score(z)).transpose([0, 2, 3, 1]).flatten()
            d = self.delta(z).transpose([0, 2, 3, 1]).reshape([-1, 4])
            width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
            cx, cy = boxes[:, 0] + 0.5 * width, boxes[:, 1] + 0.5 * height
            dx, dy, dw, dh = d[:, 0], d[:, 1], paddle.clip(d[:, 2], max=math.log(1000 / 16)), paddle.clip(d[:, 3], max=math.log(1000 / 16))
            cx, cy, width, height = dx * width + cx, dy * height + cy, paddle.exp(dw) * width, paddle.exp(dh) * height
            boxes = paddle.stack([cx - 0.5 * width, cy - 0.5 * height, cx + 0.5 * width, cy + 0.5 * height], -1)
            x1 = paddle.clip(boxes[:, 0::2], min=0.0)
            y1 = paddle.clip(boxes[:, 1::2], min=0.0)
            x1, y1 = paddle.minimum(x1, size[0, 1]), paddle.minimum(y1, size[0, 0])
            boxes = paddle.stack([x1[:, 0], y1[:, 0], x1[:, 1], y1[:, 1]], -1)
            score, order = paddle.topk(score, 20)
            boxes = paddle.gather(boxes, order)
            keep = paddle.nonzero(paddle.logical_and(boxes[:, 2] - boxes[:, 0] > 1.0, boxes[:, 3] - boxes[:, 1] > 1.0)).flatten()
            boxes, score = paddle.gather(boxes, keep), paddle.gather(score, keep)
            keep = ops.nms(boxes, 0.6, score)[:8]
            boxes = paddle.gather(boxes, keep)
            count = paddle.shape(boxes)[:1].astype("int32")
            pooled = ops.roi_align(z, boxes, count, 3, 0.25, 2, aligned=r.random() < 0.5)
            return boxes, F.softmax(self.fc(pooled.flatten(1))), count

    return Net(), image(inputs).add("size", [1, 2], how=lambda rng, s: np.full(s, 32.0))


@family
def proposals(r, inputs):
    """generate_proposals, boxes shared among levels, pooled from each level and put back in order."""
    c, n = 8, 2

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.down, self.score, self.delta, self.fc = (
                conv_bn(3, c, 3, 4),
                conv_bn(c, c, 3, 2),
                nn.Conv2D(c, n, 1),
                nn.Conv2D(c, 4 * n, 1),
                nn.Linear(4 * c, 6),
            )

        def forward(self, x, size):
            a = self.stem(x)
            b = self.down(a)
            h, w = a.shape[2], a.shape[3]
            gy, gx = paddle.meshgrid(paddle.arange(h, dtype="float32") * 4, paddle.arange(w, dtype="float32") * 4)
            base = paddle.stack([gx, gy, gx, gy], -1).unsqueeze(2)
            boxes = base + paddle.to_tensor([[-6.0, -6.0, 6.0, 6.0], [-12.0, -9.0, 12.0, 9.0]])
            rois, probs, count = ops.generate_proposals(
                F.sigmoid(self.score(a)),
                self.delta(a) * 0.3,
                size,
                boxes,
                paddle.full_like(boxes, 1.0),
                40,
                10,
                0.6,
                1.0,
                return_rois_num=True,
            )
            multi, restore, counts = ops.distribute_fpn_proposals(rois, 2, 3, 2, 14, rois_num=count)
            each = (
                [ops.roi_align(z, p, 2, s, 2, m) if r.random() < 2 else None for z, p, s, m in ((a, multi[0], 1, 1), (b, multi[1], 1, 1))]
                if False
                else [ops.roi_align(a, multi[0], counts[0], 2, 0.25), ops.roi_align(b, multi[1], counts[1], 2, 0.125)]
            )
            feats = paddle.gather(paddle.concat(each), restore.flatten())
            return rois, probs, count, self.fc(feats.flatten(1))

    return Net(), image(inputs).add("size", [1, 2], how=lambda rng, s: np.full(s, 32.0))


@family
def ssd(r, inputs):
    """Prior boxes of two maps, decoded with variances."""
    classes = 3

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.down = conv_bn(3, 8, 3, 4), conv_bn(8, 8, 3, 2)
            self.loc = nn.LayerList([nn.Conv2D(8, 4 * 4, 3, padding=1), nn.Conv2D(8, 4 * 4, 3, padding=1)])
            self.conf = nn.LayerList([nn.Conv2D(8, 4 * classes, 3, padding=1), nn.Conv2D(8, 4 * classes, 3, padding=1)])

        def forward(self, x):
            a = self.stem(x)
            maps = [F.normalize(a, axis=1) * 5, self.down(a)]
            locs, confs, priors, variances = [], [], [], []
            for k, z in enumerate(maps):
                locs.append(self.loc[k](z).transpose([0, 2, 3, 1]).reshape([0, -1, 4]))
                confs.append(self.conf[k](z).transpose([0, 2, 3, 1]).reshape([0, -1, classes]))
                p, v = ops.prior_box(
                    z,
                    x,
                    [[6.0], [12.0]][k],
                    [[10.0], [20.0]][k],
                    [2.0],
                    flip=True,
                    clip=r.random() < 0.5,
                    steps=[[4, 4], [8, 8]][k],
                    offset=0.5,
                    min_max_aspect_ratios_order=r.random() < 0.5,
                )
                priors.append(p.reshape([-1, 4]))
                variances.append(v.reshape([-1, 4]))
            boxes = ops.box_coder(paddle.concat(priors), paddle.concat(variances), paddle.concat(locs, 1), "decode_center_size", axis=0)
            return boxes, F.softmax(paddle.concat(confs, 1)).transpose([0, 2, 1])

    return Net(), image(inputs)


@family
def center_points(r, inputs):
    """Peaks of a heat map by a maximum pool, the best K, and what is gathered there (CenterNet, FairMOT)."""
    c, k, classes = 8, 5, 2

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.heat, self.wh, self.off, self.reid = (
                conv_bn(3, c, 3, 4),
                nn.Conv2D(c, classes, 1),
                nn.Conv2D(c, 4, 1),
                nn.Conv2D(c, 2, 1),
                nn.Conv2D(c, 6, 1),
            )

        def forward(self, x):
            z = self.stem(x)
            heat = F.sigmoid(self.heat(z))
            peak = F.max_pool2d(heat, 3, 1, 1)
            heat = heat * paddle.cast(peak == heat, "float32")
            b, _, h, w = paddle.shape(heat)
            score, at = paddle.topk(heat.reshape([classes, -1]), k)
            ys = at // w
            xs = at % w
            best, index = paddle.topk(score.reshape([-1]), k)
            label = index // k
            at = paddle.index_select(at.flatten(), index)
            xs = paddle.gather_nd(xs.reshape([-1]), index.unsqueeze(-1)).astype("float32")
            ys = paddle.gather_nd(ys.reshape([-1]), index.unsqueeze(-1)).astype("float32")
            wh = paddle.gather(self.wh(z).transpose([0, 2, 3, 1]).reshape([-1, 4]), at)
            off = paddle.gather(self.off(z).transpose([0, 2, 3, 1]).reshape([-1, 2]), at)
            x1, y1 = xs + off[:, 0] - wh[:, 0], ys + off[:, 1] - wh[:, 1]
            x2, y2 = xs + off[:, 0] + wh[:, 2], ys + off[:, 1] + wh[:, 3]
            embed = F.normalize(paddle.gather(self.reid(z).transpose([0, 2, 3, 1]).reshape([-1, 6]), at))
            boxes = paddle.concat([label.astype("float32").unsqueeze(1), best.unsqueeze(1), paddle.stack([x1, y1, x2, y2], 1)], 1)
            return boxes, embed, paddle.matmul(embed, embed, transpose_y=True)

    return Net(), image(inputs)


@family
def instance_masks(r, inputs):
    """Kernels of grid cells times mask features, matrix suppression of masks (SOLOv2)."""
    c, cells, classes = 8, 5, 3

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.cate, self.kernel, self.feat = (
                conv_bn(3, c, 3, 4),
                nn.Conv2D(c, classes, 3, padding=1),
                nn.Conv2D(c + 2, 6, 3, padding=1),
                nn.Conv2D(c, 6, 1),
            )

        def forward(self, x):
            z = self.stem(x)
            h, w = paddle.shape(z)[2], paddle.shape(z)[3]
            ys, xs = paddle.meshgrid(paddle.linspace(-1, 1, h), paddle.linspace(-1, 1, w))
            coord = paddle.stack([xs, ys]).unsqueeze(0).astype(z.dtype)
            grid = F.interpolate(paddle.concat([z, coord], 1), size=[cells, cells], mode="bilinear", align_corners=False, align_mode=0)
            kernels = self.kernel(grid).transpose([0, 2, 3, 1]).reshape([-1, 6])
            cate = F.sigmoid(self.cate(grid[:, :-2]))
            hmax = F.max_pool2d(cate, 2, 1, 1)
            cate = (cate * (hmax[:, :, :-1, :-1] == cate).astype("float32")).transpose([0, 2, 3, 1]).reshape([-1, classes])
            feat = self.feat(z)
            score, label = cate.max(1), cate.argmax(1)
            score, order = paddle.topk(score, 10)
            label = paddle.gather(label, order)
            masks = F.sigmoid(F.conv2d(feat, paddle.gather(kernels, order).unsqueeze([2, 3]))).squeeze(0)
            hard = (masks > 0.5).astype("float32")
            area = hard.sum([1, 2])
            score = score * (masks * hard).sum([1, 2]) / (area + 1e-6)
            flat = hard.flatten(1)
            inter = paddle.mm(flat, paddle.transpose(flat, [1, 0]))
            areas = area.expand([10, 10])
            iou = paddle.triu(inter / (areas + areas.transpose([1, 0]) - inter + 1e-3), diagonal=1)
            same = paddle.triu((label.expand([10, 10]) == label.expand([10, 10]).transpose([1, 0])).astype("float32"), diagonal=1)
            comp = (iou * same).max(0).expand([10, 10]).transpose([1, 0])
            decay = (
                paddle.exp(-2 * (iou * same) ** 2) / paddle.exp(-2 * comp**2) if r.random() < 0.5 else (1 - iou * same) / (1 - comp + 1e-3)
            )
            return score * decay.min(0), F.interpolate(masks.unsqueeze(0), scale_factor=4, mode="bilinear")

    return Net(), image(inputs)


@family
def deformable_detr(r, inputs):
    """Attention that samples several maps where the queries say, boxes refined with inverse sigmoids."""
    c, h, points, queries = 8, 2, 2, 5
    e = c // h

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.down = conv_bn(3, c, 3, 4), conv_bn(c, c, 3, 2)
            self.query, self.ref = nn.Embedding(queries, c), nn.Linear(c, 2)
            self.offsets, self.weights, self.value, self.box = (
                nn.Linear(c, h * 2 * points * 2),
                nn.Linear(c, h * 2 * points),
                nn.Linear(c, c),
                nn.Linear(c, 4),
            )

        def forward(self, x):
            a = self.stem(x)
            maps = [a, self.down(a)]
            b = paddle.shape(x)[0]
            shapes = [paddle.shape(z)[2:] for z in maps]
            value = self.value(paddle.concat([z.flatten(2).transpose([0, 2, 1]) for z in maps], 1))
            value = value.reshape([b, -1, h, e])
            q = self.query.weight.unsqueeze(0).tile([b, 1, 1])
            ref = F.sigmoid(self.ref(q))
            off = self.offsets(q).reshape([b, queries, h, 2, points, 2])
            w = F.softmax(self.weights(q).reshape([b, queries, h, 2 * points]), -1).reshape([b, queries, h, 2, points])
            scale = paddle.stack([s.flip(0) for s in shapes]).astype("float32")
            at = ref.reshape([b, queries, 1, 1, 1, 2]) + off / scale.reshape([1, 1, 1, 2, 1, 2])
            parts = (
                value.split([shapes[0].prod(), shapes[1].prod()], 1)
                if r.random() < 0.0
                else [value[:, : maps[0].shape[2] * maps[0].shape[3]], value[:, maps[0].shape[2] * maps[0].shape[3] :]]
            )
            sampled = []
            for k, z in enumerate(maps):
                v = parts[k].flatten(2).transpose([0, 2, 1]).reshape([b * h, e, z.shape[2], z.shape[3]])
                g = (2 * at - 1)[:, :, :, k].transpose([0, 2, 1, 3, 4]).flatten(0, 1)
                sampled.append(F.grid_sample(v, g, mode="bilinear", padding_mode="zeros", align_corners=False))
            w = w.transpose([0, 2, 1, 3, 4]).reshape([b * h, 1, queries, 2 * points])
            y = (paddle.stack(sampled, -2).flatten(-2) * w).sum(-1).reshape([b, c, queries]).transpose([0, 2, 1])
            inverse = paddle.log(paddle.clip(ref, 1e-5, 1 - 1e-5) / (1 - ref).clip(min=1e-5))
            box = self.box(y)
            box = F.sigmoid(paddle.concat([box[..., :2] + inverse, box[..., 2:]], -1))
            cx, cy, bw, bh = box.unbind(-1)
            return paddle.stack([cx - 0.5 * bw, cy - 0.5 * bh, cx + 0.5 * bw, cy + 0.5 * bh], -1), y

    return Net(), image(inputs)


@family
def corner_pools(r, inputs):
    """Running maxima along rows and columns (CornerNet), associative embeddings."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.a, self.b = conv_bn(3, c, 3, 4), conv_bn(c, c), conv_bn(c, c)

        def forward(self, x):
            z = self.stem(x)
            p, q = self.a(z), self.b(z)
            left = paddle.flip(paddle.cummax(paddle.flip(p, [3]), 3)[0], [3])
            top = paddle.flip(paddle.cummax(paddle.flip(q, [2]), 2)[0], [2])
            right, at = paddle.cummax(p, axis=-1)
            low, _ = paddle.cummin(q, axis=2)
            return left + top, right - low, at

    return Net(), image(inputs)


@family
def key_points(r, inputs):
    """Maxima of heat maps, moved by the Taylor expansion of a blurred map; a distribution along each axis (SimCC)."""
    c, k = 8, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.out, self.xs, self.ys = conv_bn(3, c, 3, 4), nn.Conv2D(c, k, 1), nn.Linear(64, 16), nn.Linear(64, 16)
            d = paddle.arange(-2, 3, dtype="float32")
            g = paddle.exp(-(d**2) / 2)
            g = (g.unsqueeze(0) * g.unsqueeze(1)) / (g.sum() ** 2)
            self.register_buffer("blur", g.expand([k, 1, 5, 5]))

        def forward(self, x):
            heat = self.out(self.stem(x))
            b = heat.shape[0]
            smooth = F.conv2d(F.pad(heat, [2, 2, 2, 2], "reflect"), self.blur, groups=k)
            smooth = paddle.log(paddle.clip(smooth, min=1e-3))
            best = heat.flatten(2).max(-1)
            at = heat.flatten(2).argmax(-1)
            px, py = at % 8, at // 8
            px, py = paddle.clip(px, 1, 6), paddle.clip(py, 1, 6)
            flat = smooth.flatten(2)

            def pick(dx, dy):
                return paddle.take_along_axis(flat, ((py + dy) * 8 + px + dx).unsqueeze(-1), 2).squeeze(-1)

            dx, dy = 0.5 * (pick(1, 0) - pick(-1, 0)), 0.5 * (pick(0, 1) - pick(0, -1))
            dxx, dyy = pick(1, 0) - 2 * pick(0, 0) + pick(-1, 0), pick(0, 1) - 2 * pick(0, 0) + pick(0, -1)
            dxy = 0.25 * (pick(1, 1) - pick(-1, 1) - pick(1, -1) + pick(-1, -1))
            hess = paddle.stack([dxx, dxy, dxy, dyy], -1).reshape([b, k, 2, 2]) - paddle.eye(2) * 2.0
            step = -paddle.linalg.solve(hess, paddle.stack([dx, dy], -1).unsqueeze(-1)).squeeze(-1)
            simcc = F.softmax(self.xs(heat.flatten(2)), -1), F.softmax(self.ys(heat.flatten(2)), -1)
            soft = paddle.stack([(s * paddle.arange(16, dtype="float32")).sum(-1) for s in simcc], -1)
            return paddle.stack([px.astype("float32"), py.astype("float32")], -1) + step, best, soft

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("x", ["B", 3, 32, 32])


@family
def rotated_boxes(r, inputs):
    """Corners of turned boxes, aligned and modulated deformable convolutions (S2ANet)."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.box, self.mask = conv_bn(3, c, 3, 4), nn.Conv2D(c, 5, 1), nn.Conv2D(c, 9, 3, padding=1)
            self.deform = ops.DeformConv2D(c, c, 3, padding=1, bias_attr=r.choice([None, False]))

        def forward(self, x):
            z = self.stem(x)
            p = self.box(z).transpose([0, 2, 3, 1])
            cx, cy, w, h, a = p.unbind(-1)
            w, h, a = paddle.exp(w.clip(-2.0, 2.0)), paddle.exp(h.clip(-2.0, 2.0)), paddle.tanh(a) * math.pi / 2
            cos, sin = paddle.cos(a).unsqueeze(-1), paddle.sin(a).unsqueeze(-1)
            at = paddle.arange(-1, 2, dtype="float32")
            gy, gx = paddle.meshgrid(at, at)
            ox, oy = w.unsqueeze(-1) / 3 * gx.flatten(), h.unsqueeze(-1) / 3 * gy.flatten()
            tx, ty = cx.unsqueeze(-1) + cos * ox - sin * oy, cy.unsqueeze(-1) + sin * ox + cos * oy
            off = paddle.stack([ty - gy.flatten(), tx - gx.flatten()], -1).flatten(-2).transpose([0, 3, 1, 2])
            y = self.deform(z, off * 0.3, F.sigmoid(self.mask(z))) if r.random() < 0.6 else self.deform(z, off * 0.3)
            dx, dy = paddle.stack([-w, w, w, -w], -1) / 2, paddle.stack([-h, -h, h, h], -1) / 2
            corners = paddle.stack([cx.unsqueeze(-1) + cos * dx - sin * dy, cy.unsqueeze(-1) + sin * dx + cos * dy], -1).flatten(-2)
            return y, corners.reshape([corners.shape[0], -1, 8]), paddle.atan2(sin, cos)

    return Net(), image(inputs)


@family
def tracking(r, inputs):
    """Similarity of two frames by cross-correlation, a Kalman step, costs of assignment."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = conv_bn(3, c, 3, 2)
            self.register_buffer("move", paddle.eye(4) + paddle.diag(paddle.ones([2]), 2))

        def forward(self, x, z, state, seen):
            x, z = self.stem(x), self.stem(z)
            b = x.shape[0]
            response = F.conv2d(x.reshape([1, -1, x.shape[2], x.shape[3]]), z.reshape([-1, 1, z.shape[2], z.shape[3]]), groups=c * b)
            response = response.reshape([b, c, response.shape[2], response.shape[3]])
            mean = paddle.matmul(state, self.move, transpose_y=True)
            cov = paddle.matmul(paddle.matmul(self.move, paddle.eye(4) * 0.5), self.move, transpose_y=True) + paddle.eye(4) * 0.1
            look = paddle.eye(2, 4)
            s = look @ cov @ look.t() + paddle.eye(2)
            chol = paddle.linalg.cholesky(s)
            gain = paddle.linalg.cholesky_solve((cov @ look.t()).t(), chol, upper=False).t()
            diff = seen.unsqueeze(1) - (mean @ look.t()).unsqueeze(0)
            solved = paddle.linalg.triangular_solve(chol, diff.reshape([-1, 2]).t(), upper=False)
            cost = (solved**2).sum(0).reshape(diff.shape[:2])
            cost = paddle.where(cost > 9.4877, paddle.full_like(cost, 1e5), cost)
            return response, mean + diff.mean(0) @ gain.t(), cost, cost.argmin(1)

    return Net(), inputs.sizes({"N": 3, "M": 4}, {"N": 5, "M": 2}).add("x", [2, 3, 24, 24]).add("z", [2, 3, 8, 8]).add(
        "state", ["N", 4]
    ).add("seen", ["M", 2])
