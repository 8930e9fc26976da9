"""The parts of a graph for display, and the page that shows it."""

import html.parser
import os
import re

import pytest

from dyad._src.interchange.graph_text.dot import dot_text
from dyad._src.interchange.graph_text.listing import Value, read_graph
from dyad._src.observe.explain.graph_view import GraphView

GRAPH = """\
func @main(%x: float32[2, n], state %w: float32[2, (n + 1)], %k: number int64, %t: token) -> (%5, %t2, state %w = %4) {
  %1: float32[2, n] = mix(%x, (%w, none), scale=0.5, axes=[0, max(n, 3)], mode="a = \\"%b\\" @c") at "NET":3:8
  %2: bool_[] = any(%x) called "Tensor.any"
  %c: float32[40] = constant {LONG}
  %4: float32[2, n] = if %2 then @left else @right(%1, %w) at "NET":4:4
  %5: float32[2, n], %6: number int64 = while @more do @step(%4, %k) with (%w)
  %t2: token = host "print"(%t, %x) at "NET":6:4
}
func @left(%1: float32[2, n], %2: float32[2, n]) -> (%3) {
  %3: float32[2, n] = call @right(%2, %1) at "NET":4:9
}
func @right(%1: float32[2, n], %2: float32[2, n]) -> (%3) {
  %3: float32[2, n] = add(%2, %1) at "NET":4:20
}
func @more(%1: float32[2, n], %2: number int64, %3: float32[2, n]) -> (%4) {
  %4: number bool_ = number_lt(%2, 3)
}
func @step(%1: float32[2, n], %2: number int64, %3: float32[2, n]) -> (%1, %2) {
}
"""

PROGRAM = """\
rate = 2

def net(x, w):
    y = mix(x, w) if x.any() else w
    while y.sum() < 3:
        print("<&>", x)
    return y
"""


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(PROGRAM)
    return GRAPH.replace("NET", str(path)).replace("LONG", ", ".join(["1.0"] * 40))


def test_functions_are_taken_apart(text):
    functions = read_graph(text)
    assert list(functions) == ["main", "left", "right", "more", "step"]
    main = functions["main"]
    assert main.parameters[1] == Value("%w", "float32[2, (n + 1)]", is_state=True)
    assert [value.type for value in main.parameters] == [
        "float32[2, n]",
        "float32[2, (n + 1)]",
        "number int64",
        "token",
    ]
    assert main.results == ("%5", "%t2", "state %w = %4")
    assert functions["step"].nodes == ()


def test_nodes_are_taken_apart(text, tmp_path):
    mix, reduction, constant, choice, loop, host = read_graph(text)["main"].nodes
    assert (mix.kind, mix.name, mix.operands, mix.functions) == ("operator", "mix", ("%x", "%w"), ())
    assert (mix.file, mix.line, mix.column) == (str(tmp_path / "net.py"), 3, 8)
    assert (reduction.name, reduction.line, reduction.called) == ("any", 0, "Tensor.any")
    assert constant.kind == "constant" and constant.results == (Value("%c", "float32[40]"),)
    assert (choice.kind, choice.functions, choice.operands) == ("if", ("left", "right"), ("%2", "%1", "%w"))
    assert (loop.kind, loop.functions) == ("while", ("more", "step"))
    assert [value.name for value in loop.results] == ["%5", "%6"]
    assert (host.kind, host.operands) == ("host", ("%t", "%x"))


def test_what_is_not_a_graph_is_refused():
    with pytest.raises(ValueError, match="read_graph: 'x = 1' does not begin a function"):
        read_graph("x = 1\n")


def test_a_view_counts(text):
    view = GraphView("net", text)
    assert str(view) == text
    assert view.nodes == 9 and next(iter(view.functions)) == "main"
    assert repr(view) == "<graph of net: 9 nodes in 5 functions>"


class _Page(html.parser.HTMLParser):
    """Collects ids, links and marks of a page, and checks that every element is closed."""

    _EMPTY = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.marks, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert not {"src", "srcset"} & given.keys(), "the page asks for another file"
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if "data-at" in given:
            self.marks.append((given["class"], given["data-at"]))
        if tag not in self._EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(text, tmp_path):
    path = GraphView("net", text, GraphView("net", text)).show(tmp_path / "graph.html")
    assert path == str(tmp_path / "graph.html")
    written = (tmp_path / "graph.html").read_text(encoding="utf-8")
    page = _Page(written)
    assert page.open == [] and len(page.ids) == len(set(page.ids))
    assert not re.search(r"https?://|@import|url\(", written)
    assert "<title>graph of net</title>" in written and "captured: 9 nodes in 5 functions" in written
    assert "prefers-color-scheme: dark" in written


def test_arms_and_loops_are_linked_to_their_sections(text):
    page = _Page(GraphView("net", text).html())
    assert {"#stage0-left", "#stage0-right", "#stage0-more", "#stage0-step"} <= set(page.links)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)


def test_lines_and_the_nodes_made_from_them_carry_the_same_mark(text):
    page = _Page(GraphView("net", text).html())
    lines = {mark for kind, mark in page.marks if kind == "line"}
    nodes = {mark for kind, mark in page.marks if kind == "node"}
    assert lines == nodes == {"0:3", "0:4", "0:6"}


def test_the_page_shows_the_function_and_escapes_it(text):
    written = GraphView("net", text).html()
    assert "print(&quot;&lt;&amp;&gt;&quot;, x)" in written
    assert "rate = 2" not in written
    assert "(40 elements)" in written
    assert '<span class="type">float32[2, n]</span>' in written


def test_a_graph_whose_program_is_not_at_hand():
    written = GraphView(
        "f", 'func @f(%x: float32[]) -> (%1) {\n  %1: float32[] = neg(%x) at "<gone>":1:0\n}\n'
    ).html()
    assert "The program's text is not at hand." in written
    assert _Page(written).marks == []


def test_show_without_a_path_makes_a_file(text):
    path = GraphView("a <b>", text).show()
    assert re.search(r"dyad-a__b_-\w+\.html$", path)
    with open(path, encoding="utf-8") as file:
        assert "graph of a &lt;b&gt;" in file.read()
    os.remove(path)


def test_a_notebook_gets_the_page_in_a_frame(text):
    shown = GraphView("net", text)._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;') and shown.endswith("</iframe>")


def test_dot_text_draws_every_block_and_edge(text):
    written = dot_text("net", read_graph(text))
    assert written.startswith('digraph "net" {') and written.rstrip().endswith("}")
    assert written.count("subgraph") == 5
    assert written.count("style=dashed") == 5
    assert '"main.%x" -> "main:0"' in written and '"main:0" -> "main:3"' in written
    assert '"main:4" -> "main.out"' in written
