"""`match` statements."""

import ast
import operator

from dyad._src.base.break_reasons import CONDITION
from dyad._src.capture.readers.ast.part import ReaderPart
from dyad._src.capture.semantics.builtins.registry import BUILTINS
from dyad._src.capture.semantics.values import MISSING, OneOf

_SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class PatternReader(ReaderPart):
    """Reads `match`: tests the patterns in order, and runs the block of the first that fits."""

    def match_case(self, subject, cases):
        """The completion of the first case that takes the subject; None if there is none."""
        if isinstance(subject, OneOf):
            return self.interpreter.branches.split(subject, lambda chosen: self.match_case(chosen, cases))
        if not cases:
            return None
        case, rest = cases[0], cases[1:]
        bindings: dict = {}
        fits = self._fits(case.pattern, subject, bindings)

        def taken():
            for name, value in bindings.items():
                self.interpreter.names.write(self.interpreter.frame, name, value)
            if case.guard is None:
                return self.reader.execute_block(case.body)
            return self.interpreter.branches.branch(
                self.interpreter.operators.truth(self.reader.evaluate(case.guard)),
                lambda: self.reader.execute_block(case.body),
                lambda: self.match_case(subject, rest),
            )

        return self.interpreter.branches.branch(fits, taken, lambda: self.match_case(subject, rest))

    def _fits(self, pattern, subject, bindings):
        """Returns whether the pattern fits, a bool or one that is known when the graph runs; fills `bindings`."""
        self.interpreter.at(pattern)
        return getattr(self, "_fits_" + type(pattern).__name__)(pattern, subject, bindings)

    def _fits_MatchValue(self, pattern, subject, bindings):
        return self.interpreter.operators.truth(
            self.interpreter.operators.compare(operator.eq, subject, self.reader.evaluate(pattern.value))
        )

    def _fits_MatchSingleton(self, pattern, subject, bindings):
        return self.interpreter.operators.compare(operator.is_, subject, pattern.value)

    def _fits_MatchAs(self, pattern, subject, bindings):
        fits = True if pattern.pattern is None else self._fits(pattern.pattern, subject, bindings)
        if pattern.name is not None:
            bindings[pattern.name] = subject
        return fits

    def _fits_MatchOr(self, pattern, subject, bindings):
        fits = False
        for alternative in pattern.patterns:
            own: dict = {}
            found = self._fits(alternative, subject, own)
            if own and not isinstance(found, bool):
                raise self.interpreter.rejection(
                    CONDITION,
                    "match: which alternative binds a name is known only when the graph runs",
                )
            if found is True and fits is False:
                bindings.update(own)
                return True
            fits = self.interpreter.operators.either(fits, found)
        return fits

    def _fits_MatchSequence(self, pattern, subject, bindings):
        if not isinstance(subject, (list, tuple, range)):
            return False
        items, patterns = list(subject), pattern.patterns
        starred = [i for i, part in enumerate(patterns) if isinstance(part, ast.MatchStar)]
        if starred:
            before, after = starred[0], len(patterns) - starred[0] - 1
            if len(items) < before + after:
                return False
            middle = items[before : len(items) - after]
            if patterns[before].name is not None:
                bindings[patterns[before].name] = self.interpreter.heap.note_birth(middle)
            pairs = [*zip(patterns[:before], items, strict=False)]
            pairs += zip(patterns[before + 1 :], items[len(items) - after :], strict=True)
        elif len(items) != len(patterns):
            return False
        else:
            pairs = [*zip(patterns, items, strict=True)]
        return self._all_fit(pairs, bindings)

    def _all_fit(self, pairs, bindings):
        fits = True
        for part, item in pairs:
            fits = self.interpreter.operators.both(fits, self._fits(part, item, bindings))
            if fits is False:
                return False
        return fits

    def _fits_MatchMapping(self, pattern, subject, bindings):
        if not isinstance(subject, dict):
            return False
        keys = [self.reader.evaluate(key) for key in pattern.keys]
        if not all(key in subject for key in keys):
            return False
        if pattern.rest is not None:
            left = {key: value for key, value in subject.items() if key not in keys}
            bindings[pattern.rest] = self.interpreter.heap.note_birth(left)
        return self._all_fit([(p, subject[k]) for p, k in zip(pattern.patterns, keys, strict=True)], bindings)

    def _fits_MatchClass(self, pattern, subject, bindings):
        cls = self.reader.evaluate(pattern.cls)
        if not BUILTINS[isinstance](self.interpreter, (subject, cls), {}):
            return False
        pairs = []
        if pattern.patterns:
            if cls in _SELF_MATCHING and not hasattr(cls, "__match_args__"):
                pairs.append((pattern.patterns[0], subject))
            else:
                names = getattr(cls, "__match_args__", ())
                pairs += [
                    (part, self.interpreter.attributes.read_attribute(subject, name))
                    for part, name in zip(pattern.patterns, names, strict=False)
                ]
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            value = self.interpreter.host.catching(
                AttributeError, lambda name=name: self.interpreter.attributes.read_attribute(subject, name)
            )
            if value is MISSING:
                return False
            pairs.append((part, value))
        return self._all_fit(pairs, bindings)
