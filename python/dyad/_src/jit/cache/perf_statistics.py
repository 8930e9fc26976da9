"""Returns whether a function is faster as a graph or in Python, told by timing some calls of each kind."""

_WHOLE = 10000


class PerfStatistics:
    """Times of so many calls of each kind as PERF_STATISTICS_COUNT says, by turns."""

    def __init__(self, keys):
        self._wanted = max(keys.perf_statistics_count, 1)
        self._demand = 1 + keys.perf_statistics_scale_10000x / _WHOLE
        self._seconds = {True: [], False: []}

    @property
    def next_is_graph(self):
        """Returns whether the next call is to be run as a graph."""
        return len(self._seconds[True]) <= len(self._seconds[False])

    @property
    def is_done(self):
        """Returns whether enough calls were timed."""
        return all(len(times) >= self._wanted for times in self._seconds.values())

    @property
    def graph_is_faster(self):
        """Returns whether the graph wins, by as much as is demanded of it."""
        return self._mean(True) * self._demand <= self._mean(False)

    def note(self, as_graph, seconds):
        """Adds one call."""
        self._seconds[as_graph].append(seconds)

    def _mean(self, as_graph):
        times = self._seconds[as_graph]
        return sum(times) / len(times)

    def __str__(self):
        return f"{self._mean(False) * 1e6:.1f} us, and {self._mean(True) * 1e6:.1f} us as a graph"
