"""`dyad.common.api`: where programs import `mutable` and the switch for recording from."""

from dyad._src.autodiff.recording import no_grad as _no_grad
from dyad._src.mutable import mutable

__all__ = ["_no_grad", "mutable"]
