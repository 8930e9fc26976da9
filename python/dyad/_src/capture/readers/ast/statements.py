"""What each statement does.

A statement gives None where the program goes on after it, an `Exit` where it leaves the block, or a `OneOf` of these
where that is known only when the graph runs.
"""

import ast
import functools

from dyad._core import GraphNumber
from dyad._src.capture.errors import BudgetSpent, CaptureError, Rejected, rejection
from dyad._src.capture.readers.ast.dispatch import methods_by_node
from dyad._src.capture.readers.ast.try_statements import TryStatements
from dyad._src.capture.readers.ast.with_statements import WithStatements
from dyad._src.capture.semantics.functions import ClosureFunction
from dyad._src.capture.semantics.members import Members, is_watched
from dyad._src.capture.semantics.values import (
    BREAK,
    CONTINUE,
    MISSING,
    OneOf,
    Returned,
    RuntimeRange,
    is_symbolic_tensor,
)

# Loops of at least this many turns are tried as one node of the graph before they are written out.
LONG_LOOP = 256
LONG_TENSOR = 64
LONG_ITERATOR = 4096  # turns over an iterator, each that may leave the loop counted as many
# Statements that may be captured inside of branches and loops that depend on the run, attempts included.
WORK_ALLOWED = 20_000


def returned(value):
    return Returned((value,))


def _always_leaves(statements):
    """Whether a block cannot be left at its end, judged by its text."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    return isinstance(last, ast.If) and _always_leaves(last.body) and _always_leaves(last.orelse)


def _has_conditional_exit(statements, inside_if=False):
    """Whether a loop's body leaves the turn or the loop under a condition, judged by its text."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Break)) and inside_if:
            return True
        if isinstance(statement, (ast.For, ast.While)):
            if any(isinstance(part, ast.Return) for part in ast.walk(statement)):
                return True
            continue
        blocks = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
        blocks += [case.body for case in getattr(statement, "cases", ())]
        branches = isinstance(statement, (ast.If, ast.Match)) or inside_if
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        if any(_has_conditional_exit(block, branches) for block in blocks if isinstance(block, list)):
            return True
    return False


class Statements(TryStatements, WithStatements):
    def __init_subclass__(cls):
        super().__init_subclass__()
        cls._executors = methods_by_node(cls, "execute_")

    def execute_block(self, statements):
        for number, statement in enumerate(statements):
            rest = statements[number + 1 :]
            if isinstance(statement, ast.If) and rest:
                # Guard clauses: `if c: return a` with the rest of the block is an if with two arms.
                if _always_leaves(statement.body):
                    return self.execute_if(statement, statement.body, [*statement.orelse, *rest])
                if _always_leaves(statement.orelse):
                    return self.execute_if(statement, [*statement.body, *rest], statement.orelse)
            leaving = self.execute(statement)
            if leaving is None:
                continue
            if isinstance(leaving, OneOf):
                return self._go_on_where_possible(leaving, rest)
            return leaving
        return None

    def _go_on_where_possible(self, leaving, rest):
        """Executes the rest of a block on the paths that did not leave it."""
        normal = [tag for tag, alternative in leaving.alternatives.items() if alternative is None]
        if not normal or not rest:
            return leaving
        return self.branch(
            leaving.tag == normal[0], lambda: self.execute_block(rest), lambda: leaving.without(normal[0])
        )

    def execute(self, statement):
        self.at(statement)
        if self.heap.depth:
            self._spend()
        method = self._executors.get(type(statement))
        if method is None:
            raise rejection(
                self.place,
                f"Unsupported statement '{type(statement).__name__}'",
                "It cannot be part of a static graph; call it outside of the compiled function.",
            )
        if not self.caught:
            return method(self, statement)
        before = self.graph.checking_count
        completion = method(self, statement)
        self.note_checks(before, statement)
        return completion

    def _spend(self):
        """Counts the statements of paths that depend on the run: where they multiply, capturing must have an end."""
        self.work += 1
        if self.work > WORK_ALLOWED:
            place = self.place.text()
            raise BudgetSpent(
                CaptureError(
                    f"more than {WORK_ALLOWED} statements are captured on paths that are known only when the graph "
                    f"runs\n{place}\nNest fewer loops that are written out turn by turn, let lists have one length on "
                    "all paths, or move a part into a compiled function of its own."
                )
            )

    # ---- simple statements

    def execute_Pass(self, statement):
        pass

    def execute_Expr(self, statement):
        if not isinstance(statement.value, ast.Constant):
            self.evaluate(statement.value)

    def execute_Assign(self, statement):
        value = self.evaluate(statement.value)
        for target in statement.targets:
            self.assign(target, value)

    def execute_AnnAssign(self, statement):
        if statement.value is not None:
            self.assign(statement.target, self.evaluate(statement.value))

    def execute_AugAssign(self, statement):
        target = statement.target
        if isinstance(target, ast.Name):
            old = self.read_name(target.id)
            self.assign(target, self.augmented(statement.op, old, self.evaluate(statement.value)))
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            old = self.read_attribute(owner, target.attr)
            new = self.augmented(statement.op, old, self.evaluate(statement.value))
            self.at(statement)
            self.write_attribute(owner, target.attr, new)
        else:
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            old = self.read_item(owner, key)
            new = self.augmented(statement.op, old, self.evaluate(statement.value))
            self.at(statement)
            self.write_item(owner, key, new)

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self._require_own_name(target)
            self.names.write(self.frame, target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            self.at(target)
            self.write_attribute(owner, target.attr, value)
        elif isinstance(target, ast.Subscript):
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            self.at(target)
            self.write_item(owner, key, value)
        else:
            raise rejection(self.place, f"cannot assign to {type(target).__name__}")

    def _require_own_name(self, target):
        """At STRICT a graph binds no names of the program around it."""
        if self.strict and self.frame.holder_of(target.id) is None:
            self.at(target)
            raise rejection(
                self.place,
                f"name {target.id!r} of the program around the graph is assigned, which needs the Python object when "
                "the graph runs",
                "Return the new value, or use jit(fullgraph=False).",
                kind=TypeError,
            )

    def _unpack(self, target, value):
        self.at(target)
        if self._torn(value) is not None:
            return self.opened(value, lambda: self._unpack(target, value))
        if isinstance(value, OneOf):
            return self.split(value, lambda chosen: self._unpack(target, chosen))
        if value is None or isinstance(value, (int, float, GraphNumber)):
            kind = value.kind if isinstance(value, GraphNumber) else type(value)
            self.throw(TypeError(f"cannot unpack non-iterable {kind.__name__} object"))
        items = list(self.items_of(value))
        elements = target.elts
        starred = [i for i, element in enumerate(elements) if isinstance(element, ast.Starred)]
        if not starred:
            if len(items) > len(elements):
                self.throw(ValueError(f"too many values to unpack (expected {len(elements)})"))
            if len(items) < len(elements):
                self.throw(
                    ValueError(f"not enough values to unpack (expected {len(elements)}, got {len(items)})")
                )
            for element, item in zip(elements, items, strict=True):
                self.assign(element, item)
            return
        before, after = starred[0], len(elements) - starred[0] - 1
        if len(items) < before + after:
            self.throw(
                ValueError(
                    f"not enough values to unpack (expected at least {before + after}, got {len(items)})"
                )
            )
        for element, item in zip(elements[:before], items, strict=False):
            self.assign(element, item)
        middle = self.heap.note_birth(items[before : len(items) - after])
        self.assign(elements[before].value, middle)
        for element, item in zip(elements[before + 1 :], items[len(items) - after :], strict=True):
            self.assign(element, item)

    def execute_Delete(self, statement):
        for target in statement.targets:
            self._delete(target)

    def _delete(self, target):
        if isinstance(target, ast.Name):
            self.asked(self.names.delete, self.frame, target.id)
        elif isinstance(target, ast.Attribute):
            self.delete_attribute(self.evaluate(target.value), target.attr)
        elif isinstance(target, ast.Subscript):
            self.delete_item(self.evaluate(target.value), self.evaluate(target.slice))
        else:
            for element in target.elts:
                self._delete(element)

    def execute_Global(self, statement):
        pass

    execute_Nonlocal = execute_Global

    def execute_Import(self, statement):
        for alias in statement.names:
            module = self.guarded(__import__, alias.name, self.frame.namespace)
            if alias.asname:
                for part in alias.name.split(".")[1:]:
                    module = getattr(module, part)
            self.names.write(self.frame, alias.asname or alias.name.split(".")[0], module)

    def execute_ImportFrom(self, statement):
        names = [alias.name for alias in statement.names]
        module = self.guarded(
            __import__, statement.module or "", self.frame.namespace, None, names, statement.level
        )
        for alias in statement.names:
            value = self.guarded(_imported, module, alias.name)
            self.names.write(self.frame, alias.asname or alias.name, value)

    # ---- functions

    def execute_FunctionDef(self, statement):
        decorators = [self.evaluate(decorator) for decorator in statement.decorator_list]
        function = ClosureFunction(self, statement, self.frame, *self.defaults_of(statement.args))
        for decorator in reversed(decorators):
            function = self.call(decorator, (function,), {})
        self.names.write(self.frame, statement.name, function)

    def execute_AsyncFunctionDef(self, statement):
        raise rejection(self.place, "Unsupported statement 'AsyncFunctionDef'", "A graph has no event loop.")

    def execute_ClassDef(self, statement):
        raise rejection(
            self.place,
            "Unsupported statement 'ClassDef'",
            "Define the class outside of the compiled function.",
        )

    def execute_Return(self, statement):
        value = None if statement.value is None else self.evaluate(statement.value)
        self.returned_at = self.frame.place(statement)
        return returned(value)

    def execute_Break(self, statement):
        return BREAK

    def execute_Continue(self, statement):
        return CONTINUE

    # ---- branches

    def execute_If(self, statement):
        return self.execute_if(statement, statement.body, statement.orelse)

    def execute_if(self, statement, body, otherwise):
        self.at(statement.test)
        forced = self.frame.source.conditions.get(statement.lineno)
        condition = self.test(statement.test) if forced is None else forced
        self.at(statement.test)
        return self.branch(condition, lambda: self.execute_block(body), lambda: self.execute_block(otherwise))

    def execute_Match(self, statement):
        subject = self.evaluate(statement.subject)
        return self.match_case(subject, statement.cases)

    # ---- loops

    def execute_While(self, statement, turns=0):
        if turns == 0 and self._leaves_by_chance(statement):
            self.at(statement.test)
            go = self.test(statement.test)
            if go is False:
                return self.execute_block(statement.orelse)
            return self._while_in_graph(statement, go)
        while True:
            self.at(statement.test)
            go = self.test(statement.test)
            if go is False:
                return self.execute_block(statement.orelse)
            if go is not True or turns >= LONG_LOOP:
                return self._while_in_graph(statement, go)
            turns += 1
            leaving = self.execute_block(statement.body)
            if isinstance(leaving, OneOf):
                return self._go_on_looping(leaving, functools.partial(self.execute_While, statement, turns))
            if leaving is BREAK:
                return None
            if leaving is not None and leaving is not CONTINUE:
                return leaving

    def _leaves_by_chance(self, statement):
        """Whether the first turn leaves the loop or not depending on what is known only when the graph runs."""
        if not _has_conditional_exit(statement.body):
            return False
        return self.decided_once(
            statement, lambda: self._is_chance(lambda: self.execute_block(statement.body))
        )

    def _is_chance(self, turn):
        return isinstance(self.trial(turn), OneOf)

    def decided_once(self, statement, decide):
        """How a loop is captured: what the first turn decided is not asked again, however often loops nest."""
        key = (statement, self.frame)
        if key not in self.decisions:
            self.decisions[key] = decide()
        return self.decisions[key]

    def _go_on_looping(self, leaving, next_turns):
        """Behind a turn that may have left the loop: goes on where it did not."""
        going_on = [tag for tag, a in leaving.alternatives.items() if a is None or a is CONTINUE]
        condition = False
        for tag in going_on:
            condition = self.either(condition, leaving.tag == tag)
        if len(going_on) == len(leaving.alternatives):
            return next_turns()
        stopped = leaving.without(*going_on)
        return self.branch(
            condition,
            next_turns,
            lambda: self.split(stopped, lambda chosen: None if chosen is BREAK else chosen),
        )

    def _while_in_graph(self, statement, go):
        def step():
            return self._after_turn(self.execute_block(statement.body), lambda: self.test(statement.test))

        self.at(statement)
        return self._after_loop(self.loop(go, step), statement.orelse)

    def _after_turn(self, leaving, condition):
        """(whether to go on, how the loop is left) after one turn that ended with `leaving`."""

        def use(chosen):
            if chosen is None or chosen is CONTINUE:
                return condition(), None
            return False, chosen

        return self.split(leaving, use)

    def _after_loop(self, leaving, orelse):
        """Goes on behind a loop: `else` where it was not left by break."""

        def use(chosen):
            if chosen is None:
                return self.execute_block(orelse)
            return None if chosen is BREAK else chosen

        return self.split(leaving, use)

    def execute_For(self, statement):
        iterable = self.evaluate(statement.iter)
        self.at(statement.iter)
        if isinstance(iterable, OneOf):
            return self.split(iterable, lambda chosen: self._for(statement, chosen))
        return self._for(statement, iterable)

    def _for(self, statement, iterable):
        if self._torn(iterable) is not None:
            return self.opened(iterable, lambda: self._for(statement, iterable))
        if isinstance(iterable, RuntimeRange):
            return self._count_in_graph(statement, iterable.start, iterable.stop, iterable.step, lambda i: i)
        if isinstance(iterable, range) and self._belongs_in_graph(statement, iterable):
            try:
                return self._count_in_graph(
                    statement, iterable.start, iterable.stop, iterable.step, lambda i: i
                )
            except Rejected as rejected:
                if isinstance(rejected, BudgetSpent):
                    raise
                # The body needs the counter as a known number: its turns are written out.
                self.decisions[(statement, self.frame)] = False
        if is_symbolic_tensor(iterable) and iterable.ndim and self._is_long(iterable):
            return self._count_in_graph(
                statement, 0, self.length_of(iterable), 1, lambda i: self.read_item(iterable, i)
            )
        if self.is_iterated_by_methods(iterable):
            return self._turns_of(statement, self.iterator_of(iterable), 0)
        if is_watched(iterable):
            return self._turns(statement, Members(self, iterable), 0)
        return self._turns(
            statement, self.sequence_of(iterable)[0], 0
        )  # a list may grow while it is iterated

    def _belongs_in_graph(self, statement, counts):
        if len(counts) >= LONG_LOOP:
            return self.decided_once(statement, lambda: True)
        if len(counts) <= 4 or not _has_conditional_exit(statement.body):
            return False

        def first_turn():
            self.assign(statement.target, counts[0])
            return self.execute_block(statement.body)

        return self.decided_once(statement, lambda: self._is_chance(first_turn))

    def _is_long(self, tensor):
        rows = tensor.shape[0]
        return isinstance(rows, GraphNumber) or rows >= LONG_TENSOR

    def _turns(self, statement, items, first):
        """The turns of a loop of a known length, from item `first` on."""
        number = first - 1
        while (number := number + 1) < len(items):
            self.assign(statement.target, items[number])
            leaving = self.execute_block(statement.body)
            if isinstance(leaving, OneOf):
                return self._go_on_looping(
                    leaving, functools.partial(self._turns, statement, items, number + 1)
                )
            if leaving is BREAK:
                return None
            if leaving is not None and leaving is not CONTINUE:
                return leaving
        return self.execute_block(statement.orelse)

    def _turns_of(self, statement, iterator, turns):
        """The turns of a loop over an iterator, which others may hold: it is advanced one by one."""
        while (item := self.advance(iterator)) is not MISSING:
            turns += 1
            if turns > LONG_ITERATOR:
                raise rejection(
                    self.place,
                    f"for: an iterator gave more than {LONG_ITERATOR} elements, and what ends the loop is known only "
                    "when the graph runs, or nothing does",
                    "Iterate over a range or a list.",
                )
            self.assign(statement.target, item)
            leaving = self.execute_block(statement.body)
            if isinstance(leaving, OneOf):
                return self._go_on_looping(
                    leaving,
                    functools.partial(self._turns_of, statement, iterator, turns + LONG_ITERATOR // 64),
                )
            if leaving is BREAK:
                return None
            if leaving is not None and leaving is not CONTINUE:
                return leaving
        return self.execute_block(statement.orelse)

    def _count_in_graph(self, statement, start, stop, step, item):
        """A loop over a range, with its counter as a variable of the graph."""
        counter = self.heap.note_namespace({"next": start})

        def goes_on():
            # The sign of the step is known in nearly all programs.
            if isinstance(step, GraphNumber):
                up = self.both(step > 0, counter["next"] < stop)
                return self.either(up, self.both(step < 0, counter["next"] > stop))
            return counter["next"] < stop if step > 0 else counter["next"] > stop

        def turn():
            current = counter["next"]
            self.heap.touch(counter)
            counter["next"] = current + step
            self.assign(statement.target, item(current))
            return self._after_turn(self.execute_block(statement.body), goes_on)

        go = goes_on()
        self.at(statement)
        return self._after_loop(self.loop(go, turn), statement.orelse)


def _imported(module, name):
    try:
        return getattr(module, name)
    except AttributeError:
        raise ImportError(
            f"cannot import name {name!r} from {module.__name__!r}", name=module.__name__
        ) from None
