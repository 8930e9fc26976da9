"""`Cell` under the module that programs import it from."""

from dyad._src.cell.cell import Cell

__all__ = ["Cell"]
