"""`dyad.common.api`: where programs import `mutable`, the switch for recording and the wait for operators from."""

from dyad._src.autodiff.recording import no_grad as _no_grad
from dyad._src.mutable import mutable
from dyad.runtime import synchronize

__all__ = ["_no_grad", "mutable"]


class _PyNativeExecutor:
    """What programs know of the executor of the dynamic graph: that one can wait for it."""

    def sync(self):
        """Returns when every operator called so far has run."""
        synchronize()


_pynative_executor = _PyNativeExecutor()
