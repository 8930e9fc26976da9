"""`is` of Tensors that come from where paths meet.

Such a tensor carries the number of the one it is, if that has a number (see Origin). The numbers answer where both are
the same numbered tensor or where what has no number was made on one path for one of the two only. Anything else is
told apart by capturing the program again, or refused.
"""

import operator

from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import origin_of


class Identity(Part):
    """The part of the interpreter that compares tensors by `is`."""

    def is_same_tensor(self, left, right):
        """Returns whether two tensors of the capture are one in the program: a bool, or a number of the graph."""
        self.external.tells_inputs_apart = True
        a, b = origin_of(left), origin_of(right)
        if not a.candidates & b.candidates:
            self._require_told_apart(left, right)
            return False
        if self._may_be_one_without_number(left, right):
            self._tell_apart_by_is(left)
        same = self.interpreter.host.native(operator.eq, a.which, b.which)
        return self.interpreter.operators.both(same, self.interpreter.host.native(operator.ge, a.which, 0))

    def _require_told_apart(self, a, b):
        memory, other = self.graph.memory(a), self.graph.memory(b)
        if memory != other and other in self.interpreter.aliases.linked_with(memory):
            self._tell_apart_by_is(a)

    def _tell_apart_by_is(self, tensor):
        self.interpreter.aliases.tell_apart(
            self.interpreter.aliases.sites_of(self.graph.memory(tensor)),
            "a Tensor is compared by `is` with one",
        )

    def _may_be_one_without_number(self, a, b):
        """Returns whether both may be one tensor though their numbers do not say so."""
        numbered: dict = {}  # memory -> numbers of the tensors that have it
        for number, tensor in enumerate(self.external.origins):
            numbered.setdefault(self.graph.memory(tensor), set()).add(number)
        of_a, of_b = (self._unnumbered(self.graph.memory(tensor), numbered) for tensor in (a, b))
        return of_a is None or of_b is None or bool(of_a & of_b)

    def _unnumbered(self, memory, numbered):
        """The memories without a number that this may be; None if it may be a numbered one that it does not know of."""
        if memory in numbered:
            return set()
        reached, waiting = {memory}, [memory]
        while waiting:
            here = waiting.pop()
            known = origin_of(self.graph.holder(here)).candidates
            for other in self.interpreter.aliases.linked_directly(here):
                if other in numbered:
                    if not numbered[other] & known:
                        return None  # it was given its number after the paths met
                elif other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached
