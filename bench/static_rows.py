"""What `./dev bench static` measures: programs as static graphs, and what it costs to make graphs of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StaticRow:
    """A program of the workers' frameworks and which forms of it are measured."""

    name: str
    program: str  # a method of the workers' frameworks that makes the callable and its inputs
    forms: tuple[str, ...]
    first: bool = False  # the first call, in a process of its own, instead of later ones
    bar: float | None = None  # seconds that Dyad's static form may take


EVERY_FORM = ("dyad", "dyad-jit", "torch", "torch-compile", "jax-jit")
WITHOUT_COMPILERS = ("dyad", "dyad-jit", "torch")
MAKES_GRAPHS = ("dyad-jit", "torch-capture", "jax-trace")

ROWS: list[StaticRow] = [
    StaticRow("a + b, 16 floats", "add", EVERY_FORM, bar=5e-6),
    StaticRow("MLP, 3 layers of 16, batch 1", "small_mlp", EVERY_FORM),
    StaticRow("160 layers of 16, batch 1", "layers_160", (*WITHOUT_COMPILERS, "jax-jit")),
    StaticRow("while loop, 100 turns", "loop", (*WITHOUT_COMPILERS, "jax-jit")),
    StaticRow("MLP 784-512-512-10, batch 64", "mlp", EVERY_FORM),
    StaticRow(
        "the same, with gradients, the network alone a graph",
        "mlp_gradient",
        ("dyad", "dyad-jit", "torch", "torch-compile"),
    ),
    StaticRow("BERT-base, batch 1, length 128", "bert_base", WITHOUT_COMPILERS),
    StaticRow("ResNet-50, batch 1", "resnet50", WITHOUT_COMPILERS),
    StaticRow("a + b", "add", MAKES_GRAPHS, first=True),
    StaticRow("while loop", "loop", ("dyad-jit", "jax-trace"), first=True),
    StaticRow("MLP, 3 layers", "small_mlp", MAKES_GRAPHS, first=True),
    StaticRow("MLP, 100 layers", "layers_100", MAKES_GRAPHS, first=True),
    StaticRow("MLP, 500 layers", "layers_500", ("dyad-jit", "jax-trace"), first=True),
    StaticRow("MLP, 1000 layers", "layers_1000", ("dyad-jit", "jax-trace"), first=True),
    StaticRow("BERT-base", "bert_base", ("dyad-jit", "torch-capture"), first=True, bar=0.5),
    StaticRow("ResNet-50", "resnet50", ("dyad-jit", "torch-capture"), first=True, bar=0.5),
]
