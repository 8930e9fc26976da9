"""Loops whose number of turns is known only when the graph runs: one body, captured until its variables settle."""

from dyad._src.base.break_reasons import LOOP_TRACE
from dyad._src.capture.errors import Dead
from dyad._src.capture.semantics.abstract.errors import CannotJoin
from dyad._src.capture.semantics.abstract.join import Joiner
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.abstract.values import Constant
from dyad._src.capture.semantics.abstract.widening import common_aval
from dyad._src.capture.semantics.control.branches import Arm
from dyad._src.capture.semantics.control.completion import is_raised
from dyad._src.capture.semantics.control.joins import held_at, places_of
from dyad._src.capture.semantics.memory.aliases import Before, Carried
from dyad._src.capture.semantics.memory.heap import is_container
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import Raised, contents_choice_of

_MAX_ATTEMPTS = 24


class LoopNodes(Part):
    """Builds `while` nodes. What changes from turn to turn becomes a variable of the loop."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.loop_entries = []  # what the variables of the loops under way begin as

    def loop(self, go, step):
        """While `go`: `go, leaving = step()`. Gives `leaving` of the last step, None if there was none.

        `step` changes names and containers; what changes from one turn to the next becomes a variable of the loop.
        """
        if go is False:
            return None
        varying: dict = {}  # id of a container -> (container, {place: aval})
        leaving_aval = Constant(None)
        carried = Carried(self.interpreter.aliases.site)
        for _ in range(_MAX_ATTEMPTS):
            attempt = self._attempt_loop(go, step, varying, leaving_aval, carried)
            if attempt.settled:
                return self.interpreter.completions.resume(attempt.result)
            varying, leaving_aval = attempt.varying, attempt.leaving_aval
        raise self.interpreter.rejection(
            LOOP_TRACE,
            "while: the variables of the loop take another type in every turn",
            "Let each variable keep one type, dtype and number of dimensions.",
        )

    def _attempt_loop(self, go, step, varying, leaving_aval, carried):
        moment = self.heap.clock
        entries = [
            (container, place, aval, held_at(container, place))
            for container, places in varying.values()
            for place, aval in places.items()
        ]
        likes = Leaves()
        likes.append(False)
        leaving_aval.flatten_specs(likes)
        for _, _, aval, _ in entries:
            aval.flatten_specs(likes)
        initial, conflict = self._initial(go, leaving_aval, entries)
        self.loop_entries.append([*initial, *(entry for *_, entry in entries)])
        self.heap.push()
        params = self.graph.begin("loop_body", list(likes))
        try:
            built = LeafReader(params, self.interpreter.exceptions.note_built)
            next(built)
            leaving_aval.unflatten(built)
            self._put_back(entries, built)
            carried.link(self.interpreter, params, initial)
            inside = {(id(container), place): held_at(container, place) for container, place, _, _ in entries}
            ended = self.interpreter.branches.run_path(step)
            if isinstance(ended, Raised):
                raise Dead
            next_go, leaving = self.interpreter.completions.select(
                ended, is_raised, lambda raised: (False, raised), _same
            )
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
        before = Before(
            self.interpreter, moment, carried.bodies, carried.site in self.interpreter.aliases.exact_sites
        )
        turn = Arm(body, leaving, changes, False, None)
        self.interpreter.joins.merge_own(turn, before)
        leaving = turn.value
        new_varying, settled = self._widen(varying, changes, inside, before, body)
        joiner = Joiner(before, self.interpreter.joins.joins_strictly)
        try:
            new_leaving = joiner.join(leaving_aval.unflatten(LeafReader(_zeros(leaving_aval))), leaving)
        except CannotJoin as reason:
            raise self.interpreter.joins.join_rejection(0, None, leaving, reason) from None
        # What is known of earlier turns stays known: the aval only grows.
        new_leaving = common_aval(leaving_aval, new_leaving) or new_leaving
        if not settled or not new_leaving.equals(leaving_aval):
            carried.forget()
            return _Attempt(False, new_varying, new_leaving, None)
        outs, given = self._turn_results(next_go, leaving, body, entries, changes, leaving_aval)
        if conflict is not None:
            raise self.interpreter.joins.identity_rejection(conflict)
        if carried.grow(self.interpreter, outs):
            return _Attempt(False, new_varying, new_leaving, None)
        result = self._close_loop(body, given, initial, entries, leaving_aval, likes, carried)
        return _Attempt(True, None, None, result)

    def _initial(self, go, leaving_aval, entries):
        """Initial values of the variables of a loop, or why there are none: later attempts may find other avals."""
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
        """Returns the values of the loop's variables after an iteration."""
        outs = Leaves()
        self.graph.resume(body)
        try:
            outs.append(next_go)
            leaving_aval.flatten(leaving, outs)
            outs.forget_containers()
            for container, place, aval, _ in entries:
                change = changes.get(id(container))
                value = held_at(change.after, place) if change is not None else held_at(container, place)
                aval.flatten(value, outs)
            return list(outs), self.interpreter.aliases.handed_out(list(outs), body)
        except CannotJoin as reason:
            raise self.interpreter.joins.identity_rejection(reason) from None
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

        self.interpreter.branches.branch(go, once, lambda: None)
        return _Attempt(True, None, None, None)

    def _widen(self, varying, changes, inside, fixed, body):
        """The places of containers that change from turn to turn, with avals that take all their values."""
        settled = True
        wider = {key: (container, dict(places)) for key, (container, places) in varying.items()}
        joiner = Joiner(
            fixed, self.interpreter.joins.joins_strictly, self.interpreter.joins.origin_noter([body])
        )
        turns = []  # container, place, value before a turn, value after it
        for change in changes.values():
            before, after = change.before, change.after
            undecided = [
                contents_choice_of(part) for part in (before, after) if isinstance(part, (list, dict))
            ]
            if isinstance(change.container, dict):
                # Names may be unbound behind the loop; a key is there or not.
                grows = not self.heap.is_namespace(change.container) and before.keys() != after.keys()
            else:
                grows = is_container(change.container) and len(before) != len(after)
            if any(part is not None for part in undecided):
                raise self.interpreter.rejection(
                    LOOP_TRACE,
                    f"while: what a {type(change.container).__name__} holds, and how much of it, depends on the path "
                    "in a loop whose number of turns is known only when the graph runs",
                    "Make the container before the loop and write to its places, or use a loop of a known length.",
                )
            if grows:
                raise self.interpreter.rejection(
                    LOOP_TRACE,
                    f"while: a {type(change.container).__name__} changes its length from {len(before)} to {len(after)} "
                    "in a loop whose number of turns is known only when the graph runs",
                    "Make the container before the loop and write to its places, or use a loop of a known length.",
                )
            if isinstance(change.container, set):
                raise self.interpreter.rejection(
                    LOOP_TRACE,
                    "while: a set changes in a loop whose number of turns is known only when the graph runs",
                    "Use a list of known length, or a loop of a known length.",
                )
            if self._moves_keys(change):
                raise self.interpreter.rejection(
                    LOOP_TRACE,
                    f"while: the keys of a {type(change.container).__name__} change their order from {list(before)} to "
                    f"{list(after)} in a loop whose number of turns is known only when the graph runs",
                    "Write to its places without removing or moving keys, or use a loop of a known length.",
                )
            for place in places_of(before, after):
                old = inside.get((id(change.container), place), held_at(before, place))
                new = held_at(after, place)
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
            # Forms of one attempt belong together: a container that two names hold has one aval.
            wider.setdefault(id(container), (container, {}))[1][place] = aval
        return wider, settled

    def _moves_keys(self, change):
        """Returns whether a turn leaves the keys of a dict in another order than the one it began with."""
        return (
            isinstance(change.container, dict)
            and not self.heap.is_namespace(change.container)
            and tuple(change.before) != tuple(change.after)
        )

    def _avals_of_turns(self, joiner, turns):
        avals = []
        for _, place, old, new in turns:
            try:
                avals.append(joiner.join(old, new))
            except CannotJoin as reason:
                reason.entry = reason.entry or (place, old, new)
                raise self.interpreter.joins.join_rejection(1, old, new, reason) from None
        return avals

    def _close_loop(self, body, outs, initial, entries, leaving_aval, likes, carried):
        params = self.graph.begin("loop_condition", list(likes))
        condition = self.graph.suspend()
        given = self.graph.add_while(
            condition, params[0], body, outs, self.interpreter.aliases.handed_out(initial)
        )
        carried.link(self.interpreter, given, initial)
        results = LeafReader(given, self.interpreter.exceptions.note_built)
        next(results)
        result = leaving_aval.unflatten(results)
        self._put_back(entries, results)
        return result


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


def _write(heap, container, place, value):
    heap.touch(container)
    container[place] = value
