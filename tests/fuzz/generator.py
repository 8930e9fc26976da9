"""Random graphs: which rules are used how often. The same seed and number give the same graph everywhere."""

from . import effects, movement, pointwise, rounding
from .graph import Graph
from .writer import Writer

_EXACT = {
    pointwise.elementwise: 8,
    pointwise.operator: 5,
    pointwise.composed: 2,
    pointwise.cast: 2,
    pointwise.choose: 2,
    movement.reorder: 2,
    movement.reshape: 1,
    movement.broadcast: 1,
    movement.part: 2,
    movement.join: 1,
    movement.further: 1,
    movement.pieces: 1,
    movement.gather: 1,
    rounding.extreme: 1,
    effects.write: 1,
    effects.assign: 1,
    effects.loop: 1,
    effects.branch: 1,
}
_ROUNDING = {
    rounding.reduction: 4,
    rounding.normalised: 4,
    rounding.scan: 1,
    rounding.loss: 1,
    rounding.product: 3,
    rounding.convolution: 1,
    rounding.pool: 1,
    rounding.attention: 1,
}
# The share of graphs that hold only what every form computes to the bit, and of those that are differentiated.
_EXACT_SHARE = 0.4
_DIFFERENTIATED_SHARE = 0.2
_MOST_ATTEMPTS = 60


def graph_of(seed: int, number: int) -> Graph:
    """Graph `number` of the stream that the seed gives."""
    opening = Writer(f"{seed} {number}")
    exact = opening.chance(_EXACT_SHARE)
    differentiated = opening.chance(_DIFFERENTIATED_SHARE)
    w = Writer(f"{seed} {number} graph", differentiated)
    rules = _EXACT if exact else {**_EXACT, **_ROUNDING}
    for _ in range(w.number(1, 3)):
        w.argument()
    wanted = w.draw.choice([2, 4, 6, 8, 12, 20])
    for _ in range(_MOST_ATTEMPTS):
        if len(w.graph.statements) >= wanted:
            break
        rule = w.draw.choices(list(rules), list(rules.values()))[0]
        rule(w)
    return w.finish()
