"""Distributions: densities, moments, distances and samples."""

from dyad.nn.probability.distribution import distribution as distribution
from dyad.nn.probability.distribution.bell_shaped import (
    Cauchy,
    Gumbel,
    HalfNormal,
    Laplace,
    Logistic,
    Normal,
    StudentT,
)
from dyad.nn.probability.distribution.discrete import Bernoulli, Categorical, Geometric, Poisson
from dyad.nn.probability.distribution.distribution import Distribution
from dyad.nn.probability.distribution.limited import Beta, Exponential, Gamma, Uniform
from dyad.nn.probability.distribution.transformed_distribution import LogNormal, TransformedDistribution

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]
