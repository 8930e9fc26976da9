"""Branches and loops whose course is known only when the graph runs."""

import collections

from dyad import _core
from dyad._core import Tensor
from dyad._src.capture.errors import BudgetSpent, CaptureError, Dead, Rejected, Thrown, rejection
from dyad._src.capture.semantics.abstract.abstraction import SharedTensors, abstraction_of
from dyad._src.capture.semantics.abstract.containers import AbstractContents
from dyad._src.capture.semantics.abstract.errors import CannotJoin, TooManyKinds
from dyad._src.capture.semantics.abstract.join import Joiner, contents_value
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.abstract.values import Constant
from dyad._src.capture.semantics.abstract.widening import common_aval
from dyad._src.capture.semantics.aliases import Before, Carried
from dyad._src.capture.semantics.completion import is_raised
from dyad._src.capture.semantics.frameworks import is_framework_module
from dyad._src.capture.semantics.heap import is_container
from dyad._src.capture.semantics.values import (
    TORN_KEY,
    UNBOUND,
    OneOf,
    Raised,
    Returned,
    is_symbolic_tensor,
    origin_of,
    torn_of,
)

_MAX_ATTEMPTS = 24


class Arm:
    """One path of a branch: what it gives, what it changes, and the graph function that computes it."""

    def __init__(self, function, value, changes, dead, end):
        self.end = end  # the place where it ends
        self.function = function
        self.value = value
        self.changes = changes
        self.dead = dead

    def after(self, change):
        """Contents of a container at the end of this arm."""
        own = self.changes.get(id(change.container))
        return own.after if own is not None else change.before


class Control:
    """The part of the interpreter that builds `if` and `while` nodes."""

    @property
    def joins_strictly(self):
        """At STRICT a program's values keep one type on all paths; how a layer of the framework works is its own."""
        return self.strict and not is_framework_module(self.frame.namespace.get("__name__", ""))

    # ---- branches

    def branch(self, condition, when_true, when_false, exact=None):
        """Captures both paths; gives what the one taken gives, as far as that can be said now.

        `exact`: whether a tensor that was there before stays itself, as one of several values.
        """
        if isinstance(condition, bool):
            return when_true() if condition else when_false()
        moment, node = self.heap.clock, self._node
        arms = [self._capture_arm("if_true", when_true), self._capture_arm("if_false", when_false)]
        if node is not None:
            self.at(node)  # what follows, errors too, belongs to the condition
        if arms[0].dead and arms[1].dead:
            self.graph.add_if(condition, arms[0].function, [], arms[1].function, [])
            raise Dead
        dead = next((number for number, arm in enumerate(arms) if arm.dead), None)
        if dead is not None:
            return self.resume(self._join_with_dead(condition, arms, dead, moment))
        if exact is None:
            exact = self.site in self.exact_sites
        raised = [isinstance(arm.value, Raised) for arm in arms]
        if any(raised) and not all(raised):
            return self.go_on_beside(condition, arms, raised.index(True), moment, exact)
        return self.resume(self._join_arms(condition, arms, moment, exact))

    def _capture_arm(self, name, path):
        self.heap.push()
        self.graph.begin(name)
        value, dead = None, False
        try:
            value = self._run_path(path)
        except Dead:
            dead = True
        except BaseException:
            self.graph.suspend()
            self.heap.pop()
            raise
        function = self.graph.suspend()
        return Arm(function, value, self.heap.pop(), dead, self.place)

    def _run_path(self, path):
        """Runs a path; an exception of the program becomes a node that raises, and the path is dead.

        Where the program sees the exception, it becomes the path's value.
        """
        if self.caught:
            value = self.bounded(path)
            if isinstance(value, Raised):
                self.require_not_awaited(value[0])
            return value
        try:
            return path()
        except Thrown as thrown:
            self.require_not_awaited(thrown.error)
            self.raise_in_graph(thrown)
            raise Dead from None

    def _join_with_dead(self, condition, arms, dead, moment):
        """One path raises: afterwards everything is as the other one left it."""
        alive = arms[1 - dead]
        fixed = Before(self, moment, [alive.function], True)
        self._merge_own(alive, fixed)
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
            raise self._identity_rejection(reason) from None
        finally:
            self.graph.suspend()
        outs = [list(leaves), []] if dead == 1 else [[], list(leaves)]
        results = self.graph.add_if(
            condition, arms[0].function, outs[0], arms[1].function, outs[1], dead=dead
        )
        self._link_results(results, list(leaves))
        built = LeafReader(results, self.note_built)
        value = aval.unflatten(built)
        for after, place, entry in entries:
            after[place] = entry.unflatten(built)
        for change in alive.changes.values():
            self.heap.replace(change.container, change.after)
        return value

    def _values_left(self, arm):
        """(contents, place in them, value) of what an arm leaves different."""
        for change in arm.changes.values():
            for place in _places(change.after, change.after):
                value = _held(change.after, place)
                if len(change.before) != len(change.after) or value is not _held(change.before, place):
                    yield change.after, place, value

    def _fixed_since(self, moment):
        return lambda container: self.is_fixed(container, moment)

    def is_fixed(self, container, moment):
        """Whether a container was there at that moment; an exception from outside was there all along."""
        if isinstance(container, BaseException) and not self.is_own_exception(container):
            return True
        return self.heap.older_than(container, moment)

    def _join_arms(self, condition, arms, moment, exact):
        functions = [arm.function for arm in arms]
        before = Before(self, moment, functions, exact)
        for arm in arms:
            self._merge_own(arm, before)
        changes = list({**arms[0].changes, **arms[1].changes}.values())
        pairs = [(arms[0].value, arms[1].value)]
        for change in changes:
            pairs.append(self._aligned(change, arms[0].after(change), arms[1].after(change)))
        joiner = Joiner(before, self.joins_strictly, self._origin_noter(functions))
        avals = self._joined_avals(joiner, pairs, arms)
        if joiner.came_late:
            avals = self._joined_avals(joiner, pairs, arms)
        outs, given = [], []
        for side in (0, 1):
            leaves = Leaves()
            self.graph.resume(arms[side].function)
            try:
                for number, (aval, pair) in enumerate(zip(avals, pairs, strict=True)):
                    # What a path gives back leaves the names that held it behind.
                    leaves.keeps_identity = number > 0
                    aval.flatten(_fitting(aval, pair[side]), leaves)
                outs.append(list(leaves))
                given.append(self.handed_out(outs[side], arms[side].function))
            except CannotJoin as reason:
                raise self._identity_rejection(reason) from None
            finally:
                self.graph.suspend()
        results = self.graph.add_if(condition, arms[0].function, given[0], arms[1].function, given[1])
        for values in outs:
            self._link_results(results, values)
        built = LeafReader(results, self.note_built)
        value = avals[0].unflatten(built)
        for change, aval in zip(changes, avals[1:], strict=True):
            self.heap.replace(change.container, _without_unbound(aval.unflatten(built)))
        return value

    def _merge_own(self, path, before):
        """Lets what is one of several tensors that a path made be one tensor, in its value and in what it changed."""
        if not self.exact_sites:
            return
        self.graph.resume(path.function)
        try:
            path.value = self.with_merged(path.value, before)
            for change in path.changes.values():
                change.after = self.with_merged(change.after, before)
        finally:
            self.graph.suspend()

    def _link_results(self, results, given):
        for result, value in zip(results, given, strict=True):
            self.may_share(result, value, self.site)

    def _joined_avals(self, joiner, pairs, arms):
        avals = []
        for number, (a, b) in enumerate(pairs):
            try:
                avals.append(joiner.join_contents(a, b) if number else joiner.join(a, b))
            except CannotJoin as reason:
                raise self._join_rejection(number, a, b, reason, arms) from None
        return avals

    def _origin_noter(self, functions):
        """Gives tensors that were there before the functions a number, so that what may be one of them can say so.

        Only where the functions stand in the main one: a number means nothing outside of the path it was given on.
        """
        if self.heap.depth:
            return None

        def note(tensor):
            if not is_symbolic_tensor(tensor) or origin_of(tensor).candidates:
                return
            # A view made inside has memory from outside, but was not there before.
            if not any(self.graph.made_inside(function, tensor) for function in functions) and self.is_held(
                tensor
            ):
                self.world.note_origin(tensor)

        return note

    def tensors_in_use(self):
        """Tensors that names and containers hold that can still be reached."""
        seen = set()
        for frame in (self.frame, *self.waiting):
            while frame is not None:
                yield from _tensors_in(frame.locals, seen)
                frame = frame.caller if frame.enclosing is None else frame.enclosing
        for overlay in self.world.overlays.values():
            yield from _tensors_in(overlay.entries, seen)

    def is_held(self, tensor):
        """Whether a name or container that can still be reached holds the tensor, or it comes from outside."""
        return id(tensor) in self.world.seen or any(held is tensor for held in self.tensors_in_use())

    def _aligned(self, change, a, b):
        """Contents of one container on two paths, with the same keys."""
        if self.heap.is_namespace(change.container):
            unseen = self.heap.seeds_of(change.container)
            keys = list(dict.fromkeys((*a, *b)))
            return tuple({key: held.get(key, unseen.get(key, UNBOUND)) for key in keys} for held in (a, b))
        is_longer = isinstance(change.container, collections.deque) and len(a) != len(b)
        if isinstance(change.container, set) or is_longer:
            raise rejection(
                self.place,
                f"if: a {type(change.container).__name__} is changed under a condition that is known only when the "
                "graph runs",
                "Use a list or a dict.",
            )
        return a, b

    def _join_rejection(self, number, a, b, reason, arms=None):
        name, a, b = reason.entry or ("the result" if number == 0 else "a container", a, b)
        one, other = (
            ("before a turn of the loop", "after it") if arms is None else ("on one path", "on the other")
        )
        a, b = _described(_given_back(a), _given_back(b))
        return rejection(
            self.place,
            f"Cannot join the return values of different branches: {name} is {a} {one} and {b} {other}; {reason}",
            f"{_ends(arms)}Let both give values of one type, dtype and length, or decide by a value known while "
            "compiling.",
            kind=CaptureError if isinstance(reason, TooManyKinds) else TypeError,
        )

    def _identity_rejection(self, reason):
        return rejection(
            self.place,
            f"{reason}, which is known only when the graph runs",
            "Give each name a container of its own, by copy() for example, or use a tuple.",
        )

    def opened(self, container, use):
        """Applies `use`, which works on a container; where its contents are one of several, to each of them."""
        torn = torn_of(container)
        if torn is None:
            return use()

        def with_contents(chosen):
            self.heap.replace(container, chosen)
            return use()

        return self.split(torn.choice, with_contents)

    def trial(self, path):
        """What a path gives; nothing of what it does is kept. None if it cannot be captured or raises."""
        self.heap.push()
        self.graph.begin("trial")
        try:
            value = self._run_path(path)
            if isinstance(value, OneOf):
                value = value.without(*value.tags_of(is_raised))
            return None if isinstance(value, Raised) else value
        except BudgetSpent:
            raise
        except (Dead, Rejected):
            return None
        finally:
            self.graph.suspend()
            self.heap.pop()

    def split(self, value, use):
        """Applies `use` to the alternative that is chosen when the graph runs."""
        if not isinstance(value, OneOf):
            return use(value)
        tags = list(value.alternatives)
        first = tags[0]
        if len(tags) == 1:
            return use(value.alternatives[first])
        return self.branch(
            value.tag == first,
            lambda: use(value.alternatives[first]),
            lambda: self.split(value.without(first), use),
            exact=bool(self.exact_sites) or None,
        )

    # ---- loops

    def loop(self, go, step):
        """While `go`: `go, leaving = step()`. Gives `leaving` of the last step, None if there was none.

        `step` changes names and containers; what changes from one turn to the next becomes a variable of the loop.
        """
        if go is False:
            return None
        varying = {}  # id of a container -> (container, {place: aval})
        leaving_aval = Constant(None)
        carried = Carried(self.site)
        for _ in range(_MAX_ATTEMPTS):
            attempt = self._attempt_loop(go, step, varying, leaving_aval, carried)
            if attempt.settled:
                return self.resume(attempt.result)
            varying, leaving_aval = attempt.varying, attempt.leaving_aval
        raise rejection(
            self.place,
            "while: the variables of the loop take another type in every turn",
            "Let each variable keep one type, dtype and number of dimensions.",
        )

    def _attempt_loop(self, go, step, varying, leaving_aval, carried):
        moment = self.heap.clock
        entries = [
            (container, place, aval, _read(container, place))
            for container, places in varying.values()
            for place, aval in places.items()
        ]
        likes = Leaves()
        likes.append(False)
        leaving_aval.flatten_specs(likes)
        for _, _, aval, _ in entries:
            aval.flatten_specs(likes)
        initial, torn = self._initial(go, leaving_aval, entries)
        self.loop_entries.append([*initial, *(entry for *_, entry in entries)])
        self.heap.push()
        params = self.graph.begin("loop_body", list(likes))
        try:
            built = LeafReader(params, self.note_built)
            next(built)
            leaving_aval.unflatten(built)
            self._put_back(entries, built)
            carried.link(self, params, initial)
            inside = {(id(container), place): _read(container, place) for container, place, _, _ in entries}
            ended = self._run_path(step)
            if isinstance(ended, Raised):
                raise Dead
            next_go, leaving = self.select(ended, is_raised, lambda raised: (False, raised), _same)
        except Dead:
            self.graph.suspend()
            self.heap.pop()
            return self._loop_that_raises(go, step)
        except BaseException:
            self.graph.suspend()
            self.heap.pop()
            raise
        finally:
            self.loop_entries.pop()
        body = self.graph.suspend()
        changes = self.heap.pop()
        carried.bodies.append(body)
        before = Before(self, moment, carried.bodies, carried.site in self.exact_sites)
        turn = Arm(body, leaving, changes, False, None)
        self._merge_own(turn, before)
        leaving = turn.value
        new_varying, settled = self._widen(varying, changes, inside, before, body)
        joiner = Joiner(before, self.joins_strictly)
        try:
            new_leaving = joiner.join(leaving_aval.unflatten(LeafReader(_zeros(leaving_aval))), leaving)
        except CannotJoin as reason:
            raise self._join_rejection(0, None, leaving, reason) from None
        # What is known of earlier turns stays known: the abstract value only widens.
        new_leaving = common_aval(leaving_aval, new_leaving) or new_leaving
        if not settled or not new_leaving.equals(leaving_aval):
            carried.forget()
            return _Attempt(False, new_varying, new_leaving, None)
        outs, given = self._turn_results(next_go, leaving, body, entries, changes, leaving_aval)
        if torn is not None:
            raise self._identity_rejection(torn)
        if carried.grow(self, outs):
            return _Attempt(False, new_varying, new_leaving, None)
        result = self._close_loop(body, given, initial, entries, leaving_aval, likes, carried)
        return _Attempt(True, None, None, result)

    def _initial(self, go, leaving_aval, entries):
        """What the variables of a loop begin as, and why they cannot if so: later attempts may find other avals."""
        initial = Leaves()
        initial.append(go)
        leaving_aval.flatten_zeros(initial)
        try:
            for _, _, aval, entry in entries:
                aval.flatten(entry, initial)
        except CannotJoin as reason:
            return [], reason
        return list(initial), None

    def _turn_results(self, next_go, leaving, body, entries, changes, leaving_aval):
        """What a turn gives for the variables of a loop."""
        outs = Leaves()
        self.graph.resume(body)
        try:
            outs.append(next_go)
            outs.keeps_identity = False  # what leaves the loop leaves the names that held it behind
            leaving_aval.flatten(leaving, outs)
            outs.keeps_identity = True
            for container, place, aval, _ in entries:
                change = changes.get(id(container))
                value = _held(change.after, place) if change is not None else _read(container, place)
                aval.flatten(value, outs)
            return list(outs), self.handed_out(list(outs), body)
        except CannotJoin as reason:
            raise self._identity_rejection(reason) from None
        finally:
            self.graph.suspend()

    def _put_back(self, entries, built):
        """Lets the places of a loop's variables hold what the graph gives for them."""
        for container, place, aval, _ in entries:
            _write(self.heap, container, place, aval.unflatten(built))

    def _loop_that_raises(self, go, step):
        def once():
            step()
            raise AssertionError("a loop body that raised ended normally")

        self.branch(go, once, lambda: None)
        return _Attempt(True, None, None, None)

    def _widen(self, varying, changes, inside, fixed, body):
        """The places of containers that change from turn to turn, with avals that take all their values."""
        settled = True
        wider = {key: (container, dict(places)) for key, (container, places) in varying.items()}
        joiner = Joiner(fixed, self.joins_strictly, self._origin_noter([body]))
        turns = []  # container, place, value before a turn, value after it
        for change in changes.values():
            before, after = change.before, change.after
            torn = [torn_of(part) for part in (before, after) if isinstance(part, (list, dict))]
            grows = is_container(change.container) and not isinstance(change.container, dict)
            grows = grows and len(before) != len(after)
            if any(part is not None for part in torn):
                raise rejection(
                    self.place,
                    f"while: what a {type(change.container).__name__} holds, and how much of it, depends on the path "
                    "in a loop whose number of turns is known only when the graph runs",
                    "Make the container before the loop and write to its places, or use a loop of a known length.",
                )
            if grows:
                raise rejection(
                    self.place,
                    f"while: a {type(change.container).__name__} changes its length from {len(before)} to {len(after)} "
                    "in a loop whose number of turns is known only when the graph runs",
                    "Make the container before the loop and write to its places, or use a loop of a known length.",
                )
            if isinstance(change.container, set):
                raise rejection(
                    self.place,
                    "while: a set changes in a loop whose number of turns is known only when the graph runs",
                    "Use a list of known length, or a loop of a known length.",
                )
            for place in _places(before, after):
                old = inside.get((id(change.container), place), _held(before, place))
                new = _held(after, place)
                if new is not old:
                    turns.append((change.container, place, old, new))
        avals = self._avals_of_turns(joiner, turns)
        if joiner.came_late:
            avals = self._avals_of_turns(joiner, turns)
        for (container, place, _, _), aval in zip(turns, avals, strict=True):
            known = wider.get(id(container), (None, {}))[1].get(place)
            if isinstance(aval, Constant) and known is None:
                continue
            if known is None or not known.equals(aval):
                settled = False
            # Avals of one attempt belong together: a container that two names hold has one.
            wider.setdefault(id(container), (container, {}))[1][place] = aval
        return wider, settled

    def _avals_of_turns(self, joiner, turns):
        avals = []
        for _, place, old, new in turns:
            try:
                avals.append(joiner.join(old, new))
            except CannotJoin as reason:
                reason.entry = reason.entry or (place, old, new)
                raise self._join_rejection(1, old, new, reason) from None
        return avals

    def _close_loop(self, body, outs, initial, entries, leaving_aval, likes, carried):
        params = self.graph.begin("loop_condition", list(likes))
        condition = self.graph.suspend()
        given = self.graph.add_while(condition, params[0], body, outs, self.handed_out(initial))
        carried.link(self, given, initial)
        results = LeafReader(given, self.note_built)
        next(results)
        result = leaving_aval.unflatten(results)
        self._put_back(entries, results)
        return result

    def either(self, a, b):
        """`a or b` of two truths, known or not."""
        if isinstance(a, bool):
            return True if a else b
        return (True if b else a) if isinstance(b, bool) else _core.number_op("or", a, b)

    def both(self, a, b):
        """`a and b` of two truths, known or not."""
        if isinstance(a, bool):
            return b if a else False
        return (a if b else False) if isinstance(b, bool) else _core.number_op("and", a, b)


class _Attempt:
    __slots__ = ("leaving_aval", "result", "settled", "varying")

    def __init__(self, settled, varying, leaving_aval, result):
        self.settled = settled
        self.varying = varying
        self.leaving_aval = leaving_aval
        self.result = result


def _same(value):
    return value


def _zeros(aval):
    out = Leaves()
    aval.flatten_zeros(out)
    return out


def _fitting(aval, contents):
    """Contents as the abstract value takes them: a choice stands as the only entry."""
    if isinstance(contents, (list, dict)) and isinstance(getattr(aval, "items", [None])[:1], list):
        first = aval.items[0] if getattr(aval, "items", None) else None
        if isinstance(first, AbstractContents) and torn_of(contents) is None:
            return (
                {TORN_KEY: contents_value(contents)}
                if isinstance(contents, dict)
                else [contents_value(contents)]
            )
    return contents


def _tensors_in(container, seen):
    if id(container) in seen:
        return
    seen.add(id(container))
    for value in list(container.values()) if isinstance(container, dict) else container:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple, dict)):
            yield from _tensors_in(value, seen)


def _without_unbound(held):
    if isinstance(held, dict):
        return {key: value for key, value in held.items() if value is not UNBOUND}
    return held


def _places(before, after):
    if isinstance(after, dict):
        return list(dict.fromkeys((*before, *after)))
    return range(len(after))


def _held(held, place):
    return held.get(place, UNBOUND) if isinstance(held, dict) else held[place]


def _read(container, place):
    return _held(container, place)


def _write(heap, container, place, value):
    heap.touch(container)
    container[place] = value


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
