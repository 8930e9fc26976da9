"""Logging inside a static graph: the message is logged when the graph runs, at each call, as `print` prints."""

import logging

from dyad._src.capture.semantics.abstract.abstraction import abstraction_of
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.control.raising import evaluated

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "fatal": logging.CRITICAL,
}
# What a class of loggers may not have changed: then the record is made and handled as here.
_OWN = ("_log", "handle", "isEnabledFor", "makeRecord", *_LEVELS)


def _logger_of(function):
    """The logger that a logging function writes to; None if it is no such function or one with a mind of its own."""
    name = getattr(function, "__name__", None)
    if name not in _LEVELS:
        return None
    if function is getattr(logging, name):
        return logging.getLogger()
    owner = getattr(function, "__self__", None)
    if not isinstance(owner, logging.Logger) or name in vars(owner):
        return None
    plain = all(getattr(type(owner), part) is getattr(logging.Logger, part) for part in _OWN)
    return owner if plain and not _runs_program(owner) else None


def _runs_program(logger):
    """Returns whether code of the program handles records: it may look at what the graph has not written back yet."""
    while logger is not None:
        if logger.filters or any(map(_is_of_program, logger.handlers)):
            return True
        logger = logger.parent if logger.propagate else None
    return False


def _is_of_program(handler):
    plain = type(handler).__module__ in ("logging", "logging.handlers") and "emit" not in vars(handler)
    formatter = handler.formatter
    return not plain or handler.filters or type(formatter) not in (type(None), logging.Formatter)


def is_log_call(function, kwargs):
    return not kwargs and _logger_of(function) is not None


def log_when_run(interpreter, function, args):
    """Notes the call; the record names the line of the program."""
    place = interpreter.place
    value = tuple(interpreter.texts.printable(argument) for argument in args)
    aval = abstraction_of(value)
    leaves = Leaves()
    aval.flatten(value, leaves)
    log = _Log(function, aval, place.filename, place.line, place.function)
    interpreter.graph.add_host("log", log, list(leaves))


class _Log:
    """Logs, when the graph runs, what the function was given."""

    def __init__(self, function, aval, filename, line, caller):
        self._logger, self._level = _logger_of(function), _LEVELS[function.__name__]
        self._is_module_function = getattr(function, "__self__", None) is None
        self._aval = aval
        self._place = filename, line
        self._caller = caller

    def __call__(self, *leaves):
        logger = self._logger
        if self._is_module_function and not logger.handlers:
            logging.basicConfig()
        if not logger.isEnabledFor(self._level):
            return
        message, *args = evaluated(self._aval.unflatten(LeafReader(leaves)))
        logger.handle(
            logger.makeRecord(
                logger.name, self._level, *self._place, message, tuple(args), None, self._caller
            )
        )
