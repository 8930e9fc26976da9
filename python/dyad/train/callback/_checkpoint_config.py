"""`CheckpointConfig`: intervals, contents and number of the files of a `ModelCheckpoint`."""

from dyad import nn
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.tensor.generator import Generator

_APPENDED_BY_NAME = ("epoch_num", "step_num")
_FORMATS = ("ckpt", "safetensors")


def _count(name, value):
    return value if value is None else require_int("CheckpointConfig", name, value, low=0)


class CheckpointConfig:
    """Intervals, contents and number of the files that a `ModelCheckpoint` writes.

    A file is written every `save_checkpoint_steps` steps or, if that is 0 or None, every `save_checkpoint_seconds`
    seconds. The newest `keep_checkpoint_max` files are kept or, if that is 0 or None, one for every
    `keep_checkpoint_per_n_minutes` minutes. `saved_network` is written in place of the trained network. `append_info`
    lists additional contents: "epoch_num", "step_num" and a dict of numbers, strings, Tensors and Generators; if the
    dict has a number for one of the two names, counting continues from it. With `exception_save` a file is written if
    an error ends training. The other arguments are those of `save_checkpoint`.
    """

    def __init__(
        self,
        save_checkpoint_steps=1,
        save_checkpoint_seconds=0,
        keep_checkpoint_max=5,
        keep_checkpoint_per_n_minutes=0,
        integrated_save=True,
        async_save=False,
        saved_network=None,
        append_info=None,
        enc_key=None,
        enc_mode="AES-GCM",
        exception_save=False,
        crc_check=False,
        remove_redundancy=False,
        format="ckpt",
        *,
        incremental=False,
        enable_redundance=False,
    ):
        owner = "CheckpointConfig"
        self._set_schedule(
            _count("save_checkpoint_steps", save_checkpoint_steps),
            _count("save_checkpoint_seconds", save_checkpoint_seconds),
            _count("keep_checkpoint_max", keep_checkpoint_max),
            _count("keep_checkpoint_per_n_minutes", keep_checkpoint_per_n_minutes),
        )
        if saved_network is not None and not isinstance(saved_network, nn.Cell):
            raise TypeError(f"{owner}: saved_network is of type {type(saved_network).__name__}; need a Cell")
        if enc_key is not None and not isinstance(enc_key, bytes):
            raise ValueError(f"{owner}: enc_key is of type {type(enc_key).__name__}; need bytes or None")
        if not isinstance(async_save, (bool, str)):
            raise TypeError(f"{owner}: async_save is {async_save!r}; need a bool, 'thread' or 'process'")
        if async_save not in (False, True, "thread", "process"):
            raise ValueError(f"{owner}: async_save is {async_save!r}; need a bool, 'thread' or 'process'")
        if require_bool(owner, "remove_redundancy", remove_redundancy):
            raise ValueError(f"{owner}: remove_redundancy is True; this is one process, need False")
        self._saved_network, self._append_dict = saved_network, _append_dict(append_info)
        self._integrated_save = require_bool(owner, "integrated_save", integrated_save)
        self._async_save, self._enc_key, self._enc_mode = async_save, enc_key, enc_mode
        self.exception_save = require_bool(owner, "exception_save", exception_save)
        self._crc_check = require_bool(owner, "crc_check", crc_check)
        self._format = require_choice(owner, "format", format, _FORMATS)
        self._map_param_inc = require_bool(owner, "incremental", incremental)
        self.enable_redundance = require_bool(owner, "enable_redundance", enable_redundance)

    def _set_schedule(self, steps, seconds, most, minutes):
        if not (steps or seconds or most or minutes):
            raise ValueError(
                "CheckpointConfig: save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max and "
                "keep_checkpoint_per_n_minutes are all 0 or None; need one of them"
            )
        self._save_checkpoint_steps = steps
        self._save_checkpoint_seconds = None if steps else seconds
        self._keep_checkpoint_max = most if most or minutes else 1
        self._keep_checkpoint_per_n_minutes = None if most else minutes

    @property
    def save_checkpoint_steps(self):
        """Steps from one file to the next."""
        return self._save_checkpoint_steps

    @property
    def save_checkpoint_seconds(self):
        """Seconds from one file to the next; None where steps count."""
        return self._save_checkpoint_seconds

    @property
    def keep_checkpoint_max(self):
        """Maximum number of files that are kept."""
        return self._keep_checkpoint_max

    @property
    def keep_checkpoint_per_n_minutes(self):
        """Minutes per kept file; None if the number of files is limited instead."""
        return self._keep_checkpoint_per_n_minutes

    @property
    def integrated_save(self):
        """The argument `integrated_save` of `save_checkpoint`."""
        return self._integrated_save

    @property
    def async_save(self):
        """The argument `async_save` of `save_checkpoint`."""
        return self._async_save

    @property
    def saved_network(self):
        """The network that is written; None for the one that is trained."""
        return self._saved_network

    @property
    def enc_key(self):
        """The key that files are encrypted with, if they are."""
        return self._enc_key

    @property
    def enc_mode(self):
        """Encryption mode of the files."""
        return self._enc_mode

    @property
    def crc_check(self):
        """True if files contain a checksum."""
        return self._crc_check

    @property
    def format(self):
        """The format of the files, which is their suffix."""
        return self._format

    @property
    def append_dict(self):
        """Additional contents by name; None for none."""
        return self._append_dict

    @property
    def map_param_inc(self):
        """True if growing tables would be written incrementally; there are none."""
        return self._map_param_inc

    def get_checkpoint_policy(self):
        """The intervals and limits of files, in a dict."""
        return {
            "save_checkpoint_steps": self.save_checkpoint_steps,
            "save_checkpoint_seconds": self.save_checkpoint_seconds,
            "keep_checkpoint_max": self.keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": self.keep_checkpoint_per_n_minutes,
            "saved_network": self.saved_network,
        }


def _append_dict(append_info):
    """{name: value} of the additional contents."""
    if append_info is None or append_info == []:
        return None
    if not isinstance(append_info, list):
        raise TypeError(f"CheckpointConfig: append_info is of type {type(append_info).__name__}; need a list")
    appended, dicts = {}, 0
    for element in append_info:
        if isinstance(element, dict):
            dicts += 1
            appended.update(_checked(element))
        elif not isinstance(element, str):
            raise TypeError(f"CheckpointConfig: append_info has {element!r}; need str and one dict")
        elif element not in _APPENDED_BY_NAME:
            raise ValueError(
                f"CheckpointConfig: append_info has {element!r}; need one of {', '.join(_APPENDED_BY_NAME)}"
            )
        else:
            appended.setdefault(element, 0)
    if dicts > 1:
        raise TypeError(f"CheckpointConfig: append_info has {dicts} dicts; need one at most")
    return appended


def _checked(entries):
    for name, value in entries.items():
        if not isinstance(name, str) or not isinstance(value, (bool, int, float, str, Tensor, Generator)):
            raise TypeError(
                f"CheckpointConfig: append_info has {name!r}: {value!r}; "
                "need names with numbers, strings, Tensors or Generators"
            )
    return entries
