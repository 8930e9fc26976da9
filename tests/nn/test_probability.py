"""nn.probability against SciPy and numeric integrals, called directly, in Graph mode and compiled."""

import numpy as np
import pytest
from scipy import integrate, stats

import dyad
from dyad import Tensor, grad, jit, nn
from dyad.nn.probability import bijector as bijectors
from dyad.nn.probability import distribution as distributions

REALS = np.array([-1.5, 0.25, 0.5, 3.0], np.float32)
POSITIVE = np.array([0.125, 0.5, 2.0], np.float32)
FRACTIONS = np.array([0.125, 0.5, 0.875], np.float32)
COUNTS = np.array([0.0, 1.0, 4.0], np.float32)

CASES = {
    "Normal": ([0.5, 2.0], stats.norm(0.5, 2.0), REALS),
    "LogNormal": ([0.5, 0.75], stats.lognorm(0.75, scale=np.exp(0.5)), POSITIVE),
    "Logistic": ([0.5, 2.0], stats.logistic(0.5, 2.0), REALS),
    "Gumbel": ([0.5, 2.0], stats.gumbel_r(0.5, 2.0), REALS),
    "Exponential": ([2.0], stats.expon(scale=0.5), POSITIVE),
    "Gamma": ([2.5, 3.0], stats.gamma(2.5, scale=1 / 3.0), POSITIVE),
    "Uniform": ([-1.0, 2.0], stats.uniform(-1.0, 3.0), REALS),
    "Bernoulli": ([0.25], stats.bernoulli(0.25), np.array([0.0, 1.0], np.float32)),
    "Geometric": ([0.25], stats.geom(0.25, loc=-1), COUNTS),
    "Poisson": ([2.5], stats.poisson(2.5), COUNTS),
    "Beta": ([2.0, 3.0], stats.beta(2.0, 3.0), FRACTIONS),
    "Cauchy": ([0.5, 2.0], stats.cauchy(0.5, 2.0), REALS),
}
WITHOUT = {"Beta": ("cdf",), "Cauchy": ("mean", "sd", "var"), "Poisson": ("entropy",)}


def made(kind):
    return getattr(distributions, kind)(*CASES[kind][0])


def close(result, expected):
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
@pytest.mark.parametrize("kind", CASES)
def test_functions_of_values_and_moments(kind, mode):
    dyad.set_context(mode=mode)
    _, known, x = CASES[kind]
    own, left_out = made(kind), WITHOUT.get(kind, ())
    density = known.logpdf if hasattr(known.dist, "pdf") else known.logpmf
    with np.errstate(divide="ignore"):
        close(own("log_prob", Tensor(x)), density(x))
        close(own("prob", Tensor(x)), np.exp(density(x)))
        if "cdf" not in left_out:
            close(own("cdf", Tensor(x)), known.cdf(x))
            close(own("log_cdf", Tensor(x)), known.logcdf(x))
            close(own("survival_function", Tensor(x)), known.sf(x))
    for name, expected in (
        ("mean", known.mean),
        ("sd", known.std),
        ("var", known.var),
        ("entropy", known.entropy),
    ):
        if name not in left_out:
            close(own(name), expected())


OTHERS = {
    "Normal": [-0.5, 1.5],
    "LogNormal": [-0.5, 1.5],
    "Gumbel": [0.25, 1.5],
    "Exponential": [3.0],
    "Gamma": [1.5, 2.0],
    "Uniform": [-2.0, 4.0],
    "Bernoulli": [0.5],
    "Geometric": [0.5],
    "Poisson": [1.5],
    "Beta": [1.5, 2.5],
    "Cauchy": [0.0, 1.0],
}


@pytest.mark.parametrize("kind", OTHERS)
def test_divergence_is_the_integral(kind):
    own, other = CASES[kind][1], getattr(distributions, kind)(*OTHERS[kind])
    theirs = [Tensor(value, dyad.float32) for value in OTHERS[kind]]
    if hasattr(own.dist, "pdf"):
        quantiles = np.linspace(0, 1, 200001)[1:-1]
        points = own.ppf(quantiles)
        logs = own.logpdf(points) - other.log_prob(Tensor(points.astype(np.float32))).asnumpy()
        expected = integrate.trapezoid(logs, quantiles)
    else:
        points = np.arange(2 if kind == "Bernoulli" else 60)
        logs = own.logpmf(points) - other.log_prob(Tensor(points.astype(np.float32))).asnumpy()
        expected = (own.pmf(points) * logs).sum()
    assert float(made(kind).kl_loss(kind, *theirs)) == pytest.approx(expected, rel=5e-3, abs=1e-4)
    if kind != "Poisson":
        total = made(kind).cross_entropy(kind, *theirs)
        close(total - made(kind).entropy(), made(kind).kl_loss(kind, *theirs).asnumpy())


@pytest.mark.parametrize("kind", CASES)
def test_samples_follow_the_distribution(kind):
    dyad.set_seed(7)
    drawn = made(kind).sample((20000,)).asnumpy().astype(np.float64)
    assert drawn.shape == (20000,)
    for quantile in (0.2, 0.5, 0.8):
        bound = CASES[kind][1].ppf(quantile)
        assert (drawn <= bound).mean() == pytest.approx(CASES[kind][1].cdf(bound), abs=0.02)


def test_parameters_of_the_call_and_of_batches():
    own = distributions.Normal(dtype=dyad.float32)
    mean, sd = Tensor([0.0, 1.0]), Tensor([1.0])
    assert own.batch_shape is None
    close(own.log_prob(Tensor([[0.5], [2.0]]), mean, sd), stats.norm([0, 1], 1).logpdf([[0.5], [2.0]]))
    close(own.mean(mean, sd=sd), [0, 1])
    assert own.sample((3,), mean, sd).shape == (3, 2)
    assert own.get_dist_type() == "Normal"
    assert distributions.Normal([0.0, 1.0], [[1.0], [2.0]]).batch_shape == (2, 2)
    with pytest.raises(TypeError, match="Normal: mean was not given when the distribution was made"):
        own.log_prob(Tensor([0.5]))


def test_categorical_has_the_probabilities_of_its_classes():
    own = distributions.Categorical([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    assert own.batch_shape == (2,) and not own.is_scalar_batch
    assert distributions.Categorical([0.2, 0.8]).is_scalar_batch
    close(own.prob(Tensor([2, 0])), [0.5, 0.6])
    close(own.prob(Tensor([[0], [1]])), [[0.2, 0.6], [0.3, 0.3]])
    close(own.cdf(Tensor([1, 1])), [0.5, 0.9])
    close(own.mean(), [1.3, 0.5])
    assert own.mode().asnumpy().tolist() == [2, 0]
    close(own.entropy(), stats.entropy([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], axis=1))
    close(
        own.kl_loss("Categorical", Tensor([0.25, 0.25, 0.5])),
        stats.entropy(own.probs.asnumpy().T, [[0.25], [0.25], [0.5]]),
    )
    drawn = own.sample((4000,)).asnumpy()
    assert drawn.shape == (4000, 2)
    assert (drawn == 0).mean(0).tolist() == pytest.approx([0.2, 0.6], abs=0.04)


@pytest.mark.parametrize(
    ("kind", "given", "known"),
    [
        ("HalfNormal", [0.5, 2.0], stats.halfnorm(0.5, 2.0)),
        ("Laplace", [0.5, 2.0], stats.laplace(0.5, 2.0)),
        ("StudentT", [3.0, 0.5, 2.0], stats.t(3.0, 0.5, 2.0)),
    ],
)
def test_densities_alone(kind, given, known):
    close(getattr(distributions, kind)(*given).log_prob(Tensor(REALS)), known.logpdf(REALS))


BIJECTORS = {
    "Exp": (bijectors.Exp, np.exp, REALS),
    "PowerTransform": (lambda: bijectors.PowerTransform(2.0), lambda x: np.sqrt(1 + 2 * x), POSITIVE),
    "ScalarAffine": (lambda: bijectors.ScalarAffine(-2.0, 1.0), lambda x: 1 - 2 * x, REALS),
    "Softplus": (lambda: bijectors.Softplus(2.0), lambda x: np.log1p(np.exp(2 * x)) / 2, REALS),
    "GumbelCDF": (lambda: bijectors.GumbelCDF(1.0, 2.0), stats.gumbel_r(1.0, 2.0).cdf, REALS),
    "Invert": (lambda: bijectors.Invert(bijectors.Exp()), np.log, POSITIVE),
}


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
@pytest.mark.parametrize("kind", BIJECTORS)
def test_bijectors_map_and_invert_in_both_modes(kind, mode):
    dyad.set_context(mode=mode)
    make, mapping, x = BIJECTORS[kind]
    own = make()
    y = own("forward", Tensor(x))
    close(y, mapping(x))
    close(own("inverse", y), x)
    slope = grad(lambda value: own.forward(value).sum())(Tensor(x)).asnumpy()
    close(own("forward_log_jacobian", Tensor(x)) + Tensor(x) * 0, np.log(np.abs(slope)))
    close(own("inverse_log_jacobian", y) + Tensor(x) * 0, -np.log(np.abs(slope)))


class Doubled(bijectors.Bijector):
    def _forward(self, x):
        return self._check_value_dtype(x) * 2

    def _inverse_log_jacobian(self, y):
        return y * 0 - np.log(2)


def test_a_bijector_of_ones_own():
    own = Doubled(dtype=dyad.float32)
    close(own.forward(Tensor(REALS)), REALS * 2)
    close(own.forward_log_jacobian(Tensor(REALS)), np.full(4, np.log(2)))
    with pytest.raises(TypeError, match="Doubled: value is Float16; need Float32"):
        own.forward(Tensor(REALS, dyad.float16))
    with pytest.raises(NotImplementedError, match="Doubled: inverse is not defined"):
        own.inverse(Tensor(REALS))


def test_a_transformed_distribution():
    own = bijectors.Exp()(distributions.Normal(0.5, 0.75))
    assert isinstance(own, distributions.TransformedDistribution)
    known = CASES["LogNormal"][1]
    close(own.log_prob(Tensor(POSITIVE)), known.logpdf(POSITIVE))
    close(own.cdf(Tensor(POSITIVE)), known.cdf(POSITIVE))
    assert (own.sample((50,)).asnumpy() > 0).all()
    shifted = bijectors.ScalarAffine(2.0, 1.0)(distributions.Normal(0.5, 0.75))
    close(shifted.mean(), 2.0)
    close(shifted.entropy(), stats.norm(2.0, 1.5).entropy())
    with pytest.raises(NotImplementedError, match="mean is not defined under Exp, which is not linear"):
        own.mean()


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.normal = distributions.Normal()

    def construct(self, mean, sd):
        return self.normal.kl_loss("Normal", Tensor(0.0), Tensor(1.0), mean, sd).sum()


@pytest.mark.parametrize("form", [lambda f: f, jit])
def test_gradients_of_a_divergence(form):
    net = Encoder()
    mean, sd = Tensor([0.5, -1.0]), Tensor([2.0, 0.5])
    by_mean, by_sd = form(grad(net, (0, 1)))(mean, sd)
    close(by_mean, mean.asnumpy())
    close(by_sd, sd.asnumpy() - 1 / sd.asnumpy())


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: distributions.Normal(0.0, 0.0), ValueError, "Normal: sd is 0.0; need numbers above 0"),
        (
            lambda: distributions.Gamma([1.0], [[1.0], [-1.0]]),
            ValueError,
            "Gamma: rate is .*need numbers above 0",
        ),
        (
            lambda: distributions.Normal([[2.0], [1.0]], [[2.0], [3.0], [4.0]]),
            ValueError,
            "need shapes that broadcast",
        ),
        (
            lambda: distributions.Normal(0.0, 1.0, dtype=dyad.int32),
            TypeError,
            "Normal: dtype is Int32; need one of",
        ),
        (
            lambda: distributions.Normal(0.0, 1.0, name=1.0),
            TypeError,
            "Normal: name is 1.0 of type float; need a str",
        ),
        (lambda: distributions.Normal(0.0, 1.0, seed="s"), TypeError, "Normal: seed is 's'"),
        (lambda: distributions.Normal("a", 1.0), TypeError, "Normal: mean is 'a' of type str"),
        (
            lambda: distributions.Bernoulli(1.5),
            ValueError,
            "Bernoulli: probs is 1.5; need numbers above 0 and below 1",
        ),
        (lambda: distributions.Categorical([0.5, 0.25]), ValueError, "need sums of 1 along the last axis"),
        (lambda: distributions.Cauchy(0.0, 1.0).mean(), ValueError, "a Cauchy distribution has no mean"),
        (
            lambda: distributions.Beta([2.0], [2.0]).cdf(Tensor(0.5)),
            NotImplementedError,
            "cdf is not defined for Beta",
        ),
        (lambda: distributions.Normal(0.0, 1.0).sample(3), TypeError, "shape is 3 of type int; need a tuple"),
        (
            lambda: distributions.Normal(0.0, 1.0).prob(0.5),
            TypeError,
            "value is 0.5 of type float; need a Tensor",
        ),
        (
            lambda: distributions.Normal(0.0, 1.0).kl_loss("Gamma", Tensor(1.0), Tensor(1.0)),
            ValueError,
            "dist is 'Gamma'; need 'Normal'",
        ),
        (
            lambda: bijectors.GumbelCDF(scale=-1.0),
            ValueError,
            "GumbelCDF: scale is -1.0; need numbers above 0",
        ),
        (lambda: bijectors.Softplus(sharpness="s"), TypeError, "Softplus: sharpness is 's' of type str"),
        (lambda: bijectors.Exp(name=1), TypeError, "Exp: name is 1 of type int; need a str"),
        (lambda: bijectors.Invert(1), TypeError, "Invert: bijector is of type int; need a Bijector"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=text):
        action()


def test_checks_of_distributions_that_packages_write():
    from dyad.nn.probability.distribution._utils import utils

    utils.check_greater_zero(Tensor([0.5]), "rate")
    utils.check_greater(Tensor([1.0]), Tensor([2.0]), "low", "high")
    utils.check_prob(Tensor([0.5]))
    utils.check_sum_equal_one(Tensor([[0.25, 0.75], [0.5, 0.5]]))
    assert utils.set_param_type({"a": Tensor(1.0, dyad.float16), "b": 2.0}, dyad.float32) == dyad.float16
    assert utils.cast_to_tensor([1, 2], dyad.float16).dtype == dyad.float16
    for call, kind, text in (
        (
            lambda: utils.check_greater_zero(Tensor([0.0]), "rate"),
            ValueError,
            "rate is .*; need numbers above 0",
        ),
        (
            lambda: utils.check_greater_zero(1.0, "rate"),
            TypeError,
            "rate is 1.0 of type float; need a Tensor",
        ),
        (
            lambda: utils.check_greater(Tensor([2.0]), Tensor([2.0]), "low", "high"),
            ValueError,
            "above those of low",
        ),
        (lambda: utils.check_prob(Tensor([1.0])), ValueError, "between 0 and 1"),
        (lambda: utils.check_sum_equal_one(Tensor([0.5, 0.6])), ValueError, "sum to 1"),
        (lambda: utils.cast_to_tensor(None), ValueError, "t is None"),
        (lambda: utils.check_distribution_name("Normal", "Gamma"), ValueError, "need 'Gamma'"),
        (lambda: utils.CheckTuple()([1], "shape"), TypeError, "shape is a list; need a tuple"),
    ):
        with pytest.raises(kind, match=text):
            call()
    assert dyad.jit(lambda x: utils.CheckTensor()(x, "x"))(Tensor(3.0)).item() == 3
