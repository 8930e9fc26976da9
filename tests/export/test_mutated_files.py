"""Files that were changed by chance: the right graph or RuntimeError, and no other end; nothing of them is run."""

import random

import pytest
from forms import graph_mode
from mutations import changed_bytes, changed_message
from reference_files import FOLDER, NAMES, Expectation

import dyad
from dyad import nn, ops
from dyad._src.base.protobuf.wire import MalformedMessage
from dyad._src.interchange.mindir import text_file
from dyad._src.interchange.mindir.load import graph_of

# Loops that were changed may go on for ever when they are run.
WITHOUT_LOOPS = [name for name in NAMES if "loop" not in name and name != "recursion"]
FILES = {name: (FOLDER / f"{name}.mindir").read_bytes() for name in NAMES}


def mindir_graph(data, path):
    """The graph of a file that has no others beside it."""

    def read_file(beside):
        raise MalformedMessage(f"there is no file {beside}")

    return graph_of(data, path, read_file)


def loaded(read, data):
    """The graph of a file, or None if it is refused as it must be."""
    try:
        return read(data, "changed.mindir")
    except RuntimeError as error:
        assert "is not a graph that can be run here" in str(error)
        return None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", [changed_bytes, changed_message])
def test_mindir_files(change, name):
    chance = random.Random(name)
    for _ in range(25):
        loaded(mindir_graph, change(chance, FILES[name]))


@pytest.mark.parametrize("name", WITHOUT_LOOPS)
def test_changed_graphs_end(name):
    chance, inputs = random.Random(name), Expectation(name).inputs()
    ends = 0
    for _ in range(25):
        graph = loaded(mindir_graph, changed_message(chance, FILES[name]))
        if graph is None:
            continue
        try:
            nn.GraphCell(graph)(*inputs)
        except Exception as error:
            assert not isinstance(error, (MemoryError, SystemError)), error
        ends += 1
    assert ends > 0


def test_changed_graphs_end_in_graph_mode():
    chance, inputs = random.Random(5), Expectation("values").inputs()
    with graph_mode():
        for _ in range(25):
            graph = loaded(mindir_graph, changed_message(chance, FILES["values"]))
            if graph is not None:
                try:
                    nn.GraphCell(graph)(*inputs)
                except Exception as error:
                    assert not isinstance(error, (MemoryError, SystemError)), error


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(4, 3)

        def construct(self, x):
            y = self.dense(x)
            if y.sum() > 0:
                y = y * 2
            return y[0], {"a": (1, 2.5, "b")}

    path = str(tmp_path_factory.mktemp("text") / "net.dyad")
    dyad.export(Net(), ops.ones((2, 4)), file_name=path, file_format="DYAD")
    with open(path, "rb") as file:
        return file.read()


def test_text_files(text):
    chance = random.Random(3)
    for _ in range(600):
        loaded(text_file.graph_of, changed_bytes(chance, text))


def test_names_in_files_are_never_code(text):
    for old, new in ((b"dense", b"__import__"), (b'"b"', b'"b\\" + exit()"'), (b"@if_true", b"@exit()")):
        changed = text.replace(old, new)
        assert changed != text
        graph = loaded(text_file.graph_of, changed)
        if graph is not None:
            nn.GraphCell(graph)(ops.ones((2, 4)))
