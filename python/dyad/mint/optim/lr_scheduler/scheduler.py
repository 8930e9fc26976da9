"""LRScheduler: what all schedulers share, and SequentialLR, which runs them one after another."""

from dyad._src.base.argument_checks import require_int
from dyad.mint.optim.lr_scheduler.state import KeepsState, counter, rates_of, wide, write, write_rate
from dyad.mint.optim.optimizer import Optimizer

__all__ = ["LRScheduler", "SequentialLR"]


def require_optimizer(owner, optimizer: Optimizer):
    """`optimizer`; a TypeError if it is not one of `experimental.optim`."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"{owner}: optimizer is of type {type(optimizer).__name__}; need an Optimizer of experimental.optim"
        )
    return optimizer


class LRScheduler(KeepsState):
    """Changes the rates of an optimiser's groups; `step()` is called once per epoch, or whenever a rate is due.

    A scheduler of your own defines `get_lr(self)`, which gives one rate per group from `self.last_epoch`,
    `self.base_lrs` (the rates at the start) and `self._last_lr` (those at present). `last_epoch` other than -1 resumes:
    the groups then have `initial_lr`. The epoch and the rates are Parameters: `step()` may be a part of a graph.
    """

    def __init__(self, optimizer, last_epoch: int = -1) -> None:
        owner = type(self).__name__
        self.optimizer = require_optimizer(owner, optimizer)
        self.last_epoch = counter(require_int(owner, "last_epoch", last_epoch, -1))
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"{owner}: last_epoch is {last_epoch} and group {number} has no 'initial_lr'; "
                    "set it in param_groups to resume"
                )
        self.base_lrs = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self.groups_num = len(optimizer.param_groups)
        self.step()

    @property
    def _last_lr(self):
        """The rates at present as the groups hold them."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def _rates_now(self):
        return [wide(rate) for rate in self._last_lr]

    def get_lr(self):
        """The rates of this epoch, one per group; every scheduler defines it."""
        raise AttributeError(f"{type(self).__name__}: get_lr is not defined; define it to make a scheduler")

    def get_last_lr(self) -> list:
        """The rates at present, as a list of Tensors."""
        return rates_of(self.optimizer.param_groups)

    def step(self, epoch=None) -> bool:
        """Go on by one epoch, or to the epoch given, and write its rates."""
        if epoch is None:
            write(self.last_epoch, self.last_epoch + 1)
            rates = self.get_lr()
        else:
            write(self.last_epoch, wide(epoch))
            rates = self._closed_form() if hasattr(self, "_closed_form") else self.get_lr()
        self._write(rates)
        return True

    def _write(self, rates):
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            write_rate(group, rate)


class SequentialLR:
    """Runs `schedulers` one after another: each one starts anew at its entry of `milestones`.

    The epoch is a Parameter: `step()` may be a part of a graph, which serves every epoch.
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch: int = -1) -> None:
        self.optimizer = require_optimizer("SequentialLR", optimizer)
        self._schedulers = list(schedulers)
        self.milestones = list(milestones)
        if len(self.milestones) != len(self._schedulers) - 1:
            raise ValueError(
                f"SequentialLR: there are {len(self._schedulers)} schedulers and {len(self.milestones)} milestones; "
                "need one milestone less than schedulers"
            )
        for number, scheduler in enumerate(self._schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"SequentialLR: scheduler {number} belongs to another optimiser; need the one given here"
                )
        self.last_epoch = counter(require_int("SequentialLR", "last_epoch", last_epoch, -1) + 1)
        # Each scheduler has written its first rate already; only that of the first one shall hold.
        for group in optimizer.param_groups:
            write_rate(group, group["initial_lr"])
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0].step()

    def step(self) -> None:
        """Go on by one epoch."""
        write(self.last_epoch, self.last_epoch + 1)
        self._step_latest(len(self.milestones))

    def _step_latest(self, number):
        """A step of the last scheduler, of this one and those before it, whose milestone is passed."""
        scheduler = self._schedulers[number]
        if number == 0:
            scheduler.step()
        elif self.last_epoch == self.milestones[number - 1]:
            scheduler.step(0)
        elif self.last_epoch > self.milestones[number - 1]:
            scheduler.step()
        else:
            self._step_latest(number - 1)

    def get_last_lr(self):
        """The rates at present, as a list of Tensors."""
        return self._schedulers[0].get_last_lr()
