"""Rows of `./dev bench train`: training steps, each the same program in both frameworks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainRow:
    """A model of models_dyad and models_torch, its inputs, and its optimizer."""

    name: str
    model: str
    optimizer: str  # a method of the workers' frameworks
    input: tuple[int, ...]
    words: int = 0  # inputs are words below this number; 0: float32
    classes: int = 10  # labels are below this number
    memory: bool = False  # whether the peak of resident memory counts

    @property
    def labels(self) -> tuple[int, ...]:
        """One label per sample; for words, one per position."""
        places = 1
        for size in self.input if self.words else self.input[:1]:
            places *= size
        return (places,)


ROWS: list[TrainRow] = [
    TrainRow("MLP 784-512-512-10, batch 64, Momentum", "mlp", "momentum", (64, 784)),
    TrainRow("MLP 784-512-512-10, batch 64, Adam", "mlp", "adam", (64, 784)),
    TrainRow(
        "GPT, 4 layers of 256, 8 heads, batch 8, length 128, Adam",
        "gpt",
        "adam",
        (8, 128),
        words=1000,
        classes=1000,
        memory=True,
    ),
    TrainRow(
        "ResNet-50, batch 8, Momentum", "resnet50", "momentum", (8, 3, 224, 224), classes=1000, memory=True
    ),
]
