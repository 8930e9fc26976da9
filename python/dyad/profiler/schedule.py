"""Schedule of the profiled steps of a program."""

from enum import Enum

from dyad._src.base.argument_checks import require_int

__all__ = ["ProfilerAction", "Schedule"]


class ProfilerAction(Enum):
    """Actions of a profiler in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3

    @staticmethod
    def get_by_value(value):
        """The action of that number, or None."""
        return next((action for action in ProfilerAction if action.value == value), None)


class Schedule:
    """After `skip_first` steps, rounds of `wait`, `warmup` and `active` steps; `repeat` rounds, or with 0 no end.

    Only the `active` steps are recorded, and what was recorded is saved after the last one of a round.
    """

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ) -> None:
        self.wait = require_int("schedule", "wait", wait, low=0)
        self.active = require_int("schedule", "active", active, low=1)
        self.warmup = require_int("schedule", "warmup", warmup, low=0)
        self.repeat = require_int("schedule", "repeat", repeat, low=0)
        self.skip_first = require_int("schedule", "skip_first", skip_first, low=0)

    def __call__(self, step):
        if require_int("schedule", "step", step, low=0) < self.skip_first:
            return ProfilerAction.NONE
        length = self.wait + self.warmup + self.active
        cycle, place = divmod(step - self.skip_first, length)
        if place < self.wait or 0 < self.repeat <= cycle:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    def to_dict(self) -> dict:
        """The constructor arguments by name."""
        return dict(vars(self))

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


def every_step(step):
    """The schedule of a profiler that was given none."""
    return ProfilerAction.RECORD
