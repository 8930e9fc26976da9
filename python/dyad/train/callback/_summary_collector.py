"""`SummaryCollector` under the module path that programs import it from."""

from dyad.train.summary.collector import SummaryCollector

__all__ = ["SummaryCollector"]
