"""Steps that search along the main directions in which weights have moved."""

import numpy

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_int, require_number
from dyad._src.tensor.parameter import Parameter
from dyad.nn import Cell

__all__ = ["DimReduce"]

_LONGEST_SEARCH = 20  # halvings of a step, about
_LEAST_CURVATURE = 1e-10


class DimReduce(Cell):
    """A step of the optimizer by a gradient that is rebuilt from a search in a few directions and from the rest.

    With the rows of `pca_mat_local` as directions: `grad_k = pca_mat . grad`, `d_k = -b_k . grad_k`, where `b_k` is the
    inverse of the curvature as the last steps show it (BFGS), and `s_k = rho ** m * d_k` for the least `m` with a loss
    below `loss + sigma * grad_k . s_k`. What remains of the gradient goes into a momentum, `gamma * momentum + grad -
    pca_mat.T . grad_k`, and the optimizer is given `alpha * momentum - pca_mat.T . s_k`.

    Args:
        network (Cell): The network with its loss.
        optimizer (Cell): Changes the weights.
        weight (tuple(Parameter)): The weights.
        pca_mat_local (numpy.ndarray): The directions, of shape (number of directions, number of weights).
        n_components (int): Number of directions.
        rho (float): By what a step that is too long is multiplied.
        gamma (float): Decay of the momentum.
        alpha (float): Factor of the momentum.
        sigma (float): Which part of the expected change of the loss has to be there.
        rank (int): 0.
        rank_size (int): 1; several processes raise an error.
    """

    def __init__(
        self,
        network,
        optimizer,
        weight,
        pca_mat_local,
        n_components,
        rho,
        gamma,
        alpha,
        sigma,
        rank,
        rank_size,
    ):
        super().__init__(auto_prefix=False)
        owner = "DimReduce"
        if require_int(owner, "rank_size", rank_size, low=1) > 1 or rank != 0:
            raise RuntimeError(
                f"{owner}: rank is {rank} and rank_size {rank_size}; need 0 and 1, this package computes in one process"
            )
        self.network, self.optimizer = network, optimizer
        self.rho, self.gamma, self.alpha, self.sigma = (
            float(require_number(owner, name, value))
            for name, value in (("rho", rho), ("gamma", gamma), ("alpha", alpha), ("sigma", sigma))
        )
        count = require_int(owner, "n_components", n_components, low=1)
        self.sizes = [parameter.size for parameter in weight]
        self.shapes = [parameter.shape for parameter in weight]
        matrix = numpy.asarray(pca_mat_local, numpy.float32)
        if matrix.shape != (count, sum(self.sizes)):
            raise ValueError(
                f"{owner}: pca_mat_local is {a_value(pca_mat_local)} of shape {matrix.shape}; need "
                f"({count}, {sum(self.sizes)}), n_components by the number of weights"
            )
        self.pca_mat = Tensor(matrix)
        self.bk = Parameter(Tensor(numpy.eye(count, dtype=numpy.float32)), name="bk", requires_grad=False)
        self.sk = _zeros(count, "sk")
        self.last_grad_k = _zeros(count, "last_grad_k")
        self.grad_momentum = _zeros(matrix.shape[1], "grad_momentum")
        self.steps = Parameter(Tensor(0, _core.int32), name="dim_reduce_steps", requires_grad=False)

    def construct(self, loss, old_grad, loss_scale, weight, weight_clone, *inputs):
        """The loss; the weights have changed. `weight_clone` are Parameters like the weights, to search from."""
        gradient = ops.cat([ops.cast(one, _core.float32).reshape(-1) for one in old_grad]) / loss_scale
        grad_k = ops.matmul(self.pca_mat, gradient)
        self._note_curvature(grad_k)
        direction = -ops.matmul(self.bk, grad_k)
        step = self._search(loss, grad_k, direction, weight, weight_clone, inputs)
        ops.assign(self.sk, step)
        ops.assign(self.last_grad_k, grad_k)
        ops.assign_add(self.steps, Tensor(1, _core.int32))
        rest = gradient - ops.matmul(self.pca_mat.T, grad_k)
        ops.assign(self.grad_momentum, self.gamma * self.grad_momentum + rest)
        change = self.alpha * self.grad_momentum - ops.matmul(self.pca_mat.T, step)
        self.optimizer(self._parts(change, weight))
        return loss

    def _note_curvature(self, grad_k):
        """Takes the last step and what it did to the gradient into `bk`, where the loss is convex along it."""
        moved, turned = self.sk, grad_k - self.last_grad_k
        curvature = (moved * turned).sum()
        counts = ops.logical_and(self.steps > 0, curvature > _LEAST_CURVATURE)
        share = 1.0 / ops.where(counts, curvature, ops.ones_like(curvature))
        one = ops.eye(moved.shape[0], dtype=_core.float32)
        left = one - share * ops.outer(moved, turned)
        changed = ops.matmul(ops.matmul(left, self.bk), left.T) + share * ops.outer(moved, moved)
        ops.assign(self.bk, ops.where(counts, changed, self.bk))

    def _search(self, loss, grad_k, direction, weight, weight_clone, inputs):
        """The longest of the steps along the direction after which the loss is low enough; none if there is none."""
        for parameter, kept in zip(weight, weight_clone, strict=True):
            ops.assign(kept, parameter)
        expected = self.sigma * (grad_k * direction).sum()
        factor = ops.ones_like(expected)
        found = ops.zeros_like(expected)
        tried = Tensor(0, _core.int32)
        while ops.logical_and(found == 0, tried < _LONGEST_SEARCH):
            for part, parameter, kept in zip(
                self._parts(ops.matmul(self.pca_mat.T, factor * direction), weight),
                weight,
                weight_clone,
                strict=True,
            ):
                ops.assign(parameter, kept + part)
            reached = self.network(*inputs)
            found = ops.where(reached < loss + factor * expected, factor, found)
            factor = factor * self.rho
            tried = tried + 1
        for parameter, kept in zip(weight, weight_clone, strict=True):
            ops.assign(parameter, kept)
        return found * direction

    def _parts(self, flat, weight):
        """A vector as Tensors like the weights."""
        parts = ops.split(flat, self.sizes)
        return tuple(
            ops.cast(part.reshape(shape), like.dtype)
            for part, shape, like in zip(parts, self.shapes, weight, strict=True)
        )


def _zeros(count, name):
    return Parameter(Tensor(numpy.zeros(count, numpy.float32)), name=name, requires_grad=False)
