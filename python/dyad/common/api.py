"""`dyad.common.api`: where programs import `jit`, `mutable`, the switch for recording and the wait from."""

from dyad._src.argument_checks import require_bool
from dyad._src.autodiff.recording import is_recording, set_recording
from dyad._src.autodiff.recording import no_grad as _no_grad
from dyad._src.host_only import host_only
from dyad._src.jit.config import JitConfig
from dyad._src.jit.jit import jit
from dyad._src.jit.markers import jit_class
from dyad._src.mutable import mutable
from dyad.runtime import synchronize

__all__ = ["JitConfig", "_no_grad", "jit", "jit_class", "mutable"]


class _PyNativeExecutor:
    """What programs know of the executor of the dynamic graph: one can wait for it and switch its recording."""

    def sync(self):
        """Returns when every operator called so far has run."""
        synchronize()

    @host_only
    def set_enable_grad(self, flag):
        """Records operators for gradients from here on, or not; `no_grad` does so for a block."""
        set_recording(require_bool("set_enable_grad", "flag", flag))

    def enable_grad(self):
        """Whether operators are recorded for gradients where one is asked for."""
        return is_recording()

    def set_creation_type(self, tensor, creation_type):
        """Says that a view may be written, which here every view may."""


_pynative_executor = _PyNativeExecutor()


class _CellGraphExecutor:
    """What programs know of the compiler of Cells: that it compiles without running."""

    def compile(self, obj, *args, **kwargs):
        """Compiles a Cell for arguments like these."""
        obj.compile(*args, **kwargs)


_cell_graph_executor = _CellGraphExecutor()


def _function_forbid_reuse(function):
    """The function: each call of it is captured where it stands, so that one that draws draws anew."""
    return function
