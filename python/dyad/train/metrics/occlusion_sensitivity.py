"""Occlusion sensitivity: the parts of an input that a decision depends on."""

import numbers

from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_float, require_int
from dyad.nn import Cell
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["OcclusionSensitivity"]


class OcclusionSensitivity(Metric):
    """The decrease of a class's score when the input is covered around a position, for each position.

    Around position i, [i - margin, i + margin) is set to `pad_val`; `margin` is an int or has one for each axis.
    `n_batch` such inputs are run at a time. `b_box` has the first and the last position of each axis that is used; a
    negative last position means the end.
    """

    def __init__(self, pad_val: float = 0.0, margin=2, n_batch: int = 128, b_box: list | None = None) -> None:
        super().__init__()
        owner = "OcclusionSensitivity"
        self.pad_val = require_float(owner, "pad_val", pad_val)
        margins = margin if isinstance(margin, list) else [margin]
        for each in margins:
            require_int(owner, "margin", each, low=0)
        self.margin = margin
        self.n_batch = require_int(owner, "n_batch", n_batch, low=1)
        if b_box is not None and not isinstance(b_box, list):
            raise TypeError(
                f"{owner}: b_box is {b_box!r} of type {type(b_box).__name__}; need a list of ints"
            )
        self.b_box = b_box
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._sensitivity = None

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Runs a classifier, a Cell, on an input of shape (1, ...) and on its covered copies, for one label."""
        self._require_inputs(inputs, ("model", "input", "label"))
        model = inputs[0]
        if not isinstance(model, Cell):
            raise TypeError(
                f"OcclusionSensitivity.update: the model is of type {type(model).__name__}; need a Cell"
            )
        image, label = self._convert_data(inputs[1]), self._label(inputs[2])
        if image.ndim < 2 or image.shape[0] != 1:
            raise RuntimeError(
                f"OcclusionSensitivity.update: the input has shape {image.shape}; need (1, ...)"
            )
        first, last = self._box(numpy.array(image.shape[1:]))
        places = numpy.indices(last - first + 1).reshape(len(first), -1).T + first
        scores = [
            self._scores(model, self._covered(image, places[start : start + self.n_batch]), label)
            for start in range(0, len(places), self.n_batch)
        ]
        with_all = self._scores(model, image, label)[0]
        self._sensitivity = with_all - numpy.concatenate(scores).reshape(last - first + 1)

    def _label(self, given):
        if isinstance(given, numbers.Integral):
            return int(given)
        label = self._convert_data(given)
        if label.size != 1:
            raise RuntimeError(f"OcclusionSensitivity.update: there are {label.size} labels; need 1")
        return int(label.item())

    @staticmethod
    def _scores(model, images, label):
        return model(Tensor(images)).asnumpy()[:, label]

    def _covered(self, image, places):
        """A copy for each position, set to `pad_val` around it."""
        copies = numpy.repeat(image, len(places), axis=0)
        margins = numpy.broadcast_to(self._margins(places.shape[1]), places.shape)
        starts, ends = numpy.maximum(places - margins, 0), places + margins
        for copy, start, end in zip(copies, starts, ends, strict=True):
            copy[tuple(map(slice, start, end))] = self.pad_val
        return copies

    def _margins(self, axes):
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * axes
        if len(margins) != axes:
            raise ValueError(
                f"OcclusionSensitivity: margin has {len(margins)} ints, the input {axes} axes; need an int or as many"
            )
        return numpy.array(margins)

    def _box(self, shape):
        """The first and the last position of each axis."""
        if self.b_box is None:
            return numpy.zeros_like(shape), shape - 1
        if len(self.b_box) != 2 * len(shape):
            raise ValueError(
                f"OcclusionSensitivity: b_box has {len(self.b_box)} ints, the input {len(shape)} axes; need 2 for each"
            )
        first, last = numpy.maximum(self.b_box[::2], 0), numpy.array(self.b_box[1::2])
        last = numpy.where(last < 0, shape - 1, last)
        if (last >= shape).any() or (first > last).any():
            raise ValueError(
                f"OcclusionSensitivity: b_box is {self.b_box} for axes of {tuple(map(int, shape))}; "
                "need first places that are not after the last, and both inside"
            )
        return first, last

    def eval(self):
        """The decrease of the score for each position of the last input; RuntimeError before any."""
        self._require_seen(self._sensitivity is not None)
        return numpy.squeeze(self._sensitivity)
