"""Distributions against SciPy's, in both forms; bijectors against their own inverses and derivatives."""

import numpy as np
import pytest
from scipy import stats

import dyad
from dyad import Tensor, grad, jit, nn, set_seed
from dyad.nn.probability import bijector as msb
from dyad.nn.probability import distribution as msd

A, B = np.float32([0.5, 2.0]), np.float32([1.5, 0.7])
P = np.float32([0.3, 0.8])
PROBS = np.float32([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])
REAL, POSITIVE, UNIT, COUNTS = (
    np.float32([-0.4, 1.7]),
    np.float32([0.3, 2.5]),
    np.float32([0.2, 0.9]),
    np.float32([0, 3]),
)

# The distribution, SciPy's, and values in its range.
CONTINUOUS = {
    "Normal": (msd.Normal(A, B), stats.norm(A, B), REAL),
    "LogNormal": (msd.LogNormal(A, B), stats.lognorm(B, scale=np.exp(A)), POSITIVE),
    "Uniform": (msd.Uniform(-A, B), stats.uniform(-A, A + B), REAL),
    "Exponential": (msd.Exponential(A), stats.expon(scale=1 / A), POSITIVE),
    "Gamma": (msd.Gamma(A + 1, B), stats.gamma(A + 1, scale=1 / B), POSITIVE),
    "Beta": (msd.Beta(A + 1, B + 1), stats.beta(A + 1, B + 1), UNIT),
    "Logistic": (msd.Logistic(A, B), stats.logistic(A, B), REAL),
    "Gumbel": (msd.Gumbel(A, B), stats.gumbel_r(A, B), REAL),
    "Cauchy": (msd.Cauchy(A, B), stats.cauchy(A, B), REAL),
    "Laplace": (msd.Laplace(A, B), stats.laplace(A, B), REAL),
    "HalfNormal": (msd.HalfNormal(-A, B), stats.halfnorm(-A, B), REAL),
    "StudentT": (msd.StudentT(A + 2, A, B), stats.t(A + 2, A, B), REAL),
}
DISCRETE = {
    "Bernoulli": (msd.Bernoulli(P), stats.bernoulli(P), np.float32([0, 1])),
    "Geometric": (msd.Geometric(P), stats.geom(P, loc=-1), COUNTS),
    "Poisson": (msd.Poisson(A), stats.poisson(A), COUNTS),
}
ALL = CONTINUOUS | DISCRETE
DENSITY_ONLY = ("Laplace", "HalfNormal", "StudentT")
FORMS = [lambda function: function, jit]


def close(found, expected, tolerance=1e-4):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ALL)
def test_density(name, form):
    found, expected, values = ALL[name]
    density = expected.pdf if name in CONTINUOUS else expected.pmf
    close(form(lambda x: found.prob(x))(Tensor(values)), density(values))
    with np.errstate(divide="ignore"):
        close(form(lambda x: found.log_prob(x))(Tensor(values)), np.log(density(values)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [name for name in ALL if name not in (*DENSITY_ONLY, "Beta")])
def test_distribution_function(name, form):
    found, expected, values = ALL[name]
    x = Tensor(values)
    close(form(lambda x: found.cdf(x))(x), expected.cdf(values))
    close(found.survival_function(x), expected.sf(values))
    if (expected.sf(values) > 0).all() and (expected.cdf(values) > 0).all():
        close(found.log_cdf(x), expected.logcdf(values))
        close(found.log_survival(x), expected.logsf(values))


@pytest.mark.parametrize("name", [name for name in ALL if name not in (*DENSITY_ONLY, "Cauchy")])
def test_moments(name):
    found, expected, _ = ALL[name]
    close(found.mean(), expected.mean())
    close(found.var(), expected.var())
    close(found.sd(), expected.std())
    if name != "Poisson":
        close(found.entropy(), expected.entropy(), 1e-3)


@pytest.mark.parametrize(
    "name", [name for name in ALL if name not in (*DENSITY_ONLY, "Uniform", "Bernoulli")]
)
def test_mode_is_most_likely(name):
    found, _, _ = ALL[name]
    mode = found.mode().astype(dyad.float32)
    for step in (-1, 1) if name in DISCRETE else (-0.01, 0.01):
        here, there = found.prob(mode).asnumpy(), found.prob(mode + step).asnumpy()
        assert (here >= np.nan_to_num(there) - 1e-6).all()
    assert msd.Bernoulli(P).mode().tolist() == [0, 1]


@pytest.mark.parametrize("name", [name for name in ALL if name not in DENSITY_ONLY])
def test_samples(name):
    found, expected, _ = ALL[name]
    set_seed(5)
    drawn = found.sample((4000,)).asnumpy().astype(np.float64)
    assert drawn.shape == (4000, 2)
    for column in range(2):
        below = (drawn[:, column] <= np.broadcast_to(expected.median(), 2)[column]).mean()
        assert below == pytest.approx(np.broadcast_to(expected.cdf(expected.median()), 2)[column], abs=0.03)
    assert found.sample().shape == (2,)


@pytest.mark.parametrize(
    "name", ["Normal", "Exponential", "Gamma", "Beta", "Gumbel", "Cauchy", "LogNormal", "Uniform"]
)
def test_divergence_is_the_mean_of_the_difference(name):
    found, expected, _ = CONTINUOUS[name]
    other = tuple(Tensor(value.asnumpy() * 1.2 + 0.1) for value in found.default_parameters)
    if name == "Uniform":
        other = (Tensor(-2 * A), Tensor(2 * B))
    points = expected.ppf(np.linspace(0.00005, 0.99995, 20001)[:, None]).astype(np.float32)
    there = type(found)(*other)
    mean = (found.log_prob(Tensor(points)) - there.log_prob(Tensor(points))).asnumpy().mean(0)
    close(found.kl_loss(name, *other), mean, 2e-2)
    if name not in ("Cauchy",):
        close(found.cross_entropy(name, *other), expected.entropy() + mean, 2e-2)


@pytest.mark.parametrize("name", ["Bernoulli", "Geometric"])
def test_divergence_of_counts(name):
    found, expected, _ = DISCRETE[name]
    other = Tensor(P * 0.5 + 0.1)
    there = type(found)(other)
    counts = np.arange(2 if name == "Bernoulli" else 200, dtype=np.float32)[:, None]
    difference = (found.log_prob(Tensor(counts)) - there.log_prob(Tensor(counts))).asnumpy()
    close(found.kl_loss(name, other), (expected.pmf(counts) * difference).sum(0), 1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_classes(form):
    found = msd.Categorical(PROBS)
    assert found.batch_shape == (2,) and msd.Categorical(PROBS[0]).is_scalar_batch
    close(form(lambda x: found.prob(x))(Tensor(np.int32([2, 0]))), [0.5, 0.6])
    close(form(lambda x: found.log_prob(x))(Tensor(np.int32([2, 0]))), np.log([0.5, 0.6]))
    close(found.cdf(Tensor(np.float32([1.5, 0.0]))), [0.5, 0.6])
    close(found.mean(), PROBS @ np.arange(3))
    close(found.var(), PROBS @ np.arange(3) ** 2 - (PROBS @ np.arange(3)) ** 2)
    close(form(lambda p: msd.Categorical().entropy(p))(Tensor(PROBS)), [stats.entropy(row) for row in PROBS])
    close(
        found.kl_loss("Categorical", Tensor(PROBS[::-1].copy())),
        [stats.entropy(*PROBS), stats.entropy(*PROBS[::-1])],
    )
    assert found.mode().tolist() == [2, 0] and found.mode().dtype == dyad.int32


def test_samples_of_classes():
    set_seed(5)
    drawn = msd.Categorical(PROBS).sample((4000,)).asnumpy()
    for row in range(2):
        np.testing.assert_allclose(np.bincount(drawn[:, row], minlength=3) / 4000, PROBS[row], atol=0.03)


def test_parameters_may_come_with_the_question():
    value = Tensor([0.3])
    expected = msd.Normal(1.0, 2.0).log_prob(value).asnumpy()
    np.testing.assert_allclose(msd.Normal().log_prob(value, Tensor(1.0), Tensor(2.0)).asnumpy(), expected)
    np.testing.assert_allclose(msd.Normal()("log_prob", value, Tensor(1.0), Tensor(2.0)).asnumpy(), expected)
    with pytest.raises(TypeError, match="Normal: sd is not given"):
        msd.Normal(1.0).prob(value)
    with pytest.raises(TypeError, match="Normal: value is a float; need a Tensor"):
        msd.Normal(1.0, 2.0).prob(0.3)
    with pytest.raises(ValueError, match="Normal: dist is 'Gamma'; need 'Normal'"):
        msd.Normal(1.0, 2.0).kl_loss("Gamma", value, value)
    with pytest.raises(TypeError, match="1 parameters of the other distribution; need 2"):
        msd.Normal(1.0, 2.0).kl_loss("Normal", value)
    with pytest.raises(NotImplementedError, match="there is no 'quantile'"):
        msd.Normal(1.0, 2.0)("quantile", value)
    with pytest.raises(ValueError, match="not defined"):
        msd.Cauchy(1.0, 2.0).var()
    with pytest.raises(NotImplementedError, match="Laplace has no cdf"):
        msd.Laplace(1.0, 2.0).cdf(value)


def test_what_a_distribution_says_of_itself():
    normal = msd.Normal(A, 2.0, seed=3, name="mine")
    assert (normal.name, normal.seed, normal.dtype) == ("mine", 3, dyad.float32)
    assert normal.batch_shape == (2,) and not normal.is_scalar_batch and msd.Normal().batch_shape is None
    assert normal.get_dist_type() == "Normal" and len(normal.get_dist_args()) == 2
    assert list(normal.parameters) == ["mean", "sd"]
    with pytest.raises(ValueError, match="cannot be broadcast"):
        _ = msd.Normal(A, np.ones(3)).batch_shape


@pytest.mark.parametrize("form", FORMS)
def test_distributions_in_a_cell(form):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.normal = msd.Normal(0.0, 1.0)
            self.weight = dyad.Parameter(Tensor([0.5, 1.5]), "weight")

        def construct(self, x):
            return self.normal.log_prob(x * self.weight).sum()

    net, x = Net(), Tensor([1.0, 2.0])
    gradient = form(grad(net, None, net.trainable_params()))(x)[0]
    close(gradient, -np.float32([1.0, 4.0]) * [0.5, 1.5])


def test_a_distribution_of_a_program():
    class Triangle(msd.Distribution):
        """2 x on numbers from 0 to 1."""

        def __init__(self):
            super().__init__(None, dyad.float32, "Triangle", {})

        def _prob(self, value):
            return 2 * value

        def _var(self):
            return Tensor(1 / 18)

    x = Tensor([0.25])
    assert Triangle().prob(x).tolist() == [0.5]
    close(Triangle().log_prob(x), np.log([0.5]))
    close(Triangle().sd(), np.sqrt(1 / 18))
    with pytest.raises(NotImplementedError, match="Triangle has no sample"):
        Triangle().sample()


BIJECTORS = [
    (msb.Exp(), REAL),
    (msb.PowerTransform(0.5), REAL),
    (msb.ScalarAffine(-2.0, 3.0), REAL),
    (msb.Softplus(1.5), REAL),
    (msb.GumbelCDF(0.3, 1.2), REAL),
    (msb.Invert(msb.Exp()), POSITIVE),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bijector, values", BIJECTORS, ids=lambda given: getattr(given, "name", ""))
def test_bijectors(bijector, values, form):
    x = Tensor(values)
    y = form(lambda x: bijector.forward(x))(x)
    close(form(lambda y: bijector.inverse(y))(y), values)
    derivative = grad(lambda x: bijector.forward(x).sum())(x).asnumpy()
    close(form(lambda x: bijector.forward_log_jacobian(x))(x), np.log(np.abs(derivative)))
    close(form(lambda y: bijector("inverse_log_jacobian", y))(y), -np.log(np.abs(derivative)))


def test_transformed_distributions():
    moved = msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(0.5, 1.5))
    expected = stats.norm(2.0, 3.0)
    close(moved.log_prob(Tensor(REAL)), expected.logpdf(REAL))
    close(moved.cdf(Tensor(REAL)), expected.cdf(REAL))
    close(moved.mean(), 2.0)
    close(moved.entropy(), expected.entropy())
    assert moved.is_linear_transformation and moved.sample((3,)).shape == (3,)
    with pytest.raises(NotImplementedError, match="not linear"):
        msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).mean()
    with pytest.raises(TypeError, match="bijector is a Normal"):
        msd.TransformedDistribution(msd.Normal(0.0, 1.0), msd.Normal(0.0, 1.0))
