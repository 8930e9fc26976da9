"""Rows of `./dev bench graph`: programs, frameworks compared, and bars for the static graph."""

from __future__ import annotations

from dataclasses import dataclass, field

import graph_work as work
from graph_work import Work

TITLES = {
    "dyad": "Dyad",
    "dyad-dynamic": "Dyad, dynamic",
    "torch": "PyTorch",
    "torch-compile": "torch.compile",
    "torch-frozen": "torch.compile, frozen",
    "jax": "JAX",
    "mindspore": "MindSpore graph",
    "onnx": "ONNX Runtime",
}
OURS = ("dyad", "dyad-dynamic")
PEERS = tuple(form for form in TITLES if form not in OURS)
KEEPS_COMPILED = ("dyad", "torch-compile", "jax")  # what they compile can be found by another process


@dataclass(frozen=True)
class GraphRow:
    """A program of the workers' frameworks, the same in all of them."""

    key: str  # for --rows
    name: str
    program: str  # a method of the frameworks
    work: Work
    bar: float | None = None  # most of Dyad's time divided by the fastest peer's
    bar_of: dict[str, float] = field(default_factory=dict)  # the same for one peer
    left_out: dict[str, str] = field(default_factory=dict)  # forms, and why they are not measured
    seconds: float = 0.2  # of one turn
    turns: int = 7
    first_bar: float | None = None  # seconds of the first call beyond a later one
    memory_bar: float | None = None  # most of Dyad's peak divided by the smallest peer's
    tolerance: float = 1e-3  # of the largest number of the result

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(form for form in TITLES if form not in self.left_out)

    def fresh(self, form: str) -> bool:
        """True if the form runs in its own process, since its first call or its peak memory is measured."""
        return self.memory_bar is not None or (self.first_bar is not None and form in KEEPS_COMPILED)


NOT_EXPORTED = {"onnx": "only the MLP, BERT and ResNet-50 are exported"}
WITHOUT_WEIGHTS = {"torch-frozen": "there are no weights to freeze", **NOT_EXPORTED}
TRAINED = {"torch-frozen": "weights that change cannot be frozen", "onnx": "does not train"}
MLP = work.dense(64, [784, 512, 512, 10])
GPT = work.transformer(8, 128, 256, 4, 1000)
MATRIX = 4096 * 1024

ROWS: list[GraphRow] = [
    GraphRow(
        "add",
        "add of 16 floats, cached call",
        "add",
        work.pointwise(16, 1, 3),
        2.0,
        {"jax": 0.5},
        WITHOUT_WEIGHTS,
    ),
    GraphRow(
        "chain",
        "8-operator chain on 4 M floats",
        "chain",
        work.pointwise(4 << 20, 8, 2),
        0.7,
        left_out=WITHOUT_WEIGHTS,
        first_bar=0.06,
    ),
    GraphRow(
        "softmax",
        "softmax 4096x1024",
        "softmax",
        work.pointwise(MATRIX, 5, 2),
        0.9,
        left_out=WITHOUT_WEIGHTS,
    ),
    GraphRow(
        "layer_norm",
        "layer norm 4096x1024",
        "layer_norm",
        work.pointwise(MATRIX, 8, 2),
        0.9,
        left_out=WITHOUT_WEIGHTS,
    ),
    GraphRow("mlp", "MLP forward, batch 64", "mlp", MLP, 0.85),
    GraphRow(
        "mlp_momentum",
        "MLP train step, Momentum",
        "mlp_momentum",
        work.trained(MLP, 1),
        0.85,
        left_out=TRAINED,
        first_bar=0.1,
    ),
    GraphRow("mlp_adam", "MLP train step, Adam", "mlp_adam", work.trained(MLP, 2), 0.85, left_out=TRAINED),
    GraphRow(
        "while",
        "`while`, 100 x tanh(x@x)+0.1, 64x64",
        "loop",
        work.repeated(work.dense(64, [64, 64]), 100),
        0.8,
        left_out={"torch-compile": "writes out the hundred turns, which takes minutes", **WITHOUT_WEIGHTS},
    ),
    GraphRow(
        "bert",
        "BERT-base forward, batch 1, 128 tokens",
        "bert",
        work.transformer(1, 128, 768, 12),
        0.85,
        seconds=0.6,
        turns=5,
        first_bar=0.3,
    ),
    GraphRow(
        "gpt",
        "GPT train step (4x256, batch 8x128, Adam)",
        "gpt",
        work.trained(GPT, 2),
        0.85,
        left_out=TRAINED,
        seconds=0.7,
        turns=5,
        first_bar=0.4,
        memory_bar=0.9,
    ),
    GraphRow(
        "resnet",
        "ResNet-50 forward, batch 1",
        "resnet",
        work.resnet50(1),
        1.0,
        seconds=0.4,
        turns=5,
    ),
    GraphRow(
        "resnet_train",
        "ResNet-50 train step, batch 8",
        "resnet_train",
        work.trained(work.resnet50(8), 1),
        0.85,
        left_out={"mindspore": "takes more than ten seconds a step", **TRAINED},
        seconds=1.0,
        turns=3,
        first_bar=1.0,
        memory_bar=0.9,
        tolerance=1e-2,
    ),
    GraphRow(
        "lstm",
        "LSTM, 16 steps of 256, batch 16",
        "lstm",
        work.repeated(work.dense(16, [512, 1024]), 16),
        left_out=NOT_EXPORTED,
    ),
    GraphRow(
        "gather",
        "gather 7 x 997 rows of 129, mean, product",
        "gather",
        Work(2 * 997 * 129 * 37, (7 * 997 * 129 + 997 * 37) * 4),
        left_out=WITHOUT_WEIGHTS,
    ),
    GraphRow(
        "bfloat16",
        "MLP forward in bfloat16, batch 64",
        "mlp_bfloat16",
        work.dense(64, [784, 512, 512, 10], 2),
        left_out={"mindspore": "has no CPU kernels for bfloat16", **WITHOUT_WEIGHTS},
        tolerance=5e-2,
    ),
    GraphRow(
        "float16",
        "MLP forward in float16, batch 64",
        "mlp_float16",
        work.dense(64, [784, 512, 512, 10], 2),
        left_out=WITHOUT_WEIGHTS,
        tolerance=5e-3,
    ),
    GraphRow(
        "depthwise",
        "4 depthwise blocks of 64 at 56x56",
        "depthwise",
        Work(4 * 2 * 56 * 56 * (64 * 9 + 64 * 64), 2 * 64 * 56 * 56 * 4),
        left_out=NOT_EXPORTED,
    ),
    GraphRow(
        "sizes",
        "MLP forward, batches of 17, 33 and 50 in turn",
        "symbolic_dims",
        Work(100 / 64 * MLP.flop, 3 * MLP.bytes),
        left_out=NOT_EXPORTED,
    ),
]
LAYER_COUNTS = (10, 100, 1000)
GUARDED_CELLS = 160
LAYERS_BAR = 5.0  # seconds for the most layers
