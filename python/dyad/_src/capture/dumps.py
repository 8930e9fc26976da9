"""`save_graphs`: what the graph was after each stage, as files.

Level 1 writes the captured graph and what each pass changed of it, level 2 the graph after every pass, level 3 a
picture for Graphviz beside each text. The last file, `validate`, is the graph that runs. Names of files sort in the
order in which they were written.
"""

import itertools
import os

from dyad._src.context import environment
from dyad._src.interchange.graph_text.dot import dot_text
from dyad._src.interchange.graph_text.listing import read_graph

_graphs = itertools.count()


def compile_dumped(graph, name, optimise):
    """The program that a captured graph is compiled to, with files of its stages if they were asked for."""
    level = environment.dump_level()
    if not level:
        return graph.compile(optimise=optimise, dump=None)
    files = _GraphFiles(level, name)
    program = graph.compile(optimise=optimise, dump=files)
    files.finish()
    return program


class _GraphFiles:
    """The files of one graph."""

    def __init__(self, level, name):
        self._level = level
        self._name = name
        self._start = os.path.join(environment.dump_folder(), f"{next(_graphs):04d}_{_plain(name)}")
        self._stages = environment.dumped_stages()
        self._latest = None
        self._number = 0

    def __call__(self, number, stage, text):
        changed = text != self._latest
        self._latest, self._number = text, number
        if changed or self._level > 1:
            self._put(number, stage, text)

    def finish(self):
        """Writes the graph that was checked last, and that runs."""
        self._put(self._number + 1, "validate", self._latest)

    def _put(self, number, stage, text):
        path = f"{self._start}_{number:02d}_{_plain(stage)}"
        if self._stages and not any(word in os.path.basename(path) for word in self._stages):
            return
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
