"""Messages of the framework and of programs that log through it, on standard error.

The environment variable `GLOG_v` chooses the least level that shows: 0 debug, 1 info, 2 warning (the default),
3 error, 4 critical.
"""

import functools
import logging
import os
from typing import ClassVar

__all__ = ["critical", "debug", "error", "get_level", "get_log_config", "info", "warning"]

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


def get_level() -> str:
    """The current level as `GLOG_v` would name it."""
    return next(name for name, level in _LEVELS.items() if level == _logger.level)


_SETTINGS = (
    "GLOG_v", "GLOG_logtostderr", "GLOG_log_dir", "logger_maxBytes", "logger_backupCount", "GLOG_stderrthreshold",
)  # fmt: skip


def get_log_config() -> dict:
    """How messages are written, by the names of the environment: the level, and what else the environment says."""
    given = {name: os.environ[name] for name in _SETTINGS if name in os.environ}
    return {
        "GLOG_v": get_level(),
        "GLOG_logtostderr": "1",
        **{k: v for k, v in given.items() if k != "GLOG_v"},
    }


debug = _logger.debug
info = _logger.info
warning = _logger.warning
error = _logger.error
critical = _logger.critical


def _get_logger():
    """The logger of the framework; packages add handlers to it."""
    return _logger


class _LogActionOnce:
    """A decorator: calls of the function warn the first time that `key` is met, and with `no_warning` never.

    `logger` is any object with a method `warning`, which is silent during the later calls.
    """

    _met: ClassVar[set] = set()

    def __init__(self, logger, key, no_warning: bool = False) -> None:
        self._logger, self._key, self._never = logger, key, no_warning

    def __call__(self, func):
        @functools.wraps(func)
        def call(*args, **kwargs):
            if not hasattr(self._logger, "warning"):
                return func(*args, **kwargs)
            silent = self._never or self._key in self._met
            self._met.add(self._key)
            if not silent:
                return func(*args, **kwargs)
            speaking = self._logger.warning
            self._logger.warning = lambda *args, **kwargs: None
            try:
                return func(*args, **kwargs)
            finally:
                self._logger.warning = speaking

        return call
