"""Measures the time of the parts of a split function, and of Python for the rest."""

import time


class Timing:
    """Seconds of one call: `whole`, and of each part by its name."""

    def __init__(self):
        self.whole = 0.0
        self.parts = {}

    @property
    def host(self):
        """Seconds that host code took."""
        return max(0.0, self.whole - sum(self.parts.values()))

    def run(self, cells, function, args, kwargs):
        """Calls the function, whose `cells` hold its parts by name, with a clock at each part."""
        held = {name: cell.cell_contents for name, cell in cells.items()}
        for name, part in held.items():
            cells[name].cell_contents = self._timed(name, part)
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            self.whole = time.perf_counter() - start
            for name, part in held.items():
                cells[name].cell_contents = part

    def _timed(self, name, part):
        def timed(*args):
            start = time.perf_counter()
            try:
                return part(*args)
            finally:
                self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - start

        return timed
