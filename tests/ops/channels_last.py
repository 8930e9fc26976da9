"""References of operators with an attribute `channels_last`, by those on images whose channels come second."""

import functools

import numpy as np


def first(x):
    """(images, sizes…, channels) as (images, channels, sizes…)."""
    return np.moveaxis(x, -1, 1)


def last(x):
    return np.moveaxis(x, 1, -1)


def either_layout(tensors, result=last):
    """A reference that takes the keyword `channels_last`: it holds for the first `tensors` arguments, and for results
    unless `result` says otherwise."""

    def decorate(reference):
        @functools.wraps(reference)
        def either(*args, channels_last=False):
            if not channels_last:
                return reference(*args)
            found = reference(*(first(x) for x in args[:tensors]), *args[tensors:])
            return tuple(result(part) for part in found) if isinstance(found, tuple) else result(found)

        return either

    return decorate
