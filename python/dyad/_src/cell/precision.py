"""The compute precision of a Cell."""

from collections.abc import Callable
from typing import Any

from dyad._core import bfloat16, float16, float32
from dyad._src.base.host_only import building
from dyad._src.tensor.amp_strategy import AmpStrategy
from dyad._src.tensor.precision import (
    call_in_precision,
    call_with_autocast,
    cast_floats,
    require_cell_precision,
)

_FLAGS = {"fp16": float16, "bf16": bfloat16, "fp32": float32}


class CellPrecision:
    """Operators in a call of the Cell cast their operands; Parameters stay as stored.

    `_compute_dtype` is the dtype to which every operator casts its floats, `_autocast` a rule by which each operator
    casts its own, if no dtype is set; `_output_dtype` is the dtype of floats among the results. None changes nothing.
    """

    _compute_dtype: Any
    _autocast: Any
    _output_dtype: Any
    _choose_call_path: Callable[[], None]
    cells_and_names: Callable

    def _start_precision(self):
        self.__dict__.update(_compute_dtype=None, _autocast=None, _output_dtype=None)

    def _has_precision(self):
        return not (self._compute_dtype is None and self._autocast is None and self._output_dtype is None)

    def _set_precision(self, **precision):
        self.__dict__.update(precision)
        self._choose_call_path()

    @building
    def to_float(self, dst_type):
        """Computes this Cell and all below in `dst_type`: operators cast float operands, Parameters stay as stored."""
        require_cell_precision("to_float", dst_type)
        for _, cell in self.cells_and_names():
            cell._set_precision(_compute_dtype=dst_type, _autocast=None, _output_dtype=None)
        return self

    @property
    def amp_strategy(self):
        """The strategy of mixed precision that was set, or None."""
        return self.__dict__.get("_amp_strategy")

    @amp_strategy.setter
    def amp_strategy(self, strategy):
        if strategy is not None and not isinstance(strategy, AmpStrategy):
            raise TypeError(f"amp_strategy is {strategy!r}; need what create_amp_strategy makes, or None")
        self.__dict__["_amp_strategy"] = strategy
        precision = dict.fromkeys(("_compute_dtype", "_autocast", "_output_dtype"))
        self._set_precision(**(precision if strategy is None else strategy.precision()))

    def _follow_flags(self, flags):
        for name, dtype in _FLAGS.items():
            if flags.get(name):
                self._set_precision(_compute_dtype=dtype)
            elif name in flags and self._compute_dtype == dtype:
                self._set_precision(_compute_dtype=None)

    def _call_in_precision(self, function, args, kwargs):
        """`function` with operators computing as this Cell does, and its result cast."""
        output = call_in_precision(
            self._compute_dtype, call_with_autocast, (self._autocast, function, args, kwargs), {}
        )
        return output if self._output_dtype is None else cast_floats(self._output_dtype, output)
