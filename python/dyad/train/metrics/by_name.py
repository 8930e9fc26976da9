"""Metrics by name."""

from collections.abc import Callable

from dyad._src.base.missing import suggested
from dyad.train.metrics.accuracy import Accuracy
from dyad.train.metrics.auc import auc
from dyad.train.metrics.bleu_score import BleuScore
from dyad.train.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from dyad.train.metrics.cosine_similarity import CosineSimilarity
from dyad.train.metrics.dice import Dice
from dyad.train.metrics.error import MAE, MSE
from dyad.train.metrics.fbeta import F1
from dyad.train.metrics.hausdorff_distance import HausdorffDistance
from dyad.train.metrics.loss import Loss
from dyad.train.metrics.mean_surface_distance import MeanSurfaceDistance
from dyad.train.metrics.metric import Metric
from dyad.train.metrics.occlusion_sensitivity import OcclusionSensitivity
from dyad.train.metrics.perplexity import Perplexity
from dyad.train.metrics.precision import Precision
from dyad.train.metrics.recall import Recall
from dyad.train.metrics.roc import ROC
from dyad.train.metrics.root_mean_square_surface_distance import RootMeanSquareDistance
from dyad.train.metrics.topk import (
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)

__all__ = ["get_metric_fn", "get_metrics", "names"]

_BY_NAME: dict[str, Callable] = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "loss": Loss,
    "mae": MAE,
    "mean_surface_distance": MeanSurfaceDistance,
    "mse": MSE,
    "occlusion_sensitivity": OcclusionSensitivity,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names() -> list:
    """The names that `get_metric_fn` and `Model` accept."""
    return sorted(_BY_NAME)


def get_metric_fn(name, *args, **kwargs):
    """A new metric by its name, constructed with the arguments."""
    if name not in _BY_NAME:
        nearest = suggested("metric", name, _BY_NAME) if isinstance(name, str) else ""
        raise KeyError(f"get_metric_fn: there is no metric {name!r}{nearest}")
    return _BY_NAME[name](*args, **kwargs)


def get_metrics(metrics):
    """{name: Metric} of a set of names or of such a dict; None stays None."""
    if metrics is None:
        return None
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    if not isinstance(metrics, dict):
        raise TypeError(
            f"get_metrics: metrics is of type {type(metrics).__name__}; need a set of names or a dict of Metrics"
        )
    for name, metric in metrics.items():
        if not isinstance(name, str) or not isinstance(metric, Metric):
            raise TypeError(f"get_metrics: metrics has {name!r}: {metric!r}; need a name and a Metric")
    return metrics
