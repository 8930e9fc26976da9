"""Sizes that are known when a graph runs, in a short form: sums of products of numbers with symbols and other terms.

Sizes of inputs are at least two, so some comparisons with numbers are decided.
"""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Size:
    """A size that is known when the graph runs: a symbol, or ("*", left, right) over sizes and numbers."""

    expression: Any


def combined(operator, left, right):
    """The result of an operator on sizes: an int, or a Size."""
    if operator in ("+", "-"):
        return _made(_sum(_terms(left), _terms(right), 1 if operator == "+" else -1))
    if operator == "*":
        return _product(left, right)
    if isinstance(left, int) and isinstance(right, int):
        return {
            "//": lambda: left // right,
            "max": lambda: max(left, right),
            "min": lambda: min(left, right),
        }[operator]()
    if operator == "//":
        return _quotient(left, right)
    return _extreme(operator, left, right)


def _product(left, right):
    if isinstance(left, int):
        left, right = right, left
    if isinstance(right, int):
        terms = (
            left if isinstance(left, int) else {atom: count * right for atom, count in _terms(left).items()}
        )
        return left * right if isinstance(left, int) else _made(terms)
    return Size(("*", *sorted((left, right), key=repr)))


def _quotient(left, right):
    """A whole number of times the divisor is known without dividing."""
    if left == right:
        return 1
    if isinstance(right, int) and right > 0 and not isinstance(left, int):
        terms = _terms(left)
        if all(count % right == 0 for count in terms.values()):
            return _made({atom: count // right for atom, count in terms.items()})
    if isinstance(left, Size) and isinstance(left.expression, tuple) and left.expression[0] == "*":
        factors = list(left.expression[1:])
        if right in factors:
            factors.remove(right)
            return factors[0]
    return Size(("//", left, right))


def _extreme(operator, left, right):
    difference = _sum(_terms(left), _terms(right), -1)
    if set(difference) <= {None}:
        left_is_larger = difference.get(None, 0) >= 0
        return left if left_is_larger == (operator == "max") else right
    for one, other in ((left, right), (right, left)):
        if isinstance(one, int) and one <= 0 and _is_size_of_input(other):
            return other if operator == "max" else one
    return Size((operator, left, right))


def _is_size_of_input(size):
    return isinstance(size, Size) and isinstance(size.expression, str) and "#" not in size.expression


def _terms(size):
    """Atom -> its coefficient; None stands for one."""
    if isinstance(size, int):
        return {None: size}
    expression = size.expression
    if isinstance(expression, tuple) and expression[0] == "+":
        return _sum(_terms(expression[1]), _terms(expression[2]), 1)
    if isinstance(expression, tuple) and expression[0] == "*" and isinstance(expression[2], int):
        return {expression[1]: expression[2]}
    return {size: 1}


def _sum(left, right, sign):
    found = dict(left)
    for atom, count in right.items():
        found[atom] = found.get(atom, 0) + sign * count
    return {atom: count for atom, count in found.items() if count or atom is None}


def _made(terms):
    constant = terms.get(None, 0)
    found = None
    for atom, count in sorted(((a, c) for a, c in terms.items() if a is not None and c), key=repr):
        term = atom if count == 1 else Size(("*", atom, count))
        found = term if found is None else Size(("+", found, term))
    if found is None:
        return constant
    return found if constant == 0 else Size(("+", found, constant))
