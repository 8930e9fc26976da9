"""`vmap`: a function of one slice as a function of many slices at once."""

from dyad import _core
from dyad._src.autodiff.axes import MappedArguments, MappedOutputs, has_axis, require_axes
from dyad._src.autodiff.transformed import TransformedFunction, graph_of, runs_as_graph
from dyad._src.base.abstract_cell import AbstractCellList
from dyad._src.base.argument_checks import a_value, require_function
from dyad._src.operators import stack

_RANDOMNESS = ("same", "different")


def vmap(fn, in_axes=0, out_axes=0, *, randomness: str = "same"):
    """Vectorizing map: a function that applies `fn` to every slice of its arguments at once.

    Args:
        fn (callable): a function, a Cell, or a CellList of Cells of one structure: then each slice has a Cell of
            its own.
        in_axes (int, tuple or list): the axis of the slices: an int for all Tensors, or an int, None (every slice
            receives all of it) or another tuple, list or dict for each argument. Keyword arguments are mapped if it
            is an int. Default: 0.
        out_axes: the axis of the slices in the results, in the same form; a tuple of one entry is also accepted for a
            result that is not in a tuple. Default: 0.
        randomness (str): with "same" every slice has the same random numbers, with "different" each has its own.

    The function is captured as a static graph, in which operators work on all slices together.

    Example:
        >>> from dyad import Tensor, ops
        >>> dot = ops.vmap(ops.inner)
        >>> print(dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [2.0, 2.0]])))
        [ 3. 14.]
    """
    require_function("vmap", fn)
    in_axes, out_axes = require_axes("in_axes", in_axes), require_axes("out_axes", out_axes)
    if not has_axis(in_axes) and not is_ensemble(fn):
        raise RuntimeError(f"vmap: in_axes is {in_axes}; need an axis for at least one argument")
    if randomness not in _RANDOMNESS:
        raise ValueError(f"vmap: randomness is {randomness!r}; need 'same' or 'different'")
    return VectorizedFunction(fn, in_axes, out_axes, randomness)


class VectorizedFunction(TransformedFunction):
    """The result of `vmap`. Outside of a graph a call is compiled; inside, it becomes part of the graph."""

    __name__ = "vmap"

    def __init__(self, fn, in_axes, out_axes, randomness):
        super().__init__(fn, (), (repr(in_axes), repr(out_axes), randomness))
        self.in_axes, self.out_axes, self.randomness = in_axes, out_axes, randomness

    def over(self, fn, parameters):
        return VectorizedFunction(fn, self.in_axes, self.out_axes, self.randomness)

    def run(self, args, kwargs):
        if not runs_as_graph():
            return self._slice_by_slice(args, kwargs)
        return graph_of(self.root)(self, *args, **kwargs)

    def _slice_by_slice(self, args, kwargs):
        """Calls the function once for each slice, where nothing is compiled or a program is traced."""
        cells = list(self.__wrapped__) if is_ensemble(self.__wrapped__) else None
        mapped = MappedArguments(self.in_axes, args, kwargs, None if cells is None else len(cells))
        outputs = []
        drawn = _core.get_generator_state()
        for number in range(mapped.count):
            if self.randomness == "same" and _core.current_graph() is None:
                _core.set_generator_state(*drawn)
            given, named = mapped.call_with([whole[number] for whole in mapped.wholes])
            output = (self.__wrapped__ if cells is None else cells[number])(*given, **named)
            outputs.append(MappedOutputs(self.out_axes, output))
        leaves = zip(*(output.leaves for output in outputs), strict=True)
        return outputs[0].placed([_joined(slices) for slices in leaves], mapped.count)


def is_ensemble(fn):
    """Returns whether it is a CellList, one Cell for each slice."""
    return isinstance(fn, AbstractCellList)


def require_one_structure(cells):
    """Refuses Cells that differ in more than the values of their Parameters."""
    if not cells:
        raise RuntimeError("vmap: the CellList is empty; need one Cell for each slice")
    expected = _structure(cells[0])
    for number, cell in enumerate(cells):
        if type(cell) is not type(cells[0]) or _structure(cell) != expected:
            raise RuntimeError(
                f"vmap: Cell {number} of the CellList is {a_value(cell)} with the Parameters "
                f"{_structure(cell)}, and Cell 0 is {a_value(cells[0])} with {expected}; need Cells of one "
                "structure"
            )


def _structure(cell):
    return [
        (name.rsplit(".", 1)[-1], tuple(parameter.shape), str(parameter.dtype))
        for name, parameter in cell.parameters_and_names()
    ]


def _joined(slices):
    """(all slices of a leaf, whether they differ)."""
    if all(value is slices[0] for value in slices) or not isinstance(slices[0], _core.Tensor):
        return slices[0], False
    return stack(list(slices), 0), True
