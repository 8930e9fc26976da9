"""`dyad.train.summary`: records the events of a run in files."""

from dyad.train.summary.landscape import SummaryLandscape
from dyad.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryLandscape", "SummaryRecord"]
