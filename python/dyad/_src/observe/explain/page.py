"""A graph as one self-contained HTML file: the program on the left, the nodes made from it on the right."""

import functools
import os
import re
from html import escape

from dyad._src.observe.explain.source_excerpts import excerpts_of

# Number of elements of a constant that are shown.
_LONGEST_CONSTANT = 80
_PARTS = re.compile(r'("(?:[^"\\]|\\.)*")|(%[\w#.?]+)|@([\w#.]+)')


def page(title, stages, function=None):
    """The page of a graph. `stages` maps a name ("captured", "compiled") to the functions of the graph then."""
    nodes = [node for functions in stages.values() for each in functions.values() for node in each.nodes]
    excerpts = excerpts_of(nodes, function)
    texts = list(dict.fromkeys(excerpt.file for excerpt in excerpts))
    places = _Places(texts, {(node.file, node.line) for node in nodes})
    summary = "; ".join(f"{name}: {_size(functions)}" for name, functions in stages.items())
    tabs = [_tab(number, name) for number, name in enumerate(stages)] if len(stages) > 1 else []
    program = [_excerpt(excerpt, places) for excerpt in excerpts]
    graphs = [_Stage(number, functions, places).html() for number, functions in enumerate(stages.values())]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{_asset('page.css')}</style></head><body>",
            f"<header><h1>{escape(title)}</h1><p>{escape(summary)}</p>",
            f"<nav>{''.join(tabs)}</nav></header>" if tabs else "</header>",
            '<main><div class="program">',
            *(program or ["<p>The program's text is not at hand.</p>"]),
            '</div><div class="graph">',
            *graphs,
            "</div></main>",
            f"<script>\n{_asset('page.js')}</script></body></html>\n",
        ]
    )


@functools.cache
def _asset(name):
    import importlib.resources

    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _size(functions):
    nodes = sum(len(function.nodes) for function in functions.values())
    return f"{_count(nodes, 'node')} in {_count(len(functions), 'function')}"


def _count(number, what):
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _tab(number, name):
    pressed = "true" if number == 0 else "false"
    return f'<button data-stage="stage{number}" aria-pressed="{pressed}">{escape(name)}</button>'


class _Places:
    """Marks that link lines to nodes; only lines with a node have one."""

    def __init__(self, texts, used):
        self._texts = {file: number for number, file in enumerate(texts)}
        self._used = used

    def mark(self, file, line):
        if (file, line) not in self._used or file not in self._texts:
            return ""
        return f' data-at="{self._texts[file]}:{line}"'


def _excerpt(excerpt, places):
    rows = [
        f'<div class="line"{places.mark(excerpt.file, number)}>'
        f'<span class="number">{number}</span>{escape(text)}</div>'
        for number, text in enumerate(excerpt.lines, excerpt.first_line)
    ]
    return "\n".join(
        [f'<h2 title="{escape(excerpt.file)}">{escape(os.path.basename(excerpt.file))}</h2>', *rows]
    )


class _Stage:
    """The graph at one moment."""

    def __init__(self, number, functions, places):
        self._number = number
        self._functions = functions
        self._places = places
        self._function = ""

    def html(self):
        hidden = " hidden" if self._number else ""
        sections = [self._section(function) for function in self._functions.values()]
        return "\n".join([f'<div id="stage{self._number}"{hidden}>', *sections, "</div>"])

    def _section(self, function):
        self._function = function.name
        parameters = ", ".join(
            ("state " if value.is_state else "") + self._value(value) for value in function.parameters
        )
        results = ", ".join(self._linked(result) for result in function.results)
        return "\n".join(
            [
                f'<section id="{self._anchor(function.name)}"><h3>@{escape(function.name)}</h3>',
                *self._entered_from(function.name),
                f'<div class="signature">({parameters}) → ({results})</div>',
                *(self._node(node) for node in function.nodes),
                "</section>",
            ]
        )

    def _entered_from(self, name):
        callers = [
            f'<a href="#{self._anchor(caller.name)}">@{escape(caller.name)}</a> ({node.kind})'
            for caller in self._functions.values()
            for node in caller.nodes
            if name in node.functions
        ]
        return (
            [f'<div class="entered">entered from {", ".join(dict.fromkeys(callers))}</div>']
            if callers
            else []
        )

    def _node(self, node):
        results = ", ".join(self._value(value) for value in node.results)
        body = self._linked(_shortened(node))
        name = escape(node.name)
        body = f'<span class="operation">{name}</span>{body.removeprefix(name)}'
        place = f' <span class="place">line {node.line}</span>' if node.line else ""
        mark = self._places.mark(node.file, node.line)
        return f'<div class="node"{mark}>{results}{" = " if results else ""}{body}{place}</div>'

    def _value(self, value):
        return f'{self._linked(value.name)}: <span class="type">{escape(value.type)}</span>'

    def _linked(self, text):
        """The text with its values marked and its functions as links."""
        pieces, end = [], 0
        for found in _PARTS.finditer(text):
            pieces.append(escape(text[end : found.start()]))
            pieces.append(self._part(*found.groups()))
            end = found.end()
        return "".join([*pieces, escape(text[end:])])

    def _part(self, quoted, value, function):
        if quoted is not None:
            return escape(quoted)
        if value is not None:
            return f'<span class="value" data-value="{self._number}:{escape(self._function)}:{value}">{value}</span>'
        return f'<a href="#{self._anchor(function)}">@{escape(function)}</a>'

    def _anchor(self, name):
        return f"stage{self._number}-{escape(name)}"


def _shortened(node):
    if node.kind != "constant" or len(node.body) <= _LONGEST_CONSTANT:
        return node.body
    return f"{node.body[:_LONGEST_CONSTANT]}… ({node.body.count(',') + 1} elements)"
