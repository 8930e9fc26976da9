"""The mixtures of `jit`, Graph mode and the transform of a program: each takes the program and the transform.

What the dynamic graph gives for `transform(function)` is what all of them must give.
"""

from pathlib import Path

import pytest
from described import difference
from session import InCell, chosen_for_level, in_graph_mode

import dyad

# Pairs of program and mixture that wait for a part of the framework that is not there yet: they must fail.
TO_COME = frozenset(Path(__file__).with_name("gradients_to_come.txt").read_text().split())
# Topics whose programs do not branch on what a trace freezes.
_TRACED = ("backward", "hooks")


def dynamic_gradient(function, transform):
    return transform(function)


def jit_of_gradient(function, transform):
    return dyad.jit(transform(function))


def kernel_by_kernel_gradient(function, transform):
    return dyad.jit(transform(function), jit_level="O0")


def strict_gradient(function, transform):
    return dyad.jit(transform(function), fullgraph=True)


def gradient_of_jit(function, transform):
    return transform(dyad.jit(function))


def jit_of_gradient_of_jit(function, transform):
    return dyad.jit(transform(dyad.jit(function)))


def bytecode_of_gradient(function, transform):
    return dyad.jit(transform(function), capture_mode="bytecode")


def gradient_of_bytecode(function, transform):
    return transform(dyad.jit(function, capture_mode="bytecode"))


def gradient_of_trace(function, transform):
    return transform(dyad.jit(function, capture_mode="trace"))


def gradient_made_inside(function, transform):
    """The transform is applied while the graph is captured."""

    def call(*arguments, **keywords):
        return transform(function)(*arguments, **keywords)

    return dyad.jit(call)


def graph_mode_gradient(function, transform):
    """Graph mode compiles the gradient function itself."""
    return in_graph_mode(transform(function))


def cell_in_graph_mode(function, transform):
    """Graph mode compiles a Cell that applies the transform."""

    def call(*arguments, **keywords):
        return transform(function)(*arguments, **keywords)

    return in_graph_mode(InCell(call))


MIXTURES = [
    jit_of_gradient,
    kernel_by_kernel_gradient,
    strict_gradient,
    gradient_of_jit,
    jit_of_gradient_of_jit,
    bytecode_of_gradient,
    gradient_of_bytecode,
    gradient_of_trace,
    gradient_made_inside,
    graph_mode_gradient,
    cell_in_graph_mode,
]


def cases(programs, mixtures):
    """The pairs of program and mixture to compare, for pytest."""
    pairs = [
        (program, mixture)
        for program in programs
        for mixture in mixtures
        if mixture is not strict_gradient or program.strict is not False
        if mixture is not gradient_of_trace or program.trace or program.topic in _TRACED
        if mixture is not kernel_by_kernel_gradient or chosen_for_level(str(program))
    ]
    named = [(f"{program}-{mixture.__name__}", program, mixture) for program, mixture in pairs]
    waits = pytest.mark.xfail(strict=True, reason="waits for a part of the framework that is not there yet")
    return [
        pytest.param(program, mixture, id=name, marks=[waits] if name in TO_COME else [])
        for name, program, mixture in named
    ]


def first_difference(static, truth):
    """Where a mixture differs from the dynamic graph, as text; None where they agree."""
    for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        if found is not None:
            return f"{found}; raised {static.raised}"
    return None
