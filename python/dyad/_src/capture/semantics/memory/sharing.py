"""Memory that Tensors given back by a graph share in the program, and must share behind it.

What comes out of a branch or loop has memory of its own in the graph. Where the caller goes on with the Tensors that it
gave and was given, a write to one of them must be seen by those that share its memory. A Tensor that is another one on
some path tells so by its number (see Origin), and the caller gets that one. One that is a view of it on some path, or
of what is given back beside it, tells nothing: such a program is captured again with tensors told apart. Where even
that does not tell, a part of a split function is refused, as the function around it does go on with its Tensors; the
result of a whole function keeps memory of its own.
"""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.capture.errors import Rejected
from dyad._src.capture.semantics.memory.aliases import NeedsIdentity
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import is_symbolic_tensor, origin_of


class Sharing(Part):
    """The part of the interpreter that knows which shared memory is lost where Tensors leave the graph."""

    def untold(self, tensor):
        """Numbers of the memories that a tensor may have, itself or as a view, on a path of which no number tells.

        There are none where nobody asks in the end.
        """
        if not self.interpreter.options.shares_results:
            return set()
        memory, known = self.graph.memory(tensor), origin_of(tensor).candidates
        reached = set() if self._is_numbered(memory, known) else {memory}
        passed, waiting = set(), [(memory, known)]
        while waiting:
            for other, given in self._further(*waiting.pop()):
                reached.add(other)
                if (other, given) not in passed:
                    passed.add((other, given))
                    waiting.append((other, given))
        return reached

    def _further(self, memory, known):
        """Yields what else a tensor with this memory and these numbers may be: (memory, numbers known of it)."""
        for other, source in self.interpreter.aliases.sources_of(memory).items():
            if not source.told <= known:
                yield other, frozenset()
            elif not self._is_numbered(other, source.told):  # else it is that very tensor, and known to be
                yield other, source.told

    def _is_numbered(self, memory, numbers):
        """Returns whether one of these numbers is that of a tensor with this memory."""
        return any(self.graph.memory(self.external.origins[number]) == memory for number in numbers)

    def require_kept(self, tensors):
        """Finds results of which one may share memory with another, or with a tensor from outside, and does not."""
        if not self.interpreter.aliases.has_links:
            return
        found = [(self.graph.memory(tensor), self.untold(tensor)) for tensor in tensors]
        outside = self._outside()
        for memory, shared in found:
            others = outside.union(*(untold | {other} for other, untold in found if other != memory))
            if (shared - {memory}) & others:
                self._tell_apart(memory)

    def _outside(self):
        """Numbers of the memories of tensors from outside."""
        seen = [known.seen for known in self.external.seen.values() if is_symbolic_tensor(known.seen)]
        data = [
            held for held in self.graph.kept if not is_symbolic_tensor(held) and not self.graph.made_by(held)
        ]
        return {self.graph.memory(tensor) for tensor in (*seen, *data)}

    def require_apart(self):
        """Refuses to write to a tensor from outside of which another one shows a part: a graph takes them for two."""
        written = self.external.written_tensors()
        tensors = [known for known in self.external.adopted.values() if isinstance(known.seen, Tensor)]
        if not written or _are_apart([known.original for known in tensors]):
            return
        for known, other in itertools.product(written, tensors):
            if _overlap(known.original, other.original):
                rejected = self.interpreter.rejection(
                    UNKNOWN,
                    "a Tensor is written in place of which another one in use shows a part",
                    "Write to a copy(), or give the other name a copy().",
                )
                rejected.statement = self.external.writer_of(known.seen)
                raise rejected

    def _tell_apart(self, memory):
        aliases, keeps_sharing = self.interpreter.aliases, self.interpreter.options.keeps_sharing
        if self.interpreter.gradients.is_used and not keeps_sharing:
            return  # a gradient counts every Tensor of its output, also those of the paths that are not taken
        try:
            aliases.tell_apart(aliases.sites_of(memory), "return: a Tensor is given back")
        except NeedsIdentity as needed:
            needed.of_results = True
            raise
        except Rejected as rejected:
            if not keeps_sharing:
                return
            met = (source.statement for source in aliases.sources_of(memory).values())
            rejected.statement = next((statement for statement in met if statement is not None), None)
            raise


def _are_apart(tensors):
    """Returns whether no two of the tensors share memory."""
    tree = _core.GuardTree()
    tree.check_disjoint_memory([tree.argument(number) for number in range(len(tensors))])
    return tree.matches(tuple(tensors))


def _overlap(a, b):
    """Returns whether two tensors with data are different objects that have bytes in common."""
    return a is not b and not a.has_init and not b.has_init and _core.memory_overlaps(a, b)
