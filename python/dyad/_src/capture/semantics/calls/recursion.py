"""Recursion whose depth is known only when the graph runs: a function of the graph that calls itself.

A call is written out where it stands. Where a function calls itself under a condition of the running graph, with
arguments of the same abstract value, writing out would never end: the function is captured once, with parameters, and
called. What it gives is found by capturing it without its recursive paths first.
"""

from dyad._core import Tensor
from dyad._src.base.break_reasons import CALLEE
from dyad._src.capture.errors import Dead, Signal
from dyad._src.capture.semantics.abstract.abstraction import abstraction_of
from dyad._src.capture.semantics.abstract.errors import CannotJoin
from dyad._src.capture.semantics.abstract.join import Joiner
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.abstract.widening import forget_origins
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import depends_on_run

_MAX_ROUNDS = 8
_COMPARED = 16  # a recursion comes back to the same aval within so many calls, or not at all


class Recurring(Signal):
    """A function called itself again with arguments of the same abstract value."""

    def __init__(self, activation):
        super().__init__()
        self.activation = activation


class Activation:
    """A call being captured. With `arguments` it is captured as a function of the graph with parameters of `aval`."""

    def __init__(self, key, name, aval, level):
        self.key = key
        self.name = name
        self.aval = aval
        self.level = level
        self.as_function = False
        self.result = None  # aval of the result, as far as it is known
        self.handle = None  # the function of the graph, in the last round


class Recursion(Part):
    """The part of the interpreter that runs the body of a called function."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.activations = []  # calls being captured, outermost first

    def run_function(self, key, code, bound, run):
        """`run(bound)` captures the body. `key` tells activations of one function, of that code, apart from others."""
        if not depends_on_run(bound):
            return run(bound)
        active = [activation for activation in self.activations if activation.key == key]
        aval = forget_origins(abstraction_of(tuple(bound.values()), self._fixed_in_call))
        for activation in reversed(active):
            if activation.as_function:
                return self._call_again(activation, bound, aval)
        for activation in active[-_COMPARED:]:
            if activation.level < self.heap.depth and activation.aval.equals(aval):
                raise Recurring(activation)
        activation = Activation(key, code.name.strip("<>"), aval, self.heap.depth)
        self.activations.append(activation)
        try:
            if not active and code.may_recur and self._recurs(activation, bound, run):
                raise Recurring(activation)
            return run(bound)
        except Recurring as recurring:
            if recurring.activation is not activation:
                raise
            return self._capture_function(activation, bound, run)
        finally:
            self.activations.remove(activation)

    def _fixed_in_call(self, value):
        """Returns whether a value is the same at every call. A Cell from outside is: its changes are kept apart."""
        if self.interpreter.cells.is_cell(value):
            return not self.external.is_own(value)
        return self.heap.older_than(value, self.heap.clock)

    def _recurs(self, activation, bound, run):
        """Returns whether the call comes back to itself; nothing of what was captured to find out is kept."""
        try:
            self.interpreter.branches.trial(lambda: run(bound))
        except Recurring as recurring:
            if recurring.activation is not activation:
                raise
            return True
        return False

    def _call_again(self, activation, bound, aval):
        values = tuple(bound.values())
        if not activation.aval.includes(aval):
            raise self.interpreter.rejection(
                CALLEE,
                f"{self.interpreter.frame.name}: a recursive call is given {aval.describe()} where the first one has "
                f"{activation.aval.describe()}",
                "Let every recursive call have arguments of the same types, dtypes and shapes.",
            )
        if activation.result is None:
            raise Dead  # this round finds out what the paths without recursion give
        leaves = Leaves()
        activation.aval.flatten(values, leaves)
        if activation.handle is None:
            specs = Leaves()
            activation.result.flatten_specs(specs)
            outs = self.graph.add_host("recursion", _never, list(leaves), list(specs))
        else:
            outs = self.graph.add_call(activation.handle, list(leaves))
        self._link_call(outs, list(leaves))
        return self.interpreter.completions.resume(
            activation.result.unflatten(LeafReader(outs, self.interpreter.exceptions.note_built))
        )

    def _link_call(self, outs, given):
        """Protects the result of a recursive call from writes: it may be any of the arguments."""
        for out in outs:
            if isinstance(out, Tensor):
                self.graph.protect(out)
            for value in given:
                self.interpreter.aliases.may_share(out, value, None)

    def _capture_function(self, activation, bound, run):
        activation.as_function = True
        names = list(bound)
        for _ in range(_MAX_ROUNDS):
            result = self._round(activation, names, run)
            if activation.result is not None and result.equals(activation.result):
                break
            activation.result = result
        else:
            raise self.interpreter.rejection(
                CALLEE,
                f"{self.interpreter.frame.name}: the result takes another type in every recursive call",
            )
        specs, result_specs = Leaves(), Leaves()
        activation.aval.flatten_specs(specs)
        activation.result.flatten_specs(result_specs)
        activation.handle = self.graph.declare(activation.name, list(specs), list(result_specs))
        params = self.graph.open(activation.handle)
        value, _ = self._body(activation, names, run, params)
        inside = Leaves()
        activation.result.flatten(value, inside)
        self.graph.close(activation.handle, list(inside))
        given = Leaves()
        activation.aval.flatten(tuple(bound.values()), given)
        outs = self.graph.add_call(activation.handle, list(given))
        self.interpreter.aliases.link_function(params, list(inside), list(given), outs)
        return self.interpreter.completions.resume(
            activation.result.unflatten(LeafReader(outs, self.interpreter.exceptions.note_built))
        )

    def _round(self, activation, names, run):
        """The abstract value of the result, given what is known of it so far."""
        specs = Leaves()
        activation.aval.flatten_specs(specs)
        params = self.graph.begin("recursion", list(specs))
        try:
            value, moment = self._body(activation, names, run, params)
        except Dead:
            raise self.interpreter.rejection(
                CALLEE,
                "recursion: every path calls the function again, so it never ends",
                "Give the function a path that returns without calling itself.",
                error=RecursionError,
            ) from None
        finally:
            self.graph.suspend()
        if activation.result is None:
            return abstraction_of(value, self.interpreter.joins.fixed_since(moment))
        joiner = Joiner(self.interpreter.joins.fixed_since(moment), self.interpreter.joins.joins_strictly)
        zeros = Leaves()
        activation.result.flatten_zeros(zeros)
        try:
            return joiner.join(activation.result.unflatten(LeafReader(zeros)), value)
        except CannotJoin as reason:
            raise self.interpreter.joins.join_rejection(0, None, value, reason) from None

    def _body(self, activation, names, run, params):
        moment = self.heap.clock
        for param in params:
            if isinstance(param, Tensor):
                self.graph.protect(param)  # which tensors it may be, depends on the call
        values = activation.aval.unflatten(LeafReader(params))
        self.heap.push()
        try:
            value = self.interpreter.branches.run_path(lambda: run(dict(zip(names, values, strict=True))))
        finally:
            changes = self.heap.pop()
        if any(self.heap.older_than(change.container, moment) for change in changes.values()):
            raise self.interpreter.rejection(
                CALLEE,
                "recursion: a recursive function changes a name, attribute or container from outside of it",
                "Give back the new value instead.",
            )
        return value, moment


def _never(*_):
    raise AssertionError("a round of recursion that only finds types was run")
