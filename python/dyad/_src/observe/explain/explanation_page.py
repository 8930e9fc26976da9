"""An explanation as HTML, for notebooks."""

from html import escape

from dyad._src.observe.explain.explanation_text import WIDE_INTS, memory_text, pair_text, pieces_text

_STYLE = "text-align: left; padding: 1px 12px 1px 0; vertical-align: top; white-space: pre-wrap"


def explanation_html(explanation):
    parts = [
        f"<h4>{escape(explanation.name)}</h4>",
        f"<p>captured {escape(explanation.how)}<br>this call {escape(explanation.call)}</p>",
    ]
    if explanation.runs_in_python:
        parts += ["<p><b>It is no single graph</b></p>", f"<pre>{escape(explanation.rejection)}</pre>"]
        parts.append(f"<pre>{escape(chr(10).join(pieces_text(explanation.pieces)))}</pre>")
    elif explanation.rejection is not None:
        parts += ["<p><b>It cannot be captured</b></p>", f"<pre>{escape(explanation.rejection)}</pre>"]
    else:
        parts += [
            _folded("Stages", True, _table(("stage", "ms", "nodes"), _stage_rows(explanation))),
            f"<p>{explanation.steps} steps; {escape(memory_text(explanation.memory))}</p>",
            _folded(f"Guards ({len(explanation.guards)})", False, _list(explanation.guards)),
        ]
    if explanation.derived:
        parts.append(_folded("Gradients", True, _list([pair_text(pair) for pair in explanation.derived])))
    if explanation.wide_ints:
        parts.append(_folded(WIDE_INTS, True, _list(explanation.wide_ints)))
    if explanation.slower:
        parts.append(_folded("Slower than it could be", True, _list(explanation.slower)))
    if explanation.compilations:
        title = f"Compilations so far ({explanation.compilations[-1].number})"
        rows = [
            (each.number, f"{each.seconds * 1e3:.1f}", each.cause, each.cause.advice)
            for each in explanation.compilations
        ]
        parts.append(_folded(title, True, _table(("graph", "ms", "because", "to avoid it"), rows)))
    if explanation.graph is not None:
        parts.append(_folded("Graph", False, f"<pre>{escape(str(explanation.graph))}</pre>"))
    return f"<div>{''.join(parts)}</div>"


def _stage_rows(explanation):
    for stage in explanation.stages:
        yield stage.name, f"{stage.milliseconds:.2f}", "" if stage.nodes is None else stage.nodes


def _folded(title, is_open, body):
    return f"<details{' open' if is_open else ''}><summary>{escape(title)}</summary>{body}</details>"


def _table(head, rows):
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(tag, cells):
    written = "".join(f'<{tag} style="{_STYLE}">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{written}</tr>"


def _list(lines):
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
