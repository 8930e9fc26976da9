"""Checks of the arguments of a Model, and of the settings of a summary."""

import os

from dyad import nn
from dyad._src.base import compat_finder
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.base.no_effect import say_no_effect
from dyad.amp import LossScaleManager

_AMP_LEVELS = ("O0", "O1", "O2", "O3", "auto")
_BOOST_LEVELS = ("O0", "O1", "O2")
_SCALING = ("loss_scale_manager", "keep_batchnorm_fp32")
_BOOSTING = ("boost_config_dict", "acc_level")


def require_cells(network, optimizer, eval_network):
    """A network, which is a Cell; the others are Cells too where they are given."""
    given = {"network": network, "optimizer": optimizer, "eval_network": eval_network}
    for name, value in given.items():
        if not isinstance(value, nn.Cell) and (name == "network" or value is not None):
            raise TypeError(f"Model: {name} is of type {type(value).__name__}; need a Cell")


def require_levels(amp_level, boost_level, optimizer, boost_config_dict=None):
    """Checks the levels; mixed precision needs an optimizer. Returns the options of a `boost_config_dict`, or None.

    A level alone changes nothing.
    """
    require_choice("Model", "amp_level", amp_level, _AMP_LEVELS)
    if amp_level != "O0" and optimizer is None:
        raise ValueError(f"Model: amp_level is {amp_level!r} and optimizer None; need an optimizer, or 'O0'")
    if require_choice("Model", "boost_level", boost_level, _BOOST_LEVELS) == "O0":
        return None
    if boost_config_dict and optimizer is not None:
        return compat_finder.found("boost.AutoBoost")(boost_level, boost_config_dict)
    say_no_effect("Model(boost_level=)", "Model: boost_level")
    return None


def require_options(options, optimizer):
    """Checks the keyword arguments about the loss scale and mixed precision."""
    for name in options:
        if name not in _SCALING + _BOOSTING:
            raise ValueError(
                f"Model: there is no argument {name!r}; need one of {', '.join(_SCALING + _BOOSTING)}"
            )
    manager = options.get("loss_scale_manager")
    if manager is not None and not isinstance(manager, LossScaleManager):
        raise TypeError(
            f"Model: loss_scale_manager is of type {type(manager).__name__}; need a LossScaleManager"
        )
    if manager is not None and optimizer is None:
        raise ValueError("Model: loss_scale_manager is given and optimizer None; need an optimizer")
    if options.get("keep_batchnorm_fp32") is not None:
        require_bool("Model", "keep_batchnorm_fp32", options["keep_batchnorm_fp32"])
    return {
        name: options[name]
        for name in _SCALING
        if name in options and (name == "loss_scale_manager" or options[name] is not None)
    }


def require_indexes(eval_indexes):
    """Indexes of the loss, the prediction and the label, as a tuple."""
    whole = isinstance(eval_indexes, list) and all(isinstance(index, int) for index in eval_indexes)
    if not whole or len(eval_indexes) != 3:
        raise ValueError(
            f"Model: eval_indexes is {eval_indexes!r}; need a list of 3 ints: of loss, prediction and label"
        )
    return tuple(eval_indexes)


def require_run(owner, epoch, initial_epoch, sinks, sink_size):
    """Epochs to train for."""
    require_int(owner, "epoch", epoch, low=1)
    require_int(owner, "initial_epoch", initial_epoch, low=0)
    if initial_epoch >= epoch:
        raise ValueError(f"{owner}: initial_epoch is {initial_epoch}; need less than epoch, which is {epoch}")
    if require_sinking(owner, sinks, sink_size):
        say_no_effect("Model(dataset_sink_mode=)", f"{owner}: dataset_sink_mode")


def require_sinking(owner, sinks, sink_size):
    """Returns whether data sink mode is on."""
    if require_int(owner, "sink_size", sink_size, low=-1) == 0:
        raise ValueError(f"{owner}: sink_size is 0; need -1 or an int of at least 1")
    return require_bool(owner, "dataset_sink_mode", sinks)


def require_frequency(owner, valid_frequency):
    """An int of epochs, or a list of them."""
    if isinstance(valid_frequency, (list, tuple, set, range)):
        return
    if isinstance(valid_frequency, bool) or not isinstance(valid_frequency, int):
        raise TypeError(
            f"{owner}: valid_frequency is of type {type(valid_frequency).__name__}; need an int or a list of ints"
        )
    require_int(owner, "valid_frequency", valid_frequency, low=1)


# Settings of a summary. A message has the words that MindSpore programs search for; the value and the argument are a
# note of the error.


def _refused(kind, message, owner, name, value):
    error = kind(message)
    error.add_note(f"{owner}: {name} is {value!r} of type {type(value).__name__}")
    return error


def require_kind(owner, name, value, *kinds):
    """Checks that a value has one of the types; None is the type of None. A bool is not an int."""
    types = tuple(type(None) if kind is None else kind for kind in kinds)
    if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
        return value
    known = [kind.__name__ for kind in types]
    found = type(value).__name__
    message = f"For `{name}` the type should be a valid type of {known}, but got {found}."
    raise _refused(TypeError, message, owner, name, value)


def require_positive(owner, name, value):
    """An int above 0."""
    if require_kind(owner, name, value, int) > 0:
        return value
    message = f'For "{owner}", the value of `{name}` should be greater than 0, but got `{value}`.'
    raise _refused(ValueError, message, owner, name, value)


def require_keys(owner, name, given, known, quote="`"):
    """A dict, or None for an empty one, all of whose keys are known."""
    require_kind(owner, name, given, dict, None)
    given = {} if given is None else given
    for key in given:
        require_kind(owner, key, key, str)
    unknown = set(given) - set(known)
    if unknown:
        raise ValueError(
            f"{owner}: the keys {unknown} of {quote}{name}{quote} are unsupported; need {', '.join(known)}"
        )
    return given


def require_path(owner, name, path):
    """A path that is not blank, as a str."""
    if not isinstance(path, (str, os.PathLike)):
        message = f"The {name} is invalid, the type should be string."
        raise _refused(TypeError, message, owner, name, path)
    if not os.fspath(path).strip():
        raise _refused(ValueError, f"The {name} is invalid, it should be non-blank.", owner, name, path)
    return os.fspath(path)
