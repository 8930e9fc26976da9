"""`save_graphs`: what the graph was after each stage, as files.

Level 1 writes the captured graph and what each pass changed of it, level 2 the graph after every pass, level 3 a
picture for Graphviz beside each text. Names of files sort in the order in which they were written.
"""

import itertools
import os

from dyad._src import environment
from dyad._src.graph_text.dot import dot_text
from dyad._src.graph_text.listing import read_graph

_graphs = itertools.count()


def dump_callback(name):
    """What is called with number, name and text of each stage of the graph; None if no files were asked for."""
    level = environment.dump_level()
    return _GraphFiles(level, name) if level else None


class _GraphFiles:
    """The files of one graph."""

    def __init__(self, level, name):
        self._level = level
        self._name = name
        self._start = os.path.join(environment.dump_folder(), f"{next(_graphs):04d}_{_plain(name)}")
        self._latest = None

    def __call__(self, number, stage, text):
        if self._level == 1 and text == self._latest:
            return
        self._latest = text
        path = f"{self._start}_{number:02d}_{_plain(stage)}"
        _write(f"{path}.ir", text)
        if self._level == 3:
            _write(f"{path}.dot", dot_text(self._name, read_graph(text)))


def dump_failure(graph, error):
    """Leaves what there is of a graph that could not be captured, and why, in rank_0/om/analyze_fail.ir."""
    if not environment.dump_level():
        return
    folder = os.path.join(environment.dump_folder(), "rank_0", "om")
    os.makedirs(folder, exist_ok=True)
    reason = "".join(f"# {line}\n" for line in f"{type(error).__name__}: {error}".splitlines())
    _write(os.path.join(folder, "analyze_fail.ir"), reason + graph.text())


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _plain(name):
    return "".join(character if character.isalnum() else "_" for character in name)
