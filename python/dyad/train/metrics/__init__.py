"""Measures of how well a network does: cleared, updated with the outputs of each batch, evaluated at the end."""

from dyad.train.metrics.accuracy import Accuracy
from dyad.train.metrics.auc import auc
from dyad.train.metrics.bleu_score import BleuScore
from dyad.train.metrics.by_name import get_metric_fn, get_metrics, names
from dyad.train.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from dyad.train.metrics.cosine_similarity import CosineSimilarity
from dyad.train.metrics.dice import Dice
from dyad.train.metrics.error import MAE, MSE
from dyad.train.metrics.fbeta import F1, Fbeta
from dyad.train.metrics.hausdorff_distance import HausdorffDistance
from dyad.train.metrics.loss import Loss
from dyad.train.metrics.mean_surface_distance import MeanSurfaceDistance
from dyad.train.metrics.metric import EvaluationBase, Metric, rearrange_inputs
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

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "EvaluationBase",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
]
