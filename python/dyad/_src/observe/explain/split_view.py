"""The result of `dyad.ir` for a function that Python runs: its graphs and its host statements in one listing."""

from html import escape

from dyad._src.interchange.graph_text.listing import read_graph
from dyad._src.observe.explain.graph_view import GraphView
from dyad._src.observe.explain.page import page


class SplitView(GraphView):
    """The pieces of a split function in order: `str` lists them, `show` makes a page of the graphs and the listing."""

    def __init__(self, name, pieces, source, refusal):
        self._graphs = {
            _title(piece): piece.compiled.entries[0].program.text() for piece in pieces if piece.graphs
        }
        super().__init__(name, _listing(pieces, source, refusal))

    @property
    def functions(self):
        """The functions of all graphs, by the lines of their part and their name."""
        if self._functions is None:
            self._functions = {
                f"{title}: {name}": function
                for title, text in self._graphs.items()
                for name, function in read_graph(text).items()
            }
        return self._functions

    def html(self):
        """The page as a string: the graphs of the parts, and the listing below them."""
        stages = {title: read_graph(text) for title, text in self._graphs.items()}
        listing = f"<pre>{escape(self.text)}</pre>"
        made = page(f"parts of {self.name}", stages, None) if stages else "<body></body>"
        head, end, tail = made.rpartition("</body>")
        return f"{head}{listing}{end}{tail}"


def _title(piece):
    one = piece.first_line == piece.last_line
    return f"line {piece.first_line}" if one else f"lines {piece.first_line} to {piece.last_line}"


def _listing(pieces, source, refusal):
    if not pieces:
        return f"which parts are graphs is known when the function was called; Python runs a part because\n{refusal}"
    lines = []
    for piece in pieces:
        numbers = range(piece.first_line, piece.last_line + 1)
        if piece.is_graph:
            lines.append(f"# {_title(piece)}: graph")
            lines += [piece.compiled.entries[0].program.text().rstrip()] if piece.graphs else []
        else:
            lines.append(f"# {_title(piece)}: Python, because {piece.because}")
            lines += [source.line(number) for number in numbers]
    return "\n".join(lines) + "\n"
