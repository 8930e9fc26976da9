"""A training loop as people write it, in plain Python, made static by one line: capture_mode="bytecode".

Dataclasses hold the settings and what the model returns, batches are dicts that are passed on as keywords, metrics are
a dict of Python numbers, some of them computed with NumPy, and `logging` tells how it goes. Nothing is decorated and
nothing is written for a compiler. A small transformer learns to label the names in sentences as those of people or of
places, which only the rest of the sentence can tell. It is trained twice, from the same seed on the same batches: as it
stands, and with

    step = jit(train_step, capture_mode="bytecode")

What is shown: the losses, how many graphs the step became, where graphs end and why, and the time of a step.

    python examples/plain_training_loop.py [--steps 200]
"""

import argparse
import dataclasses
import logging
import math
import statistics
import sys
import time

import numpy as np

import dyad
from dyad import Tensor, jit, nn, ops

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

logger = logging.getLogger("trainer")

LABELS = ("other", "person", "place")
PADDING, MET, VISITED, NAMES = 0, 1, 2, range(3, 24)  # tokens
TIMED_STEPS = 50


# --- What is set, and what is returned ------------------------------------------------------------------------


@dataclasses.dataclass
class ModelConfig:
    vocabulary: int = 64
    width: int = 48
    heads: int = 4
    layers: int = 2
    length: int = 32
    labels: int = len(LABELS)
    activation: str = "gelu"
    label_smoothing: float = 0.05


@dataclasses.dataclass
class TrainingArguments:
    batch_size: int = 16
    max_steps: int = 200
    learning_rate: float = 1e-3
    warmup_steps: int = 20
    max_grad_norm: float = 0.5
    logging_steps: int = 50
    patience: int = 50
    least_improvement: float = 1e-3
    seed: int = 1


@dataclasses.dataclass
class TokenClassifierOutput:
    loss: Tensor | None = None
    logits: Tensor | None = None
    attentions: tuple = ()


# --- The model ------------------------------------------------------------------------------------------------

ACTIVATIONS = {"gelu": ops.gelu, "relu": ops.relu, "silu": ops.silu}


class SelfAttention(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.heads = config.heads
        self.head_width = config.width // config.heads
        self.query, self.key, self.value = (nn.Dense(config.width, config.width) for _ in range(3))
        self.output = nn.Dense(config.width, config.width)

    def split_heads(self, x):
        batch, length, _ = x.shape
        return x.reshape(batch, length, self.heads, self.head_width).transpose(0, 2, 1, 3)

    def construct(self, hidden, attention_mask=None, output_attentions=False, **kwargs):
        query, key, value = (self.split_heads(layer(hidden)) for layer in (self.query, self.key, self.value))
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / math.sqrt(self.head_width)
        if attention_mask is not None:
            scores = scores + (1.0 - attention_mask[:, None, None, :]) * -1e9
        weights = ops.softmax(scores, -1)
        context = ops.matmul(weights, value).transpose(0, 2, 1, 3).reshape(hidden.shape)
        outputs = (self.output(context),)
        return (*outputs, weights) if output_attentions else outputs


class Block(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.attention = SelfAttention(config)
        self.first_norm, self.second_norm = nn.LayerNorm((config.width,)), nn.LayerNorm((config.width,))
        self.up, self.down = (
            nn.Dense(config.width, 4 * config.width),
            nn.Dense(4 * config.width, config.width),
        )
        self.activation = ACTIVATIONS[config.activation]

    def construct(self, hidden, **kwargs):
        attended, *rest = self.attention(self.first_norm(hidden), **kwargs)
        hidden = hidden + attended
        hidden = hidden + self.down(self.activation(self.up(self.second_norm(hidden))))
        return (hidden, *rest)


class TokenClassifier(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.inputs = ("input_ids", "attention_mask", "labels")
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.length, config.width)
        self.blocks = nn.CellList([Block(config) for _ in range(config.layers)])
        self.norm = nn.LayerNorm((config.width,))
        self.classifier = nn.Dense(config.width, config.labels)

    def construct(self, input_ids, attention_mask=None, labels=None, output_attentions=False, **kwargs):
        hidden = self.tokens(input_ids) + self.positions(ops.arange(input_ids.shape[1]))
        attentions = ()
        for block in self.blocks:
            hidden, *weights = block(
                hidden, attention_mask=attention_mask, output_attentions=output_attentions, **kwargs
            )
            attentions += tuple(weights)
        logits = self.classifier(self.norm(hidden))
        loss = None
        if labels is not None:
            loss = self.loss(logits=logits, labels=labels, attention_mask=attention_mask)
        return TokenClassifierOutput(loss=loss, logits=logits, attentions=attentions)

    def loss(self, *, logits, labels, attention_mask):
        """Cross entropy with smoothed labels, over what is not padding."""
        smoothing = self.config.label_smoothing
        scores = ops.log_softmax(logits, -1)
        wanted = ops.one_hot(labels, self.config.labels, 1.0 - smoothing, smoothing / self.config.labels)
        return -((scores * wanted).sum(-1) * attention_mask).sum() / attention_mask.sum()


# --- Training -------------------------------------------------------------------------------------------------


def clip_gradients(gradients, max_norm):
    """(the gradients, no longer together than the norm, and how long they were)."""
    norm = ops.sqrt(sum((gradient * gradient).sum() for gradient in gradients))
    scale = ops.minimum(max_norm / (norm + 1e-6), Tensor(1.0))
    return tuple(gradient * scale for gradient in gradients), norm


def compute_metrics(predictions, labels, mask):
    """Accuracy, and the recall of each label, with NumPy as metrics usually are."""
    kept = mask > 0
    pairs = np.bincount(labels[kept] * len(LABELS) + predictions[kept], minlength=len(LABELS) ** 2)
    confusion = pairs.reshape(len(LABELS), len(LABELS))
    metrics = {"accuracy": float(confusion.trace() / confusion.sum())}
    for number, label in enumerate(LABELS):
        metrics[f"recall/{label}"] = float(confusion[number, number] / max(confusion[number].sum(), 1))
    return metrics


def train_step(trainer, batch):
    """One step on a batch: forward, gradients, clipping, update. Gives the metrics as Python numbers."""
    inputs = {name: value for name, value in batch.items() if name in trainer.model.inputs}
    (loss, outputs), gradients = trainer.loss_and_gradients(inputs)
    gradients, norm = clip_gradients(gradients, trainer.arguments.max_grad_norm)
    trainer.optimizer(gradients)

    metrics = {"loss": float(loss), "grad_norm": float(norm)}
    if not math.isfinite(metrics["loss"]):
        logger.warning("the loss is %s, the norm of the gradients %s", metrics["loss"], metrics["grad_norm"])
    predictions = outputs.logits.argmax(-1)
    metrics |= compute_metrics(
        predictions.asnumpy(), batch["labels"].asnumpy(), batch["attention_mask"].asnumpy()
    )
    return metrics


class Trainer:
    """A model in training, and the history of its metrics."""

    def __init__(self, model, arguments, step):
        self.model, self.arguments, self.step = model.set_train(), arguments, step
        self.optimizer = nn.AdamWeightDecay(model.trainable_params(), learning_rate=self.schedule())
        self.loss_and_gradients = dyad.value_and_grad(
            self.compute_loss, None, self.optimizer.parameters, has_aux=True
        )
        self.history, self.seconds = [], []

    def schedule(self):
        """The learning rate of each step: warmed up, then along a cosine."""
        peak, warmup, last = (
            getattr(self.arguments, name) for name in ("learning_rate", "warmup_steps", "max_steps")
        )
        return [
            peak * min((step + 1) / warmup, 0.5 + 0.5 * math.cos(math.pi * step / last))
            for step in range(last)
        ]

    def compute_loss(self, inputs):
        outputs = self.model(**inputs)
        return outputs.loss, outputs

    def train(self, batches, name):
        """Steps until the batches end or the loss has not improved for a while."""
        best, waited = math.inf, 0
        for number, batch in enumerate(progress(batches, name), 1):
            start = time.perf_counter()
            metrics = self.step(self, batch)
            self.seconds.append(time.perf_counter() - start)
            self.history.append({"step": number, **metrics})
            if number % self.arguments.logging_steps == 0:
                logger.info(
                    "%s: %s", name, ", ".join(f"{key} {value:.4g}" for key, value in self.history[-1].items())
                )
            better = metrics["loss"] < best - self.arguments.least_improvement
            best, waited = (metrics["loss"], 0) if better else (best, waited + 1)
            if waited > self.arguments.patience:
                logger.info("%s: no better loss for %d steps, stopping", name, waited)
                break
        return self

    @property
    def losses(self):
        return [metrics["loss"] for metrics in self.history]


def progress(batches, name):
    return batches if tqdm is None else tqdm(batches, desc=name, leave=False)


# --- Sentences ------------------------------------------------------------------------------------------------


def make_batch(config, arguments, random):
    """Sentences of different lengths: a name is a person after "met" somewhere, and a place after "visited"."""
    shape = arguments.batch_size, config.length
    ids = random.integers(NAMES.stop, config.vocabulary, shape)
    ids[random.random(shape) < 0.4] = random.choice(NAMES)
    verbs = random.choice([MET, VISITED], len(ids))
    ids[np.arange(len(ids)), random.integers(0, config.length // 2, len(ids))] = verbs
    mask = np.arange(config.length) < random.integers(config.length // 2, config.length + 1, (len(ids), 1))
    is_name = (ids >= NAMES.start) & (ids < NAMES.stop)
    return {
        "input_ids": Tensor(np.where(mask, ids, PADDING).astype(np.int32)),
        "attention_mask": Tensor(mask.astype(np.float32)),
        "labels": Tensor(np.where(is_name & mask, verbs[:, None], 0).astype(np.int32)),
        "verbs": Tensor(verbs),  # which the model does not ask for
    }


def make_batches(config, arguments, count):
    random = np.random.default_rng(arguments.seed)
    return [make_batch(config, arguments, random) for _ in range(count)]


# --- Both forms, side by side ---------------------------------------------------------------------------------


def train(form, config, arguments, name):
    """A Trainer that has been through all steps."""
    dyad.set_seed(arguments.seed)
    batches = make_batches(config, arguments, arguments.max_steps)
    return Trainer(TokenClassifier(config), arguments, form).train(batches, name)


def time_in_turns(trainers, batches):
    """The median time of a step of each trainer, on the same batches by turns."""
    seconds = {name: [] for name in trainers}
    for batch in batches:
        for name, trainer in trainers.items():
            start = time.perf_counter()
            trainer.step(trainer, batch)
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in seconds.items()}


def graphs(explanation):
    """How many graphs the step is."""
    if explanation.rejection is None:
        return 1
    return sum(piece.graphs for piece in explanation.pieces if piece.is_graph)


def breaks(explanation):
    """Line -> why Python runs something of it."""
    reasons = {}
    for piece in explanation.pieces:
        if not piece.is_graph:
            reasons.setdefault(piece.first_line, piece.because)
    return reasons


def show_losses(one, other):
    print(f"\n  {'step':>6}{'as it stands':>16}{'bytecode':>12}{'apart':>10}")
    count = min(len(one.losses), len(other.losses))
    for number in sorted({1, 2, 10, 50, 100, 200, count}):
        if number <= count:
            first, second = one.losses[number - 1], other.losses[number - 1]
            print(f"  {number:>6}{first:>16.6f}{second:>12.6f}{abs(first - second):>10.0e}")


def show_pieces(explanation):
    found, where = graphs(explanation), breaks(explanation)
    print(f"\n  train_step: {found} {'graph' if found == 1 else 'graphs'}, breaks in {len(where)} lines")
    for piece in explanation.pieces:
        if piece.is_graph and piece.graphs:
            print(f"    lines {piece.first_line} to {piece.last_line}: a graph, called {piece.calls} times")
    for line, because in where.items():
        print(f"    line {line}: {because}")


def show_times(trainers, later):
    print(f"\n  {'':<16}{'first step':>12}{'later step':>12}")
    for name, trainer in trainers.items():
        print(f"  {name:<16}{trainer.seconds[0] * 1e3:>9.1f} ms{later[name] * 1e3:>9.2f} ms")


def main():
    parser = argparse.ArgumentParser(description="Train a token classifier in plain Python and as graphs.")
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="  %(message)s", stream=sys.stdout)
    config, arguments = ModelConfig(), TrainingArguments(max_steps=options.steps)

    dynamic = train(train_step, config, arguments, "as it stands")
    step = jit(train_step, capture_mode="bytecode")  # the one line
    static = train(step, config, arguments, "bytecode")

    trainers = {"as it stands": dynamic, "bytecode": static}
    batches = make_batches(config, arguments, TIMED_STEPS)
    show_losses(dynamic, static)
    show_pieces(dyad.explain(step)(static, batches[0]))
    show_times(trainers, time_in_turns(trainers, batches))
    print()


if __name__ == "__main__":
    main()
