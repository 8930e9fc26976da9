"""The forms in which a Cell may run."""

import contextlib

import dyad


@contextlib.contextmanager
def graph_mode():
    """Graph mode, and back."""
    before = dyad.get_context("mode")
    dyad.set_context(mode=dyad.GRAPH_MODE)
    try:
        yield
    finally:
        dyad.set_context(mode=before)


def in_graph_mode(net, *inputs):
    with graph_mode():
        return net(*inputs)


def dynamic(net, *inputs):
    return net(*inputs)


def jitted(net, *inputs):
    return dyad.jit(net.construct, fullgraph=True)(*inputs)


def traced(net, *inputs):
    return dyad.jit(net.construct, capture_mode="trace")(*inputs)


FORMS = [dynamic, in_graph_mode, jitted]
