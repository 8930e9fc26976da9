"""`Symbol`: what is known of a size that changes from call to call."""

from dyad._src.base.argument_checks import require_bool, require_int


class Symbol:
    """A size of a template: `divisor * N + remainder` with N of at least 1, not below `min`.

    `max` is a limit only if it lies above `min`. With `unique` every dimension that uses this object has one size.
    """

    # Tells the constructor of Tensor that this stands for a size.
    __size_symbol__ = True

    def __init__(
        self, max: int = 0, min: int = 1, divisor: int = 1, remainder: int = 0, unique: bool = False
    ) -> None:
        self.max = require_int("Symbol", "max", max)
        self.min = require_int("Symbol", "min", min, low=1)
        self.divisor = require_int("Symbol", "divisor", divisor, low=1)
        self.remainder = require_int("Symbol", "remainder", remainder)
        self.unique = require_bool("Symbol", "unique", unique)
        if not 0 <= remainder < divisor:
            raise ValueError(
                f"Symbol: remainder is {remainder}; need an int from 0 to {divisor - 1}, below the divisor"
            )

    def limits(self) -> dict:
        """The sizes as arguments of a guard on one axis."""
        return {
            "low": max(self.min, self.divisor + self.remainder),
            "high": self.max if self.max > self.min else None,
            "divisor": self.divisor,
            "remainder": self.remainder,
        }

    def accepts(self, size):
        """Returns whether an actual size is one of those described."""
        limits = self.limits()
        return (
            size >= limits["low"]
            and (limits["high"] is None or size <= limits["high"])
            and size % self.divisor == self.remainder
        )

    def __repr__(self) -> str:
        defaults = {"max": 0, "min": 1, "divisor": 1, "remainder": 0, "unique": False}
        told = [
            f"{name}={getattr(self, name)}"
            for name, default in defaults.items()
            if getattr(self, name) != default
        ]
        return f"Symbol({', '.join(told)})"
