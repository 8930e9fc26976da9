"""Messages of the framework and of programs that log through it, on standard error.

The environment variable `GLOG_v` chooses the least level that shows: 0 debug, 1 info, 2 warning (the default),
3 error, 4 critical.
"""

import logging
import os

__all__ = ["critical", "debug", "error", "get_level", "info", "warning"]

_LEVELS = {
    "0": logging.DEBUG,
    "1": logging.INFO,
    "2": logging.WARNING,
    "3": logging.ERROR,
    "4": logging.CRITICAL,
}

_logger = logging.getLogger("dyad")


def _configure():
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("[%(levelname)s] %(name)s(%(process)d): %(asctime)s %(message)s"))
    _logger.addHandler(handler)
    _logger.propagate = False
    chosen = os.environ.get("GLOG_v", "2")  # noqa: SIM112 - the name that programs know
    _logger.setLevel(_LEVELS.get(chosen, logging.WARNING))


_configure()


def get_level():
    """The current level as `GLOG_v` would name it."""
    return next(name for name, level in _LEVELS.items() if level == _logger.level)


debug = _logger.debug
info = _logger.info
warning = _logger.warning
error = _logger.error
critical = _logger.critical
