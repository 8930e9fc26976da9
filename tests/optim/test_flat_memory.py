"""Flat memory: Parameters that are parts of one tensor, and optimizers over it."""

import copy
import pickle

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops


def test_tensors_move_into_one_tensor_per_dtype():
    double, small = Tensor(np.arange(3.0)), Tensor(np.ones(2, np.float16))
    first, second = Tensor(np.ones(2, np.float32)), Tensor(np.arange(4, dtype=np.float32).reshape(2, 2))
    given = [double, first, second, small]
    assert not Tensor._is_flattened(given)
    assert Tensor._get_flattened_tensors(given) == []
    chunks = Tensor._flatten_tensors(given)
    assert [(chunk.dtype, chunk.shape) for chunk in chunks] == [
        (dyad.float16, (2,)),
        (dyad.float32, (6,)),
        (dyad.float64, (3,)),
    ]
    assert Tensor._is_flattened(given)
    found = Parameter._get_flattened_tensors(given)
    assert all(one is other for one, other in zip(chunks, found, strict=True))
    assert Tensor._get_fusion_size(found) == 0
    second[1, 1] = 9
    assert chunks[1].asnumpy().tolist() == [1, 1, 0, 1, 2, 9]
    chunks[1][0] = 7
    assert first.asnumpy().tolist() == [7, 1]


def test_a_fusion_size_limits_the_bytes_of_each_piece():
    given = [Tensor(np.full(count, count, np.float32)) for count in (1, 2, 3, 4)]
    chunks = Tensor._flatten_tensors(given, 16)
    assert [chunk.asnumpy().tolist() for chunk in chunks] == [[1, 2, 2], [3, 3, 3], [4, 4, 4, 4]]
    assert Tensor._get_fusion_size(chunks) == 16
    with pytest.raises(RuntimeError, match="a tensor has 16 bytes; need a fusion_size of as many, not 12"):
        Tensor._flatten_tensors(given, 12)
    with pytest.raises(ValueError, match="Negative 'fusion_size' -1"):
        nn.Dense(2, 2).flatten_weights(-1)


def test_flat_memory_holds_tensors_of_any_layout_and_rank():
    transposed, scalar = Tensor(np.arange(6.0).reshape(2, 3)).T, Tensor(5.0, dyad.float64)
    empty, drawn = (
        Tensor(np.ones((0, 2))),
        Parameter(dyad.common.initializer.initializer("ones", [2], dyad.float64)),
    )
    (chunk,) = Tensor._flatten_tensors([transposed, scalar, empty, drawn])
    assert chunk.asnumpy().tolist() == [0, 3, 1, 4, 2, 5, 5, 1, 1]
    assert transposed.shape == (3, 2) and scalar.shape == () and empty.shape == (0, 2)
    assert transposed.asnumpy().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_other_memory_is_not_flat_memory():
    weight, bias = Parameter(Tensor([1.0, 2.0]), "w"), Parameter(Tensor([3.0]), "b")
    (chunk,) = Tensor._flatten_tensors([weight, bias])
    weight.set_data(Tensor([5.0, 6.0]))
    assert chunk.asnumpy().tolist() == [5, 6, 3]
    for copied in (copy.copy(bias), copy.deepcopy(bias), pickle.loads(pickle.dumps(bias)), bias.clone()):
        assert not Tensor._is_flattened([copied])
    plain = Tensor([1.0])
    Tensor._flatten_tensors([plain])
    for copied in (copy.copy(plain), pickle.loads(pickle.dumps(plain))):
        assert not Tensor._is_flattened([copied])
        assert copied.asnumpy().tolist() == [1]
    weight.set_data(Tensor([7.0, 8.0, 9.0]))
    assert not Tensor._is_flattened([weight]) and Tensor._is_flattened([bias])
    assert chunk.asnumpy().tolist() == [5, 6, 3]


class Heavy(nn.Optimizer):
    """Momentum as a program writes it that works on flat memory where there is any."""

    def __init__(self, params):
        super().__init__(0.1, params)
        self.moments = self._parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients):
        for parameter, moment, gradient in zip(
            self._parameters, self.moments, self.flatten_gradients(gradients), strict=True
        ):
            ops.assign(moment, moment * 0.9 + gradient)
            ops.assign_sub(parameter, self.get_lr() * moment)
        return True


def trained(fusion_size, make, form):
    dyad.set_seed(1)
    net = nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 3))
    if fusion_size is not None:
        net.flatten_weights(fusion_size)
    optimizer = make(net.trainable_params())
    assert len(optimizer.parameters) == 4
    pieces = {None: 4, 0: 1, 96: 2}[fusion_size]
    assert len(optimizer._parameters) == len(optimizer.cache_enable) == pieces
    x, y = Tensor(np.arange(8, dtype=np.float32).reshape(2, 4) / 8), Tensor(np.ones((2, 3), np.float32))
    differentiated = dyad.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = differentiated(x, y)
        optimizer(gradients)
        return loss

    step = form(step)
    losses = [step(x, y).item() for _ in range(4)]
    assert Tensor._is_flattened(net.trainable_params()) == (fusion_size is not None)
    return losses, [parameter.asnumpy() for parameter in net.trainable_params()]


FORMS = {
    "dynamic": lambda step: step,
    "source": dyad.jit,
    "bytecode": lambda step: dyad.jit(step, capture_mode="bytecode"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fusion_size", [0, 96])
@pytest.mark.parametrize(
    "make",
    [
        Heavy,
        lambda p: nn.Momentum(p, 0.1, 0.9),
        lambda p: nn.Adam(p, 0.01),
        lambda p: nn.AdamWeightDecay(p, 0.01),
    ],
    ids=["own", "momentum", "adam", "adam_weight_decay"],
)
def test_training_in_flat_memory_changes_the_same_parameters(make, fusion_size, form):
    losses, weights = trained(None, make, FORMS["dynamic"])
    flat_losses, flat_weights = trained(fusion_size, make, FORMS[form])
    np.testing.assert_allclose(flat_losses, losses, rtol=1e-5)
    for flat, own in zip(flat_weights, weights, strict=True):
        np.testing.assert_allclose(flat, own, rtol=1e-4, atol=1e-6)


def test_an_optimizer_of_a_part_of_the_flat_memory_keeps_its_own_parameters():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
    net.flatten_weights()
    optimizer = nn.Optimizer(0.1, list(net[0].trainable_params()))
    assert optimizer._parameters is optimizer.parameters
    assert not optimizer._use_flattened_params
    gradients = (Tensor([1.0]), Tensor([2.0]))
    assert optimizer.flatten_gradients(gradients) is gradients


def test_an_optimizer_without_construct_raises_when_it_is_called():
    optimizer = nn.Optimizer(0.1, [Parameter(Tensor([1.0]), "w")])
    with pytest.raises(NotImplementedError, match="Optimizer: construct is not defined"):
        optimizer((Tensor([1.0]),))


def test_a_parameter_from_a_tensor_shares_its_memory():
    memory = Tensor([1.0, 2.0])
    parameter = Parameter._from_tensor(memory, "p", requires_grad=False)
    parameter[0] = 5
    assert memory.asnumpy().tolist() == [5, 2]
    assert parameter.name == "p" and not parameter.requires_grad
