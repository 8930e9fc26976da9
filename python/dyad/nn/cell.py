"""`Cell` under the module that programs import it from."""

from dyad._src.borrowed_names import borrowing
from dyad._src.cell.cell import Cell

__all__ = ["Cell"]

__getattr__ = borrowing(__name__)
