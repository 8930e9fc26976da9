"""Counts per class: samples, predictions and correct predictions."""

from dyad._src.base import lazy_numpy as numpy


def same_class_number(metric, before, prediction):
    """The number of classes of a prediction; refused where earlier ones had another."""
    if prediction.ndim < 2:
        raise ValueError(
            f"{type(metric).__name__}.update: the prediction has shape {prediction.shape}; need (samples, classes)"
        )
    number = prediction.shape[1]
    if before not in (0, number):
        raise ValueError(
            f"{type(metric).__name__}.update: the prediction has {number} classes, earlier ones had {before}; "
            "need as many"
        )
    return number


def counted_by_class(metric, prediction, label) -> list:
    """For each class: those that are it and have the highest score there, those with that score, those that are it."""
    if prediction.ndim < 2:
        raise ValueError(
            f"{type(metric).__name__}.update: the prediction has shape {prediction.shape}; need (samples, classes)"
        )
    number = prediction.shape[1]
    label = label.reshape(-1).astype(numpy.int64)
    if label.size and not 0 <= label.min() <= label.max() < number:
        raise ValueError(
            f"{type(metric).__name__}.update: the label has class {label.max() if label.min() >= 0 else label.min()}, "
            f"the prediction has {number} classes; need labels from 0 to {number - 1}"
        )
    told = prediction.argmax(axis=1).reshape(-1)
    if told.size != label.size:
        raise ValueError(
            f"{type(metric).__name__}.update: {told.size} samples are predicted and {label.size} have a label; "
            "need as many"
        )
    return [counts(which, number) for which in (label[told == label], told, label)]


def counts(classes, number):
    return numpy.bincount(classes, minlength=number).astype(float)


def counted_by_sample(prediction, label):
    """The counts per sample with several labels: correct, predicted and true classes.

    Samples of shape (N, C, ...) are those of all positions, N first.
    """
    rows = [values.swapaxes(0, 1).reshape(values.shape[1], -1) for values in (prediction, label)]
    told, there = rows
    return (told * there).sum(axis=0), told.sum(axis=0), there.sum(axis=0)
