"""Joins values and containers where two paths meet."""

import collections

from dyad._core import CaptureError, Tensor
from dyad._src.base.break_reasons import CONDITION
from dyad._src.capture.semantics.abstract.abstraction import SharedTensors, abstraction_of
from dyad._src.capture.semantics.abstract.containers import AbstractContents
from dyad._src.capture.semantics.abstract.errors import CannotJoin, TooManyKinds
from dyad._src.capture.semantics.abstract.join import Joiner, contents_value
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.calls.frameworks import is_framework_module
from dyad._src.capture.semantics.memory.aliases import Before
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    CONTENTS_CHOICE_KEY,
    UNBOUND,
    Returned,
    contents_choice_of,
    is_symbolic_tensor,
    origin_of,
)


class Joins(Part):
    """Makes one value of those that two paths give, and one content of each container that one of them changed."""

    @property
    def joins_strictly(self):
        """At STRICT a program's values keep one type on all paths; how a layer of the framework works is its own."""
        return self.strict and not is_framework_module(self.interpreter.frame.namespace.get("__name__", ""))

    def join_with_dead(self, condition, arms, dead, moment):
        """One path raises: afterwards everything is as the other one left it."""
        alive = arms[1 - dead]
        fixed = Before(self.interpreter, moment, [alive.function], True)
        self.merge_own(alive, fixed)
        leaves, made = Leaves(), SharedTensors()
        self.graph.resume(alive.function)
        try:
            aval = abstraction_of(alive.value, fixed, made)
            left = list(self._values_left(alive))
            entries = [(after, place, abstraction_of(value, fixed, made)) for after, place, value in left]
            aval.flatten(alive.value, leaves)  # only now is it known which tensors several places hold
            for (_, _, value), (_, _, entry) in zip(left, entries, strict=True):
                entry.flatten(value, leaves)
        except CannotJoin as reason:
            raise self.identity_rejection(reason) from None
        finally:
            self.graph.suspend()
        outs = [list(leaves), []] if dead == 1 else [[], list(leaves)]
        results = self.graph.add_if(
            condition, arms[0].function, outs[0], arms[1].function, outs[1], dead=dead
        )
        self._link_results(results, list(leaves))
        built = LeafReader(results, self.interpreter.exceptions.note_built)
        value = aval.unflatten(built)
        for after, place, entry in entries:
            after[place] = entry.unflatten(built)
        for change in alive.changes.values():
            self.heap.replace(change.container, change.after)
        return value

    def _values_left(self, arm):
        """(contents, place in them, value) of what an arm leaves different."""
        for change in arm.changes.values():
            for place in places_of(change.after, change.after):
                value = held_at(change.after, place)
                if len(change.before) != len(change.after) or value is not held_at(change.before, place):
                    yield change.after, place, value

    def fixed_since(self, moment):
        """A predicate: whether a container was there at that moment."""
        return lambda container: self.is_fixed(container, moment)

    def is_fixed(self, container, moment):
        """Returns whether a container was there at that moment; an exception from outside was there all along."""
        if isinstance(container, BaseException) and not self.interpreter.exceptions.is_own_exception(
            container
        ):
            return True
        return self.heap.older_than(container, moment)

    def join_arms(self, condition, arms, moment, exact):
        """Adds the `if` node of two paths that both go on; gives their joined value and sets what they changed."""
        functions = [arm.function for arm in arms]
        before = Before(self.interpreter, moment, functions, exact)
        for arm in arms:
            self.merge_own(arm, before)
        changes = list({**arms[0].changes, **arms[1].changes}.values())
        pairs = [(arms[0].value, arms[1].value)]
        for change in changes:
            pairs.append(self._aligned(change, arms[0].after(change), arms[1].after(change)))
        joiner = Joiner(before, self.joins_strictly, self.origin_noter(functions))
        avals = self._joined_avals(joiner, pairs, arms)
        if joiner.came_late:
            avals = self._joined_avals(joiner, pairs, arms)
        outs, given = [], []
        for side in (0, 1):
            leaves = Leaves()
            self.graph.resume(arms[side].function)
            try:
                for number, (aval, pair) in enumerate(zip(avals, pairs, strict=True)):
                    aval.flatten(_fitting(aval, pair[side]), leaves)
                    if number == 0:
                        leaves.forget_containers()
                outs.append(list(leaves))
                given.append(self.interpreter.aliases.handed_out(outs[side], arms[side].function))
            except CannotJoin as reason:
                raise self.identity_rejection(reason) from None
            finally:
                self.graph.suspend()
        results = self.graph.add_if(condition, arms[0].function, given[0], arms[1].function, given[1])
        for result in results:
            if isinstance(result, Tensor):
                self.graph.note_new(result)
        for values in outs:
            self._link_results(results, values)
        built = LeafReader(results, self.interpreter.exceptions.note_built)
        value = avals[0].unflatten(built)
        for change, aval in zip(changes, avals[1:], strict=True):
            self.heap.replace(change.container, _without_unbound(aval.unflatten(built)))
        return value

    def merge_own(self, path, before):
        """Lets what is one of several tensors that a path made be one tensor, in its value and in what it changed."""
        if not self.interpreter.aliases.exact_sites:
            return
        self.graph.resume(path.function)
        try:
            path.value = self.interpreter.aliases.with_merged(path.value, before)
            for change in path.changes.values():
                change.after = self.interpreter.aliases.with_merged(change.after, before)
        finally:
            self.graph.suspend()

    def _link_results(self, results, given):
        for result, value in zip(results, given, strict=True):
            self.interpreter.aliases.may_share(result, value, self.interpreter.aliases.site)

    def _joined_avals(self, joiner, pairs, arms):
        avals = []
        for number, (a, b) in enumerate(pairs):
            try:
                avals.append(joiner.join_contents(a, b) if number else joiner.join(a, b))
            except CannotJoin as reason:
                raise self.join_rejection(number, a, b, reason, arms) from None
        return avals

    def origin_noter(self, functions):
        """Gives tensors that were there before the functions a number, so that what may be one of them can say so.

        Only where the functions stand in the main one: a number means nothing outside of the path it was given on.
        """
        if self.heap.depth:
            return None

        def note(tensor):
            if not is_symbolic_tensor(tensor) or origin_of(tensor).candidates:
                return
            # A view made inside has memory from outside, but was not there before.
            if not any(
                self.graph.made_inside(function, tensor) for function in functions
            ) and self.interpreter.reachability.is_held(tensor):
                self.external.note_origin(tensor)

        return note

    def _aligned(self, change, a, b):
        """Contents of one container on two paths, with the same keys."""
        if self.heap.is_namespace(change.container):
            if tuple(a) == tuple(b):
                return a, b
            unseen = self.heap.seeds_of(change.container)
            keys = list(dict.fromkeys((*a, *b)))
            return tuple({key: held.get(key, unseen.get(key, UNBOUND)) for key in keys} for held in (a, b))
        is_longer = isinstance(change.container, collections.deque) and len(a) != len(b)
        if isinstance(change.container, set) or is_longer:
            raise self.interpreter.rejection(
                CONDITION,
                f"if: a {type(change.container).__name__} is changed under a condition that is known only when the "
                "graph runs",
                "Use a list or a dict.",
            )
        return a, b

    def join_rejection(self, number, a, b, reason, arms=None):
        """The rejection of two values that have no common type."""
        name, a, b = reason.entry or ("the result" if number == 0 else "a container", a, b)
        one, other = (
            ("before a turn of the loop", "after it") if arms is None else ("on one path", "on the other")
        )
        a, b = _described(_given_back(a), _given_back(b))
        return self.interpreter.rejection(
            CONDITION,
            f"Cannot join the return values of different branches: {name} is {a} {one} and {b} {other}; {reason}",
            f"{_ends(arms)}Let both give values of one type, dtype and length, or decide by a value known while "
            "compiling.",
            error=CaptureError if isinstance(reason, TooManyKinds) else TypeError,
        )

    def identity_rejection(self, reason):
        """The rejection of containers of which only the run knows whether they are one."""
        return self.interpreter.rejection(
            CONDITION,
            f"{reason}, which is known only when the graph runs",
            "Give each name a container of its own, by copy() for example, or use a tuple.",
        )


def _fitting(aval, contents):
    """Contents as the aval takes them: a choice stands as the only entry."""
    if isinstance(contents, (list, dict)) and isinstance(getattr(aval, "items", [None])[:1], list):
        first = aval.items[0] if getattr(aval, "items", None) else None
        if isinstance(first, AbstractContents) and contents_choice_of(contents) is None:
            return (
                {CONTENTS_CHOICE_KEY: contents_value(contents)}
                if isinstance(contents, dict)
                else [contents_value(contents)]
            )
    return contents


def _without_unbound(held):
    if isinstance(held, dict):
        return {key: value for key, value in held.items() if value is not UNBOUND}
    return held


def _ends(arms):
    """Shows where the two paths of a branch end."""
    if arms is None or arms[0].end is None:
        return ""
    return f"one path ends at\n{arms[0].end.text()}\nthe other at\n{arms[1].end.text()}\n"


def _given_back(value):
    """The value that a path returns, where the path is a statement."""
    return value[0] if isinstance(value, Returned) else value


def _described(a, b):
    """Two values for a message that tells them apart: by a member where they look alike themselves."""
    one, other = abstraction_of(a).describe(), abstraction_of(b).describe()
    if one != other or type(a) is not type(b) or not isinstance(a, (list, tuple, dict)):
        return one, other
    members = a.items() if isinstance(a, dict) else enumerate(a)
    for key, member in members:
        shown = _described(member, b[key])
        if shown[0] != shown[1]:
            return tuple(
                f"{whole} whose member {key!r} is {part}"
                for whole, part in zip((one, other), shown, strict=True)
            )
    return one, f"another {type(b).__name__}" if isinstance(a, (list, dict)) else other


def places_of(before, after):
    """The keys or indices of a container's contents before and after a change."""
    if isinstance(after, dict):
        return list(dict.fromkeys((*before, *after)))
    return range(len(after))


def held_at(held, place):
    """The value at a place of contents, UNBOUND if there is none."""
    return held.get(place, UNBOUND) if isinstance(held, dict) else held[place]
