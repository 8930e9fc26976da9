"""`dyad.train.summary`: records the events of a run in files."""

from dyad._src.base.missing import missing_attribute
from dyad.train.summary.landscape import SummaryLandscape
from dyad.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryLandscape", "SummaryRecord"]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
