"""Learning rates as lists with one number per step; they change from epoch to epoch."""

import math

from dyad._src.base.argument_checks import (
    require_at_least_zero,
    require_bool,
    require_float,
    require_int,
    require_positive,
)

__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]


def _per_step(rate, total_step, step_per_epoch):
    """`rate(epoch)` for each step."""
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _require_steps(owner, **counts):
    for name, count in counts.items():
        require_int(owner, name, count, low=1)


def _require_decay(owner, learning_rate, decay_rate, is_stair, total_step, step_per_epoch, decay_epoch):
    require_positive(owner, "learning_rate", learning_rate)
    require_positive(owner, "decay_rate", decay_rate)
    require_bool(owner, "is_stair", is_stair)
    _require_steps(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)


def piecewise_constant_lr(milestone, learning_rates) -> list:
    """`learning_rates[i]` for the steps before `milestone[i]` that no earlier milestone covers."""
    owner = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a tuple or list")
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"{owner}: there are {len(milestone)} milestones and {len(learning_rates)} learning rates; "
            "need one rate per milestone"
        )
    rates: list = []
    for i, (end, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        require_int(owner, f"milestone[{i}]", end, low=1)
        require_float(owner, f"learning_rates[{i}]", rate)
        if end < len(rates):
            raise ValueError(
                f"{owner}: milestone[{i}] is {end} after {len(rates)}; need milestones that grow"
            )
        rates += [rate] * (end - len(rates))
    return rates


def exponential_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """learning_rate * decay_rate ^ (epoch / decay_epoch), the exponent rounded down if `is_stair`."""
    steps = (total_step, step_per_epoch, decay_epoch)
    _require_decay("exponential_decay_lr", learning_rate, decay_rate, is_stair, *steps)

    def rate(epoch):
        return learning_rate * decay_rate ** (epoch // decay_epoch if is_stair else epoch / decay_epoch)

    return _per_step(rate, total_step, step_per_epoch)


def natural_exp_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """learning_rate * e ^ (-decay_rate * epoch), the epoch rounded down to a multiple if `is_stair`."""
    steps = (total_step, step_per_epoch, decay_epoch)
    _require_decay("natural_exp_decay_lr", learning_rate, decay_rate, is_stair, *steps)

    def rate(epoch):
        epoch = epoch // decay_epoch * decay_epoch if is_stair else epoch
        return learning_rate * math.exp(-decay_rate * epoch)

    return _per_step(rate, total_step, step_per_epoch)


def inverse_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """learning_rate / (1 + decay_rate * epoch / decay_epoch), the quotient rounded down if `is_stair`."""
    steps = (total_step, step_per_epoch, decay_epoch)
    _require_decay("inverse_decay_lr", learning_rate, decay_rate, is_stair, *steps)

    def rate(epoch):
        return learning_rate / (1 + decay_rate * (epoch // decay_epoch if is_stair else epoch / decay_epoch))

    return _per_step(rate, total_step, step_per_epoch)


def cosine_decay_lr(min_lr: float, max_lr: float, total_step, step_per_epoch, decay_epoch):
    """From max_lr to min_lr along half a period of the cosine, in decay_epoch epochs; min_lr afterwards."""
    owner = "cosine_decay_lr"
    require_at_least_zero(owner, "min_lr", min_lr)
    require_positive(owner, "max_lr", max_lr)
    _require_steps(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    if min_lr >= max_lr:
        raise ValueError(f"{owner}: min_lr is {min_lr} and max_lr {max_lr}; need min_lr < max_lr")

    def rate(epoch):
        progress = min(epoch, decay_epoch) / decay_epoch
        return min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * progress))

    return _per_step(rate, total_step, step_per_epoch)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step,
    step_per_epoch,
    decay_epoch,
    power: float,
    update_decay_epoch: bool = False,
):
    """From learning_rate to end_learning_rate as (1 - epoch / decay_epoch) ^ power.

    With `update_decay_epoch` the decay restarts, over a multiple of decay_epoch, whenever it has ended.
    """
    owner = "polynomial_decay_lr"
    require_positive(owner, "learning_rate", learning_rate)
    require_at_least_zero(owner, "end_learning_rate", end_learning_rate)
    require_positive(owner, "power", power)
    _require_steps(owner, total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    require_bool(owner, "update_decay_epoch", update_decay_epoch)

    def rate(epoch):
        span = decay_epoch
        if update_decay_epoch:
            span *= max(math.ceil(epoch / decay_epoch), 1)
        left = (1 - min(epoch, span) / span) ** power
        return (learning_rate - end_learning_rate) * left + end_learning_rate

    return _per_step(rate, total_step, step_per_epoch)


def warmup_lr(learning_rate: float, total_step, step_per_epoch, warmup_epoch):
    """From 0 to learning_rate in equal steps per epoch; learning_rate from epoch warmup_epoch on."""
    require_at_least_zero("warmup_lr", "learning_rate", learning_rate)
    _require_steps(
        "warmup_lr", total_step=total_step, step_per_epoch=step_per_epoch, warmup_epoch=warmup_epoch
    )

    def rate(epoch):
        return learning_rate * min(epoch, warmup_epoch) / warmup_epoch

    return _per_step(rate, total_step, step_per_epoch)
