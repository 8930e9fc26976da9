"""`SummaryCollector` under the module path that programs import it from."""

from dyad._src.borrowed_names import borrowing
from dyad.train.summary.collector import SummaryCollector

__all__ = ["SummaryCollector"]

__getattr__ = borrowing(__name__)
