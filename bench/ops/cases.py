"""The ops that bench/ops/run.py measures: one line each, as a user of Paddle and as ONNX would write it.

Inputs are `name:type[shape]`, constants (weights, tables) `name=type[shape]`; integers are drawn below the number after `%`, where a
word picks another range (make.py). Every shape is written with N, which is 1 where the data is to stay in the cache (128 Ki
elements, 512 KB of f32) and 32 for 16 MB.
The ONNX side is the body of a graph in ONNX's own text form, its results named y, y1, ...; None where ONNX has no such op."""

from collections import namedtuple

Case = namedtuple("Case", "name inputs paddle onnx work", defaults=[None])

X = "x:f32[128*N,1024]"
XY = X + " y_:f32[128*N,1024]"
IMAGE = "x:f32[N,32,64,64]"
BOXES = "boxes:f32[16,4]%box"


def unary(name, paddle=None, onnx=None, inputs=X):
    return Case(name, inputs, paddle or f"F.{name}(x)", onnx)


CASES = [
    # ---- elementwise
    Case("add", XY, "x + y_", "y = Add(x, y_)"),
    Case("add, a row", X + " b:f32[1024]", "x + b", "y = Add(x, b)"),
    Case("add, a channel", IMAGE + " b:f32[32,1,1]", "x + b", "y = Add(x, b)"),
    Case("subtract", XY, "x - y_", "y = Sub(x, y_)"),
    Case("multiply", XY, "x * y_", "y = Mul(x, y_)"),
    Case("divide", XY, "x / y_", "y = Div(x, y_)"),
    Case("maximum", XY, "paddle.maximum(x, y_)", "y = Max(x, y_)"),
    Case("scale", X, "paddle.scale(x, 0.5, 1.0)", None),
    Case("pow", "x:f32[128*N,1024]%unit", "paddle.pow(x, 2.5)", "e = Constant<value = float {2.5}>()\n y = Pow(x, e)"),
    unary("relu", onnx="y = Relu(x)"),
    unary("gelu", onnx="y = Gelu(x)"),
    unary("silu", onnx="s = Sigmoid(x)\n y = Mul(x, s)"),
    unary("sigmoid", onnx="y = Sigmoid(x)"),
    unary("tanh", onnx="y = Tanh(x)"),
    unary("hardswish", onnx="y = HardSwish(x)"),
    unary("hardsigmoid", onnx="y = HardSigmoid<alpha = 0.1666667>(x)"),
    unary("leaky_relu", onnx="y = LeakyRelu(x)"),
    unary("softplus", onnx="y = Softplus(x)"),
    unary("exp", "paddle.exp(x)", "y = Exp(x)"),
    unary("log", "paddle.log(x)", "y = Log(x)", "x:f32[128*N,1024]%unit"),
    unary("sqrt", "paddle.sqrt(x)", "y = Sqrt(x)", "x:f32[128*N,1024]%unit"),
    unary("rsqrt", "paddle.rsqrt(x)", None, "x:f32[128*N,1024]%unit"),
    unary("abs", "paddle.abs(x)", "y = Abs(x)"),
    unary("floor", "paddle.floor(x)", "y = Floor(x)"),
    unary("erf", "paddle.erf(x)", "y = Erf(x)"),
    unary("clip", "paddle.clip(x, -0.5, 0.5)",
          "l = Constant<value = float {-0.5}>()\n h = Constant<value = float {0.5}>()\n y = Clip(x, l, h)"),
    Case("greater_than", XY, "x > y_", "y = Greater(x, y_)"),
    Case("equal", "x:i64[128*N,1024]%4 y_:i64[128*N,1024]%4", "x == y_", "y = Equal(x, y_)"),
    Case("logical_and", "x:b[128*N,1024] y_:b[128*N,1024]", "paddle.logical_and(x, y_)", "y = And(x, y_)"),
    Case("where", "c:b[128*N,1024] x:f32[128*N,1024] y_:f32[128*N,1024]", "paddle.where(c, x, y_)", "y = Where(c, x, y_)"),
    Case("cast to i64", X, "paddle.cast(x, 'int64')", "y = Cast<to = 7>(x)"),
    Case("cast to f16", X, "paddle.cast(x, 'float16')", "y = Cast<to = 10>(x)"),
    # ---- products
    Case("matmul, weights", "x:f32[128*N,1024] w=f32[1024,256]", "x @ w", "y = MatMul(x, w)"),
    Case("matmul, transposed", "x:f32[128*N,512] w:f32[256,512]", "paddle.matmul(x, w, transpose_y=True)",
         "y = Gemm<transB = 1>(x, w)"),
    Case("bmm", "x:f32[16*N,128,64] z:f32[16*N,64,128]", "paddle.bmm(x, z)", "y = MatMul(x, z)"),
    Case("linear", "x:f32[128*N,1024] w=f32[1024,256] b=f32[256]", "F.linear(x, w, b)", "m = MatMul(x, w)\n y = Add(m, b)"),
    Case("einsum", "x:f32[N,128,16,64] z:f32[N,128,16,64]", "paddle.einsum('bqhd,bkhd->bhqk', x, z)",
         'y = Einsum<equation = "bqhd,bkhd->bhqk">(x, z)'),
    Case("conv2d 3x3", IMAGE + " w=f32[32,32,3,3]", "F.conv2d(x, w, padding=1)", "y = Conv<pads = [1, 1, 1, 1]>(x, w)"),
    Case("conv2d 1x1", IMAGE + " w=f32[64,32,1,1]", "F.conv2d(x, w)", "y = Conv(x, w)"),
    Case("conv2d 7x7, stride 2", "x:f32[N,3,208,208] w=f32[32,3,7,7]", "F.conv2d(x, w, stride=2, padding=3)",
         "y = Conv<pads = [3, 3, 3, 3], strides = [2, 2]>(x, w)"),
    Case("depthwise 3x3", IMAGE + " w=f32[32,1,3,3]", "F.conv2d(x, w, padding=1, groups=32)",
         "y = Conv<group = 32, pads = [1, 1, 1, 1]>(x, w)"),
    Case("conv2d_transpose", IMAGE + " w=f32[32,16,2,2]", "F.conv2d_transpose(x, w, stride=2)",
         "y = ConvTranspose<strides = [2, 2]>(x, w)"),
    # ---- norms
    Case("softmax", X, "F.softmax(x)", "y = Softmax<axis = -1>(x)"),
    Case("log_softmax", X, "F.log_softmax(x)", "y = LogSoftmax<axis = -1>(x)"),
    Case("layer_norm", X + " w=f32[1024] b=f32[1024]", "F.layer_norm(x, [1024], w, b)", "y = LayerNormalization(x, w, b)"),
    Case("rms_norm", X + " w=f32[1024]", "x * paddle.rsqrt(paddle.mean(x * x, -1, keepdim=True) + 1e-5) * w",
         "y = RMSNormalization(x, w)"),
    Case("batch_norm", IMAGE + " m=f32[32] v=f32[32]%unit w=f32[32] b=f32[32]", "F.batch_norm(x, m, v, w, b)",
         "y = BatchNormalization(x, w, b, m, v)"),
    Case("group_norm", IMAGE + " w=f32[32] b=f32[32]", "F.group_norm(x, 8, 1e-5, w, b)",
         "y = GroupNormalization<num_groups = 8>(x, w, b)"),
    Case("instance_norm", IMAGE + " w=f32[32] b=f32[32]", "F.instance_norm(x, weight=w, bias=b)",
         "y = InstanceNormalization(x, w, b)"),
    # ---- pooling and images
    Case("max_pool2d", IMAGE, "F.max_pool2d(x, 3, 2, 1)",
         "y = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]>(x)"),
    Case("avg_pool2d", IMAGE, "F.avg_pool2d(x, 2, 2)", "y = AveragePool<kernel_shape = [2, 2], strides = [2, 2]>(x)"),
    Case("global average", IMAGE, "F.adaptive_avg_pool2d(x, 1)", "y = GlobalAveragePool(x)"),
    Case("nearest_interp", IMAGE, "F.interpolate(x, scale_factor=2, mode='nearest')",
         's = Constant<value = float[4] {1, 1, 2, 2}>()\n y = Resize<mode = "nearest", nearest_mode = "floor",'
         ' coordinate_transformation_mode = "asymmetric">(x, , s)'),
    Case("bilinear_interp", IMAGE, "F.interpolate(x, scale_factor=2, mode='bilinear')",
         's = Constant<value = float[4] {1, 1, 2, 2}>()\n y = Resize<mode = "linear">(x, , s)'),
    Case("grid_sample", IMAGE + " g:f32[N,64,64,2]", "F.grid_sample(x, g)", "y = GridSample<align_corners = 1>(x, g)"),
    Case("pixel_shuffle", IMAGE, "F.pixel_shuffle(x, 2)", 'y = DepthToSpace<blocksize = 2, mode = "CRD">(x)'),
    Case("roi_align", "x:f32[1,32*N,64,64] " + BOXES,
         "paddle.vision.ops.roi_align(x, boxes, paddle.full([1], 16, 'int32'), 7, aligned=True, sampling_ratio=2)",
         "i = Constant<value = int64[16] {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}>()\n"
         " y = RoiAlign<output_height = 7, output_width = 7, sampling_ratio = 2>(x, boxes, i)"),
    # ---- reductions and scans
    Case("sum, last axis", X, "paddle.sum(x, -1)", "a = Constant<value = int64[1] {-1}>()\n y = ReduceSum<keepdims = 0>(x, a)"),
    Case("sum, first axis", X, "paddle.sum(x, 0)", "a = Constant<value = int64[1] {0}>()\n y = ReduceSum<keepdims = 0>(x, a)"),
    Case("mean, height and width", IMAGE, "paddle.mean(x, [2, 3], keepdim=True)",
         "a = Constant<value = int64[2] {2, 3}>()\n y = ReduceMean(x, a)"),
    Case("mean, channels", IMAGE, "paddle.mean(x, 1)", "a = Constant<value = int64[1] {1}>()\n y = ReduceMean<keepdims = 0>(x, a)"),
    Case("max", X, "paddle.max(x, -1)", "a = Constant<value = int64[1] {-1}>()\n y = ReduceMax<keepdims = 0>(x, a)"),
    Case("sum, all axes", X, "paddle.sum(x)", "y = ReduceSum<keepdims = 0>(x)"),
    Case("prod", X, "paddle.prod(x, -1)", "a = Constant<value = int64[1] {-1}>()\n y = ReduceProd<keepdims = 0>(x, a)"),
    Case("argmax", X, "paddle.argmax(x, -1)", "y = ArgMax<axis = -1, keepdims = 0>(x)"),
    Case("argmax, channels", IMAGE, "paddle.argmax(x, 1)", "y = ArgMax<axis = 1, keepdims = 0>(x)"),
    Case("all", "x:b[128*N,1024]", "paddle.all(x, -1)", None),
    Case("p_norm", X, "paddle.norm(x, 2, -1)", "a = Constant<value = int64[1] {-1}>()\n y = ReduceL2<keepdims = 0>(x, a)"),
    Case("logsumexp", X, "paddle.logsumexp(x, -1)",
         "a = Constant<value = int64[1] {-1}>()\n y = ReduceLogSumExp<keepdims = 0>(x, a)"),
    Case("cumsum", X, "paddle.cumsum(x, -1)", "a = Constant<value = int64 {-1}>()\n y = CumSum(x, a)"),
    Case("cumsum, first axis", X, "paddle.cumsum(x, 0)", "a = Constant<value = int64 {0}>()\n y = CumSum(x, a)"),
    Case("cumprod", X, "paddle.cumprod(x, -1)", None),
    # ---- moving
    Case("transpose 2-D", X, "paddle.transpose(x, [1, 0])", "y = Transpose<perm = [1, 0]>(x)"),
    Case("transpose, channels last", IMAGE, "paddle.transpose(x, [0, 2, 3, 1])", "y = Transpose<perm = [0, 2, 3, 1]>(x)"),
    Case("transpose, channels first", "x:f32[N,64,64,32]", "paddle.transpose(x, [0, 3, 1, 2])", "y = Transpose<perm = [0, 3, 1, 2]>(x)"),
    Case("transpose, heads", "x:f32[N,128,16,64]", "paddle.transpose(x, [0, 2, 1, 3])", "y = Transpose<perm = [0, 2, 1, 3]>(x)"),
    Case("concat, last axis", "x:f32[64*N,1024] z:f32[64*N,1024]", "paddle.concat([x, z], -1)", "y = Concat<axis = -1>(x, z)"),
    Case("concat, channels", "x:f32[N,16,64,64] z:f32[N,16,64,64]", "paddle.concat([x, z], 1)", "y = Concat<axis = 1>(x, z)"),
    Case("stack", "x:f32[64*N,1024] z:f32[64*N,1024]", "paddle.stack([x, z], 1)", None),
    Case("split, last axis", X, "paddle.split(x, 4, -1)", "y, y1, y2, y3 = Split<axis = -1, num_outputs = 4>(x)"),
    Case("split, channels", IMAGE, "paddle.split(x, 2, 1)", "y, y1 = Split<axis = 1, num_outputs = 2>(x)"),
    Case("slice", X, "x[:, 256:768]",
         "s = Constant<value = int64[1] {256}>()\n e = Constant<value = int64[1] {768}>()\n"
         " a = Constant<value = int64[1] {1}>()\n y = Slice(x, s, e, a)"),
    Case("strided_slice", X, "paddle.strided_slice(x, [1], [0], [1024], [2])",
         "s = Constant<value = int64[1] {0}>()\n e = Constant<value = int64[1] {1024}>()\n"
         " a = Constant<value = int64[1] {1}>()\n t = Constant<value = int64[1] {2}>()\n y = Slice(x, s, e, a, t)"),
    Case("tile", "x:f32[64*N,512]", "paddle.tile(x, [2, 2])", "r = Constant<value = int64[2] {2, 2}>()\n y = Tile(x, r)"),
    Case("expand", "x:f32[N,1,1024]", "paddle.expand(x, [-1, 128, -1])",
         "r = Constant<value = int64[3] {1, 128, 1}>()\n y = Expand(x, r)"),
    Case("pad", IMAGE, "F.pad(x, [1, 1, 1, 1])", "p = Constant<value = int64[8] {0,0,1,1,0,0,1,1}>()\n y = Pad(x, p)"),
    Case("flip", X, "paddle.flip(x, [1])", None),
    Case("roll", X, "paddle.roll(x, 100, 1)", None),
    Case("tril", "x:f32[N,128,1024]", "paddle.tril(x)", "y = Trilu<upper = 0>(x)"),
    Case("one_hot", "i:i64[128*N]%1024", "F.one_hot(i, 1024)",
         "d = Constant<value = int64 {1024}>()\n v = Constant<value = float[2] {0, 1}>()\n y = OneHot(i, d, v)"),
    # ---- by index
    Case("embedding", "i:i64[128*N]%30000 w=f32[30000,1024]", "F.embedding(i, w)", "y = Gather(w, i)"),
    Case("gather", "x:f32[128*N,1024] i:i64[128*N]%128", "paddle.gather(x, i)", "y = Gather(x, i)"),
    Case("index_select, columns", "x:f32[128*N,1024] i:i64[512]%1024", "paddle.index_select(x, i, 1)", "y = Gather<axis = 1>(x, i)"),
    Case("gather_nd", "x:f32[128,32,1024] i:i64[128*N,2]%32", "paddle.gather_nd(x, i)", "y = GatherND(x, i)"),
    Case("take_along_axis", "x:f32[128*N,1024] i:i64[128*N,1024]%1024", "paddle.take_along_axis(x, i, 1)",
         "y = GatherElements<axis = 1>(x, i)"),
    Case("scatter", "x:f32[128*N,1024] i:i64[64*N,1]%each u:f32[64*N,1024]", "paddle.scatter(x, i.flatten(), u)",
         "y = ScatterND(x, i, u)"),
    Case("scatter_nd_add", "x:f32[128*N,1024] i:i64[64*N,1]%each u:f32[64*N,1024]", "paddle.scatter_nd_add(x, i, u)",
         'y = ScatterND<reduction = "add">(x, i, u)'),
    Case("put_along_axis", "x:f32[128*N,1024] i:i64[128*N,256]%each u:f32[128*N,256]", "paddle.put_along_axis(x, i, u, 1)",
         "y = ScatterElements<axis = 1>(x, i, u)"),
    # ---- sorting and selecting
    Case("topk", X, "paddle.topk(x, 16)", "k = Constant<value = int64[1] {16}>()\n y, y1 = TopK(x, k)"),
    Case("argsort", "x:f32[128*N,1024]%each", "paddle.argsort(x)", "k = Constant<value = int64[1] {1024}>()\n v, y = TopK<largest = 0>(x, k)"),
    Case("nonzero", "x:b[128*N,1024]", "paddle.nonzero(x)", "t = NonZero(x)\n y = Transpose(t)"),
    Case("masked_select", "x:f32[128*N,1024] m:b[128*N,1024]", "paddle.masked_select(x, m)",
         "s = Constant<value = int64[1] {-1}>()\n f = Reshape(x, s)\n g = Reshape(m, s)\n y = Compress(f, g)"),
    Case("unique", "x:i64[128*N*1024]%1000", "paddle.unique(x)", "y = Unique<sorted = 1>(x)"),
    Case("multiclass_nms3", "boxes:f32[1,256*N,4]%box s:f32[1,4,256*N]%unit",
         "nms(boxes, s)", None),
    # ---- recurrent
    Case("lstm", "x:f32[16*N,32,128] w=f32[1,512,128]%small r=f32[1,512,128]%small b=f32[1,1024]", "rnn('LSTM', x)",
         "t = Transpose<perm = [1, 0, 2]>(x)\n o = LSTM<hidden_size = 128>(t, w, r, b)\n"
         " a = Constant<value = int64[1] {1}>()\n q = Squeeze(o, a)\n y = Transpose<perm = [1, 0, 2]>(q)"),
    Case("gru", "x:f32[16*N,32,128] w=f32[1,384,128]%small r=f32[1,384,128]%small b=f32[1,768]", "rnn('GRU', x)",
         "t = Transpose<perm = [1, 0, 2]>(x)\n o = GRU<hidden_size = 128, linear_before_reset = 1>(t, w, r, b)\n"
         " a = Constant<value = int64[1] {1}>()\n q = Squeeze(o, a)\n y = Transpose<perm = [1, 0, 2]>(q)"),
]

EMPTY = Case("empty call", "x:f32[1]", "paddle.floor(x)", "y = Floor(x)")
