"""Schedulers whose rates come back: cosines, restarts and triangles."""

import math

from dyad import ops
from dyad._src.base.argument_checks import require_above, require_int, require_number
from dyad.mint.optim.lr_scheduler.scheduler import LRScheduler, require_optimizer
from dyad.mint.optim.lr_scheduler.state import choose, measure, wide, write, write_rate

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR"]


class CosineAnnealingLR(LRScheduler):
    """The rates follow a cosine from where they start to `eta_min` in `T_max` epochs, and back."""

    def __init__(self, optimizer, T_max: int, eta_min: float = 0.0, last_epoch=-1) -> None:
        self.T_max = require_int("CosineAnnealingLR", "T_max", T_max, 1)
        self.eta_min = require_number("CosineAnnealingLR", "eta_min", eta_min)
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch):
        return (1 + ops.cos(wide(epoch) * (math.pi / self.T_max))) / 2

    def get_lr(self) -> list:
        """One rate per group, for the present epoch."""
        at_start = self.last_epoch == 0
        was_at_foot = (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0
        rise = (1 - math.cos(math.pi / self.T_max)) / 2
        before = choose(was_at_foot, 1.0, self._height(self.last_epoch - 1))
        ratio = self._height(self.last_epoch) / before
        rates = []
        for rate, base in zip(self._rates_now(), self.base_lrs, strict=True):
            risen = rate + (base - self.eta_min) * rise
            moved = (rate - self.eta_min) * ratio + self.eta_min
            rates.append(choose(at_start, rate, choose(was_at_foot, risen, moved)))
        return rates

    def _closed_form(self):
        height = self._height(self.last_epoch)
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rates fall along a cosine to `eta_min` in `T_0` epochs and start again; each fall is `T_mult` times longer.

    `step` takes fractions of an epoch too.
    """

    def __init__(self, optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch=-1) -> None:
        owner = "CosineAnnealingWarmRestarts"
        self.T_0 = require_int(owner, "T_0", T_0, 1)
        self.T_mult = require_int(owner, "T_mult", T_mult, 1)
        self.eta_min = require_number(owner, "eta_min", eta_min)
        self.T_i = measure(T_0)
        self.T_cur = measure(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """One rate per group, for the present epoch."""
        height = (1 + ops.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch=None) -> bool:
        """Goes on to the next epoch, or to `epoch`, which may be a fraction and must not be negative."""
        if epoch is None:
            self._go_on()
        elif epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: epoch is {epoch}; need a number of at least 0")
        else:
            self._go_to(epoch)
        self._write(self.get_lr())
        return True

    def _go_on(self):
        write(self.last_epoch, self.last_epoch + 1)
        place = self.T_cur + 1
        ends = place >= self.T_i
        write(self.T_cur, choose(ends, place - self.T_i, place))
        write(self.T_i, choose(ends, self.T_i * self.T_mult, self.T_i))

    def _go_to(self, epoch):
        """Find the fall that the epoch lies in: those before it take T_0 * (1 + T_mult + T_mult^2 + ...)."""
        length, place = self.T_0, epoch
        if self.T_mult == 1:
            place = epoch % self.T_0
        else:
            while place >= length:
                place -= length
                length *= self.T_mult
        write(self.T_i, wide(length))
        write(self.T_cur, wide(place))
        write(self.last_epoch, wide(math.floor(epoch)))


class CyclicLR(LRScheduler):
    """The rates go from `base_lr` to `max_lr` and back, again and again.

    `mode`: 'triangular' keeps the height, 'triangular2' halves it every cycle, 'exp_range' multiplies it by
    gamma^epoch. `scale_fn` takes its place: a function of the cycle or, with `scale_mode` 'iterations', of the epoch.
    """

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up: float = 2000,
        step_size_down: float | None = None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        last_epoch=-1,
    ) -> None:
        owner = "CyclicLR"
        require_optimizer(owner, optimizer)
        lowest = _per_group(owner, "base_lr", optimizer, base_lr)
        self.max_lrs = _per_group(owner, "max_lr", optimizer, max_lr)
        up = require_above(owner, "step_size_up", step_size_up, 0)
        down = up if step_size_down is None else require_above(owner, "step_size_down", step_size_down, 0)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(
                f"{owner}: mode is {mode!r} without scale_fn; need triangular, triangular2 or exp_range"
            )
        self.mode = mode
        self.gamma = gamma
        self._scale_fn = scale_fn
        self.scale_mode = scale_mode if scale_fn else ("iterations" if mode == "exp_range" else "cycle")
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, lowest, strict=True):
                write_rate(group, rate)
        self._lowest = lowest
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lowest

    def scale_fn(self, x):
        """The height of a cycle, as a share of that of the first."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        if self.mode == "triangular":
            return 1.0
        return self.gamma**x if self.mode == "exp_range" else 1 / 2.0 ** (x - 1)

    def get_lr(self) -> list:
        """One rate per group, for the present epoch."""
        turns = wide(self.last_epoch) / self.total_size
        cycle = 1 + ops.floor(turns)
        place = 1 + turns - cycle
        height = choose(
            place <= self.step_ratio, place / self.step_ratio, (place - 1) / (self.step_ratio - 1)
        )
        scale = wide(self.scale_fn(cycle if self.scale_mode == "cycle" else wide(self.last_epoch)))
        return [
            low + (high - low) * height * scale for low, high in zip(self._lowest, self.max_lrs, strict=True)
        ]


def _per_group(owner, name, optimizer, given):
    count = len(optimizer.param_groups)
    values = list(given) if isinstance(given, (tuple, list)) else [given] * count
    if len(values) != count:
        raise ValueError(
            f"{owner}: {name} has {len(values)} entries and there are {count} groups; need one for each"
        )
    return [float(require_number(owner, name, value)) for value in values]
