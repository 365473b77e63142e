"""What is measured against the limits of the machine: products and convolutions against the multiply-add peak, rows of elements against
the bandwidth of a non-temporal copy, pairs of a depthwise and a pointwise convolution beside ONNX Runtime. A case as in cases.py, and
`work`: ("flops", number) or ("bytes", number). As programs of their own the convolutions read and write images channels first, which
a network does not: `make bench-contract` measures the kernels alone."""
from cases import Case

CASES = []


def gemm(m, n, k):
    CASES.append(Case(f"gemm {m}x{n}x{k}", f"x:f32[{m},{k}] w=f32[{k},{n}]", "x @ w", "y = MatMul(x, w)", ("flops", 2 * m * n * k)))


def conv(c, size, o, k, s):
    out = size // s
    CASES.append(Case(f"conv {c} {size}x{size} {o} k{k}s{s}", f"x:f32[1,{c},{size},{size}] w=f32[{o},{c},{k},{k}]",
                      f"F.conv2d(x, w, stride={s}, padding={k // 2})",
                      f"y = Conv<pads = [{', '.join([str(k // 2)] * 4)}], strides = [{s}, {s}]>(x, w)", ("flops", 2 * c * o * k * k * out * out)))


def pair(c, size, o, s):
    out = size // s
    CASES.append(Case(f"dw+pw {c} {size}x{size} {o} s{s}",
                      f"x:f32[1,{c},{size},{size}] w=f32[{c},1,3,3] p=f32[{o},{c},1,1]",
                      f"F.relu(F.conv2d(F.relu(F.conv2d(x, w, stride={s}, padding=1, groups={c})), p))",
                      f"a = Conv<pads = [1, 1, 1, 1], strides = [{s}, {s}], group = {c}>(x, w)\n b = Relu(a)\n d = Conv(b, p)\n y = Relu(d)",
                      ("flops", 2 * out * out * c * (9 + o))))


def rows(name, paddle, onnx, extra="", tensors=2):
    CASES.append(Case(name + " 4096x4096", "x:f32[4096,4096]" + extra, paddle, onnx, ("bytes", tensors * 4096 * 4096 * 4)))


for shape in ((512, 512, 512), (1024, 1024, 1024), (128, 768, 768), (128, 3072, 768), (128, 768, 3072), (384, 768, 768),
              (1, 1000, 2048), (1, 4096, 4096)):
    gemm(*shape)
for shape in ((3, 224, 64, 7, 2), (64, 56, 64, 1, 1), (64, 56, 64, 3, 1), (64, 56, 256, 1, 1), (256, 56, 64, 1, 1), (256, 56, 128, 1, 1),
              (128, 56, 128, 3, 2), (128, 28, 512, 1, 1), (256, 56, 512, 1, 2), (512, 28, 128, 1, 1), (128, 28, 128, 3, 1),
              (512, 28, 256, 1, 1), (256, 28, 256, 3, 2), (256, 14, 1024, 1, 1), (512, 28, 1024, 1, 2), (1024, 14, 256, 1, 1),
              (256, 14, 256, 3, 1), (1024, 14, 512, 1, 1), (512, 14, 512, 3, 2), (512, 7, 2048, 1, 1), (1024, 14, 2048, 1, 2),
              (2048, 7, 512, 1, 1), (512, 7, 512, 3, 1)):
    conv(*shape)
for shape in ((32, 112, 64, 1), (64, 112, 128, 2), (128, 56, 128, 1), (128, 56, 256, 2), (256, 28, 256, 1), (256, 28, 512, 2),
              (512, 14, 512, 1), (512, 14, 1024, 2), (1024, 7, 1024, 1)):
    pair(*shape)
rows("softmax", "F.softmax(x)", "y = Softmax<axis = -1>(x)")
rows("layer_norm", "F.layer_norm(x, 4096, w, b)", "y = LayerNormalization<axis = -1, epsilon = 1e-5>(x, w, b)", " w=f32[4096] b=f32[4096]")
rows("gelu", "F.gelu(x + b)", "t = Add(x, b)\n y = Gelu(t)", " b=f32[4096]")
rows("x * sigmoid(x) + y", "x * F.sigmoid(x) + y_", "s = Sigmoid(x)\n t = Mul(x, s)\n y = Add(t, y_)", " y_:f32[4096,4096]", 3)
