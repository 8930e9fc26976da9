"""Instructions of `match` statements."""

from typing import Any

from dyad._src.base.break_reasons import CONDITION
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.semantics.builtins.registry import BUILTINS
from dyad._src.capture.semantics.values import MISSING, OneOf

_SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class PatternReader(ReaderPart):
    """Tests of patterns; what is matched must be known in its structure."""

    def _subject(self, depth=1):
        value = self.stack.peek(depth)
        if isinstance(value, OneOf):
            raise self.interpreter.rejection(
                CONDITION,
                "match: which of several values is matched is known only when the graph runs",
                "Test it with if and isinstance.",
            )
        return value

    def op_MATCH_SEQUENCE(self, instruction, region):
        self.stack.push(isinstance(self._subject(), (list, tuple, range)))

    def op_MATCH_MAPPING(self, instruction, region):
        self.stack.push(isinstance(self._subject(), dict))

    def op_GET_LEN(self, instruction, region):
        self.stack.push(self.interpreter.iteration.length_of(self._subject()))

    def op_MATCH_KEYS(self, instruction, region):
        keys, subject = self.stack.peek(), self._subject(2)
        found = all(key in subject for key in keys)
        self.stack.push(tuple(subject[key] for key in keys) if found else None)

    def op_MATCH_CLASS(self, instruction, region):
        subject, cls, names = self.stack.pop_many(3)
        if isinstance(subject, OneOf):
            self.stack.push(subject)
            self._subject()
        self.stack.push(self._members(subject, cls, names, instruction.arg))

    def _members(self, subject, cls, names, positional):
        """Returns the values for the patterns inside of `cls(...)`; None if the subject is not such an object."""
        if not BUILTINS[isinstance](self.interpreter, (subject, cls), {}):
            return None
        members = []
        if positional:
            own: Any = getattr(cls, "__match_args__", None)
            if own is None and cls in _SELF_MATCHING:
                members.append(subject)
                own = ()
            elif positional > len(own or ()):
                self.interpreter.throwing.throw(
                    TypeError(
                        f"{cls.__name__}() accepts {len(own or ())} positional sub-patterns ({positional} given)"
                    )
                )
            names = (*own[: positional - len(members)], *names)
        for name in names:
            value = self.interpreter.host.catching(
                AttributeError,
                lambda name=name: self.interpreter.attributes.read_attribute(subject, name),
            )
            if value is MISSING:
                return None
            members.append(value)
        return tuple(members)
