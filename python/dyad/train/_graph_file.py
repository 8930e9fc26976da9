"""Writes the compiled graph of a network as text."""

import os

from dyad import nn
from dyad._src.base.argument_checks import a_value
from dyad._src.base.atomic_file import write_atomically

_MODE = 0o400


def graph_text_of(network):
    """The text of a Cell's newest compiled graph; None if it was not compiled."""
    texts = [entry.program.text() for entry in network.compile_cache if entry.program is not None]
    return texts[-1] if texts else None


def save_graph(network, file_name):
    """Writes the newest graph of a Cell, as `dyad.ir` shows it; returns whether there is one."""
    if not isinstance(network, nn.Cell):
        raise TypeError(f"save_graph: network is {a_value(network)}; need a Cell")
    text = graph_text_of(network)
    if text is not None:
        write_atomically(os.path.abspath(file_name), [text.encode()], _MODE)
    return text is not None
