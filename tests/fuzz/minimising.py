"""Makes a graph that fails smaller for as long as it still fails."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from dyad import Parameter

from .graph import Graph, namespace
from .values import Argument, array_of

_MOST_VALUES = 64


def minimised(graph: Graph, fails: Callable[[Graph], bool], attempts: int = 400) -> Graph:
    """A graph that fails as well and of which nothing more can be left out, or the best of so many attempts."""
    while True:
        for smaller in _smaller(graph):
            attempts -= 1
            if attempts < 0:
                return graph
            if fails(smaller):
                graph = smaller
                break
        else:
            return graph


def _smaller(graph: Graph) -> Iterator[Graph]:
    yield from _fewer_results(graph)
    yield from _without_a_statement(graph)
    yield from _with_an_argument_instead(graph)
    yield from _simpler_arguments(graph)


def _with(graph, **changes) -> Graph:
    """The graph changed, without the arguments that nobody names any more."""
    changed = replace(graph, **changes)
    named = set(changed.results) | {name for statement in changed.statements for name in statement.reads}
    used = {name: argument for name, argument in changed.arguments.items() if name in named}
    return replace(changed, arguments=used) if used else changed


def _fewer_results(graph):
    if len(graph.results) > 1:
        for half in (graph.results[: len(graph.results) // 2], graph.results[len(graph.results) // 2 :]):
            yield _with(graph, results=half)
        for name in graph.results:
            yield _with(graph, results=tuple(other for other in graph.results if other != name))


def _without_a_statement(graph):
    """Without what nobody reads; a write is read by nobody."""
    for at in reversed(range(len(graph.statements))):
        statements = graph.statements[:at] + graph.statements[at + 1 :]
        read = {name for statement in statements for name in statement.reads} | set(graph.results)
        if not read.intersection(graph.statements[at].targets):
            yield _with(graph, statements=statements)


def _with_an_argument_instead(graph):
    """A new argument in the place of what a statement makes: with any values, or with those it would make."""
    space = _run(graph)
    for at, statement in enumerate(graph.statements):
        if statement.targets and all(name in space for name in statement.targets):
            yield _cut(graph, at, statement, space, random=True)
            yield _cut(graph, at, statement, space, random=False)


def _cut(graph, at, statement, space, random):
    arguments = dict(graph.arguments)
    for name in statement.targets:
        dtype, shape = graph.dtypes[name], tuple(space[name].shape)
        array = array_of(space[name])
        if random or array.size > _MOST_VALUES:
            arguments[name] = Argument(dtype, shape, seed=at)
        else:
            values = tuple(np.asarray(array).ravel().tolist())
            arguments[name] = Argument(dtype, shape, kind="given", values=values)
    return _with(graph, arguments=arguments, statements=graph.statements[:at] + graph.statements[at + 1 :])


def _simpler_arguments(graph):
    for name, argument in graph.arguments.items():
        simpler = []
        if argument.layout != "plain":
            simpler.append(replace(argument, layout="plain"))
        if argument.kind == "special":
            simpler.append(replace(argument, kind="usual"))
        if argument.kind == "usual" and argument.seed > 1:
            simpler.append(replace(argument, seed=1))
        if argument.parameter:
            simpler.append(replace(argument, parameter=False))
        for other in simpler:
            yield replace(graph, arguments={**graph.arguments, name: other})


def _run(graph) -> dict:
    """The variables of the dynamic graph, each as it was when it was made."""
    space = namespace()
    for name, argument in graph.arguments.items():
        space[name] = Parameter(argument.tensor()) if argument.parameter else argument.tensor()
    made: dict = {}
    for statement in graph.statements:
        try:
            exec(statement.text, space)
        except Exception:
            return made
        made |= {name: space[name].copy() for name in statement.targets}
    return made
