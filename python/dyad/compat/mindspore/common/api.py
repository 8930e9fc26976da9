"""`dyad.common.api`: where programs import `jit`, `mutable`, the switch for recording and the wait from."""

import types

from dyad._src.autodiff.open_recording import RecordingExecutor
from dyad._src.autodiff.recording import is_recording, set_recording
from dyad._src.autodiff.recording import no_grad as _no_grad
from dyad._src.base.argument_checks import require_bool
from dyad._src.base.host_only import host_only
from dyad._src.jit.api.jit import jit
from dyad._src.jit.api.markers import jit_class
from dyad._src.jit.cache.compile_cache import clear_compile_cache, graph_name
from dyad._src.jit.options.config import JitConfig
from dyad._src.tensor.mutable import mutable
from dyad.runtime import empty_cache, synchronize

__all__ = ["JitConfig", "_no_grad", "flops_collection", "jit", "jit_class", "ms_memory_recycle", "mutable"]


class _PyNativeExecutor(RecordingExecutor):
    """The dynamic graph's executor as programs use it: they wait for it, switch its recording, and request a
    gradient in pieces.
    """

    def sync(self):
        """Returns when every operator called so far has run."""
        synchronize()

    @host_only
    def set_enable_grad(self, flag):
        """Records operators for gradients from here on, or not; `no_grad` does so for a block."""
        set_recording(require_bool("set_enable_grad", "flag", flag))

    def enable_grad(self):
        """True if operators are recorded for gradients."""
        return is_recording()

    def set_creation_type(self, tensor, creation_type):
        """Says that a view may be written, which here every view may."""


_pynative_executor = _PyNativeExecutor()


class _CellGraphExecutor:
    """The compiler of Cells as programs use it: it compiles without running."""

    def compile(self, obj, *args, **kwargs):
        """Compiles a Cell for arguments like these: (name of the graph that serves them, whether it is a new one)."""
        obj.parameters_dict()  # or says that two Parameters have one name
        before = obj.compile_cache
        obj.compile(*args, **kwargs)
        compiled = obj._compiled_call()
        return graph_name(compiled, (obj, *args), kwargs), obj.compile_cache != before


class _JitExecutor:
    """The compiler of functions as programs use it: it compiles without running, and calls the graph."""

    def __init__(self, fn, ms_create_time=None, input_signature=None, process_obj=None, jit_config=None):
        if process_obj is not None:
            fn = types.MethodType(getattr(fn, "__func__", fn), process_obj)
        self._call = jit(fn, input_signature=input_signature, jit_config=jit_config)

    def compile(self, method_name, *args, **kwargs):
        """Compiles the function for arguments like these; the name of the graph that serves them."""
        compiled = getattr(self._call, "__func__", self._call)
        if compiled is not self._call:
            args = (self._call.__self__, *args)
        compiled.__jit_compiler__.prepare(compiled, args, kwargs)
        return graph_name(compiled, args, kwargs)

    def __call__(self, *args, **kwargs):
        return self._call(*args, **kwargs)


_cell_graph_executor = _CellGraphExecutor()
ms_function = jit  # its name in MindSpore 1


def _function_forbid_reuse(function):
    """Returns the function: each call is captured separately, so that a random one draws again."""
    return function


@host_only
def ms_memory_recycle():
    """Drops all compiled graphs and gives memory that no tensor holds back to the system."""
    clear_compile_cache()
    empty_cache()


@host_only
def flops_collection(phase="train"):
    """The floating-point operations of the graph that a Cell compiled under a phase.

    Graphs have no phases here, so there is none of that name: what an operator computes is counted where it runs.
    """
    raise RuntimeError(
        f"flops_collection: no graph has the phase {phase!r}, graphs have no phases; dyad.summary(network, ...).flop "
        "counts a call, train.FlopsUtilizationCollector the steps of Model.train"
    )
