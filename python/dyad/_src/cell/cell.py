"""Cell: the base class of every layer and network."""

from dyad._src.autodiff.backward_hooks import BackwardHooks
from dyad._src.base.host_only import building
from dyad._src.cell.attributes import CellAttributes
from dyad._src.cell.backward import CellBackward
from dyad._src.cell.call_arguments import require_bindable, require_tensors
from dyad._src.cell.distribution import CellDistribution
from dyad._src.cell.graph import CellGraph
from dyad._src.cell.hooks import CellHooks
from dyad._src.cell.layer_table import table_html
from dyad._src.cell.layers import layers_of
from dyad._src.cell.listing import CellListing, format_cell
from dyad._src.cell.precision import CellPrecision
from dyad._src.cell.state import CellState
from dyad._src.context.settings import settings
from dyad._src.jit.api.cell_compiler import call_cell


class Cell(
    CellAttributes,
    CellListing,
    CellHooks,
    CellBackward,
    CellPrecision,
    CellState,
    CellGraph,
    CellDistribution,
):
    """A computation with state: layers and Parameters are set in `__init__`, the work is done in `construct`.

    A subclass calls `super().__init__()` first. Cells, Parameters and ParameterTuples assigned to attributes are
    registered; with `auto_prefix` the Parameters of a child are named after its attribute path.
    """

    __module__ = "dyad.nn.cell"  # where programs find it
    _amp_level = ""  # that of `auto_mixed_precision`, once it has converted the Cell

    def __init__(self, auto_prefix=True, flags=None):
        self._start_registries()
        self._start_hooks()
        self._start_backward()
        self._start_precision()
        self._start_state()
        self._start_graph()
        self.__dict__.update(
            training=False,
            _auto_prefix=auto_prefix,
            _param_prefix="",
            _phase="train",
            _flags={},
        )
        self._choose_call_path()
        if flags:
            self.add_flags(**flags)

    def __call__(self, *args, **kwargs):
        # Mode is 1 for the dynamic graph. Whatever needs more than running `construct` clears `_plain_call`.
        if self._plain_call and settings.mode:
            try:
                return self.construct(*args, **kwargs)
            except (TypeError, AttributeError) as error:
                self._require_taken(error, args, kwargs)
                raise
        return self._call_with_extras(args, kwargs)

    def _graph_program(self):
        """The program that Graph mode compiles: a `__call__` of the Cell's own class has run up to here by then."""
        return call_cell if type(self).__call__ is Cell.__call__ else _call_construct

    def _call_with_extras(self, args, kwargs):
        run = self._run_graph if self._runs_as_graph() else self._run_call
        return self._recording_call(run, args, kwargs) if self._records_plain_calls() else run(args, kwargs)

    def _run_in_python(self, construct, args, kwargs):
        """A call with `construct` in the given form, and everything that is set around it."""
        if not self._plain_call:
            return self._run_call(args, kwargs, construct)
        try:
            return construct(*args, **kwargs)
        except (TypeError, AttributeError) as error:
            self._require_taken(error, args, kwargs)
            raise

    def _run_call(self, args, kwargs, construct=None):
        """`construct` with everything that is set around it."""
        backward_hooks = None
        try:
            args, kwargs = self._run_forward_pre_hooks(args, kwargs)
            if self._backward_pre_hooks or self._backward_hooks:
                backward_hooks = BackwardHooks(self)
                args = backward_hooks.mark_inputs(args)
            construct = construct or self.construct
            output = self._call_in_precision(self._run_construct, (construct, args, kwargs), {})
        except BaseException as error:
            self._run_hooks_after_failure(args, kwargs)
            self._require_taken(error, args, kwargs)
            raise
        output = self._run_forward_hooks(args, kwargs, output)
        return output if backward_hooks is None else backward_hooks.mark_output(output)

    def _require_bindable(self, args, kwargs):
        require_bindable(self, args, kwargs)

    def _require_taken(self, error, args, kwargs):
        """Say which arguments are wrong where a call failed over them."""
        if isinstance(error, TypeError):
            require_bindable(self, args, kwargs)
        elif isinstance(error, AttributeError):
            require_tensors(self, error, args, kwargs)

    def _choose_call_path(self):
        self.__dict__["_plain_call"] = not (
            self._forward_pre_hooks
            or self._forward_hooks
            or self._has_precision()
            or self._needs_backward_path()
        )

    def construct(self, *args, **kwargs):
        """The computation; every subclass that is called defines it."""
        raise AttributeError(
            f"{type(self).__name__}: construct is not defined; define it to make the Cell callable"
        )

    def __repr__(self):
        return format_cell(self)

    def _repr_html_(self):
        return table_html(layers_of(self))

    def extend_repr(self):
        """Own information for the printed form; override it to show settings."""
        return ""

    @property
    def cls_name(self):
        """The name of the Cell's class."""
        return type(self).__name__

    @property
    def phase(self):
        """'train' or 'predict', as last set by `set_train`; 'train' for a fresh Cell."""
        return self._phase

    @phase.setter
    def phase(self, value):
        self.__dict__["_phase"] = value

    @property
    def bprop_debug(self):
        """True if `bprop` may hold debugging code."""
        return self._flags.get("bprop_debug", False)

    @bprop_debug.setter
    def bprop_debug(self, value):
        if not isinstance(value, bool):
            raise TypeError(f"bprop_debug: got {value!r}; need a bool")
        self._flags["bprop_debug"] = value

    @building
    def set_train(self, mode=True):
        """Switch this Cell and all below to training (or, with False, to inference, the state of a fresh Cell)."""
        mode = bool(mode)
        for _, cell in self.cells_and_names():
            cell.training = mode
            cell._phase = "train" if mode else "predict"
        return self

    def add_flags(self, **flags):
        """Set flags on this Cell; each becomes an attribute too. `fp16`, `bf16` and `fp32` say what it computes in."""
        for name, value in flags.items():
            self._flags[name] = value
            setattr(self, name, value)
        self._follow_flags(flags)
        return self

    def add_flags_recursive(self, **flags):
        """Set flags on this Cell and all below."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self):
        """The flags of this Cell in a new dict."""
        return dict(self._flags)


def _call_construct(cell, *args, **kwargs):
    return Cell.__call__(cell, *args, **kwargs)


_call_construct.__dict__["_is_program"] = True
