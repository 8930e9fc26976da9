"""Tensors that may share memory, depending on the path that the running graph takes.

What comes out of a branch or loop has memory of its own in the graph. In the program it may be a tensor that something
else holds too. So each result is linked to what it came from, on every path; links are transitive. A write to memory
that is linked with memory still in use would be seen by one of the two only: then the program is captured again, and
where those paths meet, a tensor that was there before stays itself, as one of several values. What even that cannot
tell apart is refused.
"""

import gc
import sys
from typing import Any, NamedTuple

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.break_reasons import CONDITION
from dyad._src.capture.semantics.abstract.values import is_placeholder
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf, Returned, depends_on_run, is_symbolic_tensor, origin_of


class NeedsIdentity(BaseException):
    """The program is to be captured again with tensors told apart at `sites`. No handler of the program sees it.

    It can do without if this is for memory that results should share only, `of_results`.
    """

    def __init__(self, sites):
        super().__init__()
        self.sites = sites
        self.of_results = False


class Source(NamedTuple):
    """A memory that differs from another one where paths meet, and the statement in which they meet.

    `told` are the numbers, see Origin, by which a tensor that comes from there says that it is the one given.
    """

    told: frozenset
    statement: object


class Before:
    """State from before a branch: containers are the same afterwards, and so are tensors if it `tells`."""

    def __init__(self, interpreter, moment, functions, tells):
        self._interpreter = interpreter
        self._moment = moment
        self._functions = functions  # of the paths
        self._open = tuple(interpreter.graph.open_functions)  # those around the place where the paths meet
        self._known = {}  # id of a tensor -> (tensor, what it is where the paths meet)
        self.tells = tells

    def telling_apart(self):
        """The same, telling tensors apart."""
        if self.tells:
            return self
        other = Before(self._interpreter, self._moment, self._functions, True)
        other._known, other._open = self._known, self._open
        return other

    def __call__(self, container):
        return self._interpreter.joins.is_fixed(container, self._moment)

    def itself(self, tensor):
        """The tensor as it is known where the paths meet, if its memory was there before; else None."""
        if not self.tells:
            return None
        if id(tensor) not in self._known:
            # Asked first where the paths meet, later inside of them.
            self._known[id(tensor)] = (tensor, self._found(tensor))
        return self._known[id(tensor)][1]

    def _found(self, tensor):
        if is_placeholder(tensor) or not self.has(tensor):
            return None
        return self._interpreter.aliases.known_view(tensor) if is_symbolic_tensor(tensor) else tensor

    def has(self, tensor):
        """Returns whether the memory of a tensor was there before."""
        graph = self._interpreter.graph
        if graph.made_by(tensor) not in self._open:
            return False
        return not any(graph.made_inside(function, tensor) for function in self._functions)


class Aliases(Part):
    """The part of the interpreter that knows which tensors may share memory."""

    def __init__(self, interpreter, sites):
        super().__init__(interpreter)
        self.graph.before_function = self.read_written
        self.exact_sites = sites  # where tensors are told apart
        self.written = set()  # numbers of linked memories that were written
        self._links = {}  # number of a memory -> {number of a linked one: where the paths meet}
        self._sources = {}  # number of a memory -> {number of one that it may be: Source}
        self._views = {}  # number of a memory -> views of it that were made again

    @property
    def site(self):
        """Where paths meet, by a name that is the same when the program is captured again."""
        place = self.interpreter.place
        return None if place is None else (place.filename, place.line, place.column)

    def note_made(self, result, function, args, kwargs):
        """Remembers where a tensor with data was made, and how a view was."""
        if not is_symbolic_tensor(result):
            if self.graph.made_here(result) and not self.graph.made_by(result):
                self.graph.note_constant(result)
        elif self.exact_sites:
            self._note_view(result, function, args, kwargs)

    def _note_view(self, result, function, args, kwargs):
        """The same view made in another turn is known by how it was made."""
        base = getattr(function, "__self__", None)
        rest = (args, kwargs)
        if not isinstance(base, Tensor) and args and isinstance(args[0], Tensor):
            base, rest = args[0], (args[1:], kwargs)
        if not isinstance(base, Tensor) or base is result or depends_on_run(rest):
            return
        if not _core.shares_storage(base, result):
            return
        name = getattr(function, "__name__", repr(function))
        result.__dict__["_made_as"] = (*base.__dict__.get("_made_as", ()), (name, repr(rest)))

    def known_view(self, view):
        """The tensor that stands for a view where paths meet: the same view of an earlier turn, or itself."""
        how = view.__dict__.get("_made_as")
        if how is None or self.interpreter.reachability.is_held(view):
            return view
        made = self._views.setdefault(self.graph.memory(view), [])
        for known in made:
            if known.__dict__["_made_as"] == how:
                return known
        made.append(view)
        return view

    def as_tensors(self, value):
        """The value for code that only reads it: what is one of several tensors is a tensor that holds the same."""
        if isinstance(value, (list, tuple)) and any(isinstance(item, OneOf) for item in value):
            items = [self.as_tensors(item) for item in value]
            cls: Any = type(value)
            return items if cls is list else tuple.__new__(cls, items)
        alternatives = list(value.alternatives.values()) if isinstance(value, OneOf) else []
        if len(alternatives) < 2 or not all(isinstance(item, Tensor) for item in alternatives):
            return value
        tag = next(iter(value.alternatives))
        return self.interpreter.branches.branch(
            value.tag == tag,
            lambda: value.alternatives[tag],
            lambda: self.as_tensors(value.without(tag)),
            exact=False,
        )

    def with_merged(self, value, before, seen=()):
        """The value where what is one of several tensors of the path's own making is one that holds the same.

        Which of them it is, is no concern of others: nothing else has their memory.
        """
        if any(value is container for container in seen):
            return value
        if type(value) in (list, tuple, Returned):
            items = [self.with_merged(item, before, (*seen, value)) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            if type(value) is list:
                value[:] = items
                return value
            return tuple.__new__(type(value), items)
        if type(value) is dict:
            for key, item in value.items():
                value[key] = self.with_merged(item, before, (*seen, value))
            return value
        if not isinstance(value, OneOf):
            return value
        return self._merged(value, before)

    def _merged(self, value, before):
        kinds: dict = {}
        for tag, item in value.alternatives.items():
            if isinstance(item, Tensor) and not before.has(item):
                kinds.setdefault((str(item.dtype), item.ndim), {})[tag] = item
        merged = dict(value.alternatives)
        for own in kinds.values():
            if len(set(map(id, own.values()))) > 1:
                merged.update(dict.fromkeys(own, self.as_tensors(OneOf(value.tag, own))))
        if len(set(map(id, merged.values()))) == 1:
            return next(iter(merged.values()))
        return OneOf(value.tag, merged)

    def handed_out(self, values, function=None):
        """Returns a path's result for the join: a copy of memory that was written before and is not its own.

        So that the result has memory of its own, and writes to two tensors that are both given are told apart.
        """
        return [self._own_copy(value) if self._is_written(value, function) else value for value in values]

    def read_written(self):
        """Reads what was written so far, before a function of the graph is the first to do so.

        A view finds its gradient anew where it is read after a write, and must find it where the gradient is taken.
        """
        for tensor in (
            self.interpreter.reachability.tensors_in_use() if self.interpreter.gradients.transforms else ()
        ):
            if self._is_written(tensor, None) and tensor.__dict__.get("_read_at") != _core.version_of(tensor):
                tensor.__dict__["_read_at"] = _core.version_of(tensor)
                self._own_copy(tensor)

    def _is_written(self, value, function):
        if not is_symbolic_tensor(value) or not _core.version_of(value):
            return False
        return function is None or not self.graph.made_inside(function, value)

    def _own_copy(self, tensor):
        return self.interpreter.host.native(Tensor.copy, tensor)

    # ---- links

    def may_share(self, a, b, site):
        """Notes that `a`, which comes from where paths meet, is `b` on some path, if they are tensors."""
        if not isinstance(a, Tensor) or not isinstance(b, Tensor) or is_placeholder(a) or is_placeholder(b):
            return
        self.link(self.graph.memory(a), self.graph.memory(b), site, origin_of(b).candidates)

    def link(self, memory, other, site, told=frozenset()):
        """Notes that two memories, by number, may be one, depending on the path to `site`.

        The first comes from there; `told` are the numbers of the tensors that it may be, where they have some.
        """
        if memory != other:
            self._links.setdefault(memory, {})[other] = site
            self._links.setdefault(other, {})[memory] = site
            sources = self._sources.setdefault(memory, {})
            if other in sources:
                told = told | sources[other].told if told and sources[other].told else frozenset()
            sources[other] = Source(told, self.interpreter.statement)

    def link_function(self, params, results, given, outs):
        """Links what a call gives, `outs`, with what it was given, as the function's results share memory inside."""
        inside = {
            self.graph.memory(param): value
            for param, value in zip(params, given, strict=True)
            if isinstance(param, Tensor)
        }
        first: dict = {}  # number of a memory -> what comes out with it
        for result, out in zip(results, outs, strict=True):
            if not isinstance(result, Tensor) or is_placeholder(result):
                continue
            for memory in self.linked_with(self.graph.memory(result)):
                self.may_share(out, inside.get(memory), None)
                self.may_share(out, first.setdefault(memory, out), None)
                if self.graph.visible(memory):
                    self.link(self.graph.memory(out), memory, None)

    @property
    def has_links(self):
        """Returns whether it depends on the path, of any tensors, which memory they have."""
        return bool(self._links)

    def linked_with(self, memory):
        """Numbers of the memories that may be this one, itself among them."""
        return set(self._reached(memory)[0])

    def linked_directly(self, memory):
        """Numbers of the memories that this one is linked with itself."""
        return self._links.get(memory, {})

    def sources_of(self, memory):
        """Numbers of the memories that one from where paths meet may be, each with its Source."""
        return self._sources.get(memory, {})

    def sites_of(self, memory):
        """Where the paths meet that decide which memory this is."""
        return self._reached(memory)[1]

    def _reached(self, memory):
        sites: dict = {}
        reached, waiting = {memory: None}, [memory]
        while waiting:
            for other, site in self._links.get(waiting.pop(), {}).items():
                sites[site] = None
                if other not in reached:
                    reached[other] = None
                    waiting.append(other)
        return reached, list(sites)

    # ---- writes

    def check_writes(self):
        """Looks at writes to linked memory that were done just now."""
        for memory in self.graph.take_written():
            self.written.add(memory)
            reached, sites = self._reached(memory)
            others = {other for other in reached if other != memory and self.graph.visible(other)}
            if others and self._any_in_use(others):
                self.tell_apart(sites, "a Tensor is written in place")

    def tell_apart(self, sites, what):
        """Captures the program again with tensors told apart at the sites; refuses it if they were."""
        new = [site for site in sites if site not in self.exact_sites and site is not None]
        if new:
            raise NeedsIdentity(new)
        lines = sorted({str(site[1]) for site in sites if site is not None})
        raise self.interpreter.rejection(
            CONDITION,
            f"{what} that may share its memory with another one in use; whether it does depends on the path through "
            f"line {' and '.join(lines) or 'unknown'} and is known only when the graph runs",
            "Write to a copy(), or give the other name a copy().",
        )

    def _any_in_use(self, memories):
        """Returns whether the program can still reach a tensor with one of these memories.

        What only the journal of other paths holds cannot be reached from here. Every other reference counts.
        """
        found = [
            tensor
            for tensor in gc.get_objects()
            if issubclass(type(tensor), Tensor) and self.graph.shows(tensor, memories)
        ]
        while found:
            tensor = found.pop()
            # Two references are the name here and the argument of getrefcount.
            if sys.getrefcount(tensor) - 2 > self.heap.times_kept(tensor) + self._times_noted(tensor):
                return True
        return False

    def _times_noted(self, tensor):
        """Counts the interpreter's own references to a tensor, which the program does not see."""
        noted = (
            *self.interpreter.loop_nodes.loop_entries,
            self.graph.kept,
            *self._views.values(),
            *self.interpreter.completions.held_by_other_arms(),
        )
        return sum(value is tensor for values in noted for value in values)


class Carried:
    """Memories that the variables of a loop may share besides their initial ones, found iteration by iteration."""

    def __init__(self, site):
        self.site = site
        self.bodies = []  # functions of the turns that were captured
        self.found = set()  # (number of a variable, number of a memory, numbers that tell of it)
        self.pairs = set()  # numbers of two variables

    def forget(self):
        """Begins anew, as the variables of the loop have become others."""
        self.found.clear()
        self.pairs.clear()

    def link(self, interpreter, variables, initial):
        """Links the variables of a turn, or what is left of them after the last."""
        for variable, value in zip(variables, initial, strict=False):
            interpreter.aliases.may_share(variable, value, self.site)
        for number, memory, told in self.found:
            interpreter.aliases.link(interpreter.graph.memory(variables[number]), memory, self.site, told)
        for number, other in self.pairs:
            interpreter.aliases.may_share(variables[number], variables[other], self.site)

    def grow(self, interpreter, given):
        """Notes what a turn gives for the variables; whether there was anything new."""
        before = len(self.found) + len(self.pairs)
        last: dict = {}  # number of a memory -> the variable that was found with it
        for number, value in enumerate(given):
            if not isinstance(value, Tensor) or is_placeholder(value):
                continue
            untold, told = interpreter.sharing.untold(value), origin_of(value).candidates
            for memory in interpreter.aliases.linked_with(interpreter.graph.memory(value)):
                if interpreter.graph.visible(memory):
                    self.found.add((number, memory, frozenset() if memory in untold else told))
                elif memory in last:
                    self.pairs.add((last[memory], number))
                last[memory] = number
        return len(self.found) + len(self.pairs) > before
