"""Rows of `./dev bench eager`: one per expression, written once for each framework."""

from __future__ import annotations

from dataclasses import dataclass, field

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """An expression over named float32 inputs, or a model called on them, in Dyad and in PyTorch."""

    group: str
    name: str
    inputs: dict[str, Shape]
    dyad: str
    torch: str
    model: str = ""  # a function of models_dyad and models_torch that makes `net`
    indices: dict[str, int] = field(default_factory=dict)  # inputs that hold integers below the given number


def small(name: str, dyad: str, torch: str | None = None, **inputs: Shape) -> Row:
    return Row("call overhead", name, inputs or {"x": (16,), "y": (16,)}, dyad, torch or dyad)


def matmul(name: str, a: Shape, b: Shape) -> Row:
    return Row(
        "matmul", f"{name} {_by(a)} @ {_by(b)}", {"a": a, "b": b}, "ops.matmul(a, b)", "torch.matmul(a, b)"
    )


def dense(name: str, rows: int, inside: int, outside: int) -> Row:
    inputs = {"x": (rows, inside), "w": (outside, inside), "b": (outside,)}
    return Row(
        "matmul", f"{name} {rows}x{inside} -> {outside}", inputs, "ops.dense(x, w, b)", "F.linear(x, w, b)"
    )


def conv(channels: int, filters: int, size: int, kernel: int, stride: int = 1) -> Row:
    name = f"{kernel}x{kernel} {channels} -> {filters} at {size}x{size}" + (
        f", stride {stride}" if stride > 1 else ""
    )
    padding = kernel // 2
    inputs = {"x": (1, channels, size, size), "w": (filters, channels, kernel, kernel)}
    return Row(
        "convolution",
        name,
        inputs,
        f"ops.conv2d(x, w, None, {stride}, 'pad', {padding})",
        f"F.conv2d(x, w, None, {stride}, {padding})",
    )


def _by(shape: Shape) -> str:
    return "x".join(map(str, shape))


MATRIX: Shape = (4096, 1024)
# Eight operators, each reading and writing 16 MB; without fusion this is a test of memory traffic and loops.
CHAIN_DYAD = "ops.tanh(ops.exp(ops.abs((x * y + y - x) * 0.5)) / 3.0)"
CHAIN_TORCH = CHAIN_DYAD.replace("ops.", "torch.")

ROWS: list[Row] = [
    small("add", "x + y"),
    small("multiply", "x * y"),
    small("add a number", "x + 1.0"),
    small("compare", "x > y"),
    small("exp", "ops.exp(x)", "torch.exp(x)"),
    small("relu", "ops.relu(x)", "torch.relu(x)"),
    small("gelu", "ops.gelu(x)", "F.gelu(x)"),
    small("sum", "x.sum()"),
    small("softmax", "ops.softmax(m, -1)", "torch.softmax(m, -1)", m=(4, 4)),
    small("matmul", "ops.matmul(m, n)", "torch.matmul(m, n)", m=(4, 4), n=(4, 4)),
    small("reshape", "x.reshape(4, 4)"),
    small("transpose", "m.swapaxes(0, 1)", m=(4, 4)),
    small("slice", "x[2:10]"),
    small("concat", "ops.cat((x, y))", "torch.cat((x, y))"),
    Row(
        "call overhead", "MLP, 3 layers of 16, batch 1", {"x": (1, 16)}, "net(x)", "net(x)", model="small_mlp"
    ),
    Row("memory", "chain of 8 operators, 4 M", {"x": (4 << 20,), "y": (4 << 20,)}, CHAIN_DYAD, CHAIN_TORCH),
    Row("memory", "softmax 4096x1024", {"x": MATRIX}, "ops.softmax(x, -1)", "torch.softmax(x, -1)"),
    Row(
        "memory",
        "layer norm 4096x1024",
        {"x": MATRIX, "w": (1024,), "b": (1024,)},
        "ops.layer_norm(x, (1024,), w, b, 1e-5)",
        "F.layer_norm(x, (1024,), w, b, 1e-5)",
    ),
    dense("BERT projection", 128, 768, 768),
    dense("BERT up", 128, 768, 3072),
    dense("BERT down", 128, 3072, 768),
    dense("ResNet classifier", 1, 2048, 1000),
    matmul("BERT scores", (12, 128, 64), (12, 64, 128)),
    matmul("BERT context", (12, 128, 128), (12, 128, 64)),
    matmul("square", (1024, 1024), (1024, 1024)),
    conv(3, 64, 224, 7, 2),
    conv(64, 64, 56, 1),
    conv(64, 64, 56, 3),
    conv(64, 256, 56, 1),
    conv(128, 128, 56, 3, 2),
    conv(128, 128, 28, 3),
    conv(512, 1024, 28, 1, 2),
    conv(256, 256, 14, 3),
    conv(512, 512, 7, 3),
    conv(512, 2048, 7, 1),
    Row("model", "MLP 784-512-512-10, batch 64", {"x": (64, 784)}, "net(x)", "net(x)", model="mlp"),
    Row(
        "model",
        "BERT-base, batch 1, length 128",
        {"tokens": (1, 128)},
        "net(tokens)",
        "net(tokens)",
        model="bert_base",
        indices={"tokens": 30522},
    ),
    Row("model", "ResNet-50, batch 1", {"x": (1, 3, 224, 224)}, "net(x)", "net(x)", model="resnet50"),
]
