"""`save_graphs`: the graph as text after every pass."""

import itertools
import os

from dyad._src.context import settings

_graphs = itertools.count()


def dump_callback(name):
    """What writes the graph after each pass, or None if nobody asked for it."""
    level = settings.read("save_graphs")
    if not level:
        return None
    folder = settings.read("save_graphs_path")
    os.makedirs(folder, exist_ok=True)
    graph, passes = next(_graphs), itertools.count()

    def dump(stage, text):
        path = os.path.join(folder, f"graph_{graph:03d}_{_plain(name)}_{next(passes):02d}_{_plain(stage)}.ir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    return dump


def _plain(name):
    return "".join(character if character.isalnum() else "_" for character in name)
