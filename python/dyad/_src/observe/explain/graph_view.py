"""The result of `dyad.ir`: a view of a graph."""

import os
from html import escape

from dyad._src.interchange.graph_text.listing import read_graph
from dyad._src.observe.explain.page import page


class GraphView:
    """A captured graph: `str` is its text, `show` writes a page of it.

    `compiled` is the same graph after the passes, which is what runs.
    """

    def __init__(self, name, text, compiled=None, function=None):
        self.name = name
        self.text = text
        self.compiled = compiled
        self._function = function
        self._functions = None

    @property
    def functions(self):
        """The functions of the graph by name; the first is the entry, others are branches, loops and callees."""
        if self._functions is None:
            self._functions = read_graph(self.text)
        return self._functions

    @property
    def nodes(self):
        """Number of nodes, of all functions together."""
        return sum(len(function.nodes) for function in self.functions.values())

    def html(self):
        """The page as a string: one self-contained file."""
        stages = {"captured": self.functions}
        if self.compiled is not None:
            stages["compiled"] = self.compiled.functions
        return page(f"graph of {self.name}", stages, self._function)

    def show(self, path=None, browse=False):
        """Write the page to `path`, or to a temporary file, and return its path; with `browse` open it as well."""
        if path is None:
            import tempfile

            handle, path = tempfile.mkstemp(prefix=f"dyad-{_file_name(self.name)}-", suffix=".html")
            os.close(handle)
        path = os.path.abspath(os.fspath(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())
        if browse:
            import webbrowser

            webbrowser.open(f"file://{path}")
        return path

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<graph of {self.name}: {self.nodes} nodes in {len(self.functions)} functions>"

    def _repr_html_(self):
        height = min(240 + 22 * self.nodes, 700)
        return (
            f'<iframe srcdoc="{escape(self.html())}" style="width: 100%; height: {height}px; border: 0" '
            f'title="graph of {escape(self.name)}"></iframe>'
        )


def _file_name(name):
    return "".join(character if character.isalnum() else "_" for character in name)
