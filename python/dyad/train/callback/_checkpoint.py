"""`ModelCheckpoint`: writes the network to files during training."""

import os
import time

from dyad._src.checkpoint import background
from dyad._src.checkpoint.save import save_checkpoint
from dyad._src.context import keys, settings
from dyad.train._graph_file import save_graph
from dyad.train.callback._callback import Callback, made_directory
from dyad.train.callback._checkpoint_config import CheckpointConfig
from dyad.train.callback._checkpoint_files import CheckpointManager
from dyad.train.callback._checkpoint_files import unused_prefix as _chg_ckpt_file_name_if_same_exist
from dyad.train.callback._run_context import step_in_epoch

__all__ = ["CheckpointConfig", "CheckpointManager", "ModelCheckpoint", "_chg_ckpt_file_name_if_same_exist"]


def _checked_prefix(prefix):
    if not isinstance(prefix, str) or "/" in prefix:
        raise ValueError(
            f"ModelCheckpoint: prefix is {prefix!r}; need a str without '/', or a function that gives one"
        )
    return prefix


class ModelCheckpoint(Callback):
    """Writes the network and the state of its optimizer to `prefix-epoch_step.ckpt`, as `config` specifies.

    A missing directory is created; the default is the current directory. Files of an earlier run with the same prefix
    are kept: this run numbers its prefix. `prefix` and `directory` may be functions of the state of the run, called
    for each file; the result of `prefix` is then the whole name of the file. The graph of a compiled step is written
    once, as text, to `prefix-graph.meta`.
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(
                f"ModelCheckpoint: config is of type {type(config).__name__}; need a CheckpointConfig"
            )
        self._prefix = self._exception_prefix = prefix if callable(prefix) else _checked_prefix(prefix)
        self._directory = self._folder(os.getcwd() if directory is None else directory)
        self._config = CheckpointConfig() if config is None else config
        self._prefix = _chg_ckpt_file_name_if_same_exist(self._directory, self._prefix)
        self._manager = CheckpointManager(self._config.format)
        self._append_dict = dict(self._config.append_dict or {})
        self._counted_before = {name: self._append_dict.get(name, 0) for name in ("epoch_num", "step_num")}
        self._latest_ckpt_file_name = ""
        self._last_triggered_step = 0
        self._last_time = time.monotonic()
        self._run = None
        self._graph_is_due = True

    @staticmethod
    def _folder(directory):
        return directory if callable(directory) else made_directory("ModelCheckpoint", "directory", directory)

    @property
    def latest_ckpt_file_name(self):
        """The path of the file that was written last."""
        return self._latest_ckpt_file_name

    def begin(self, run_context):
        """Starts counting."""
        self._run, self._last_triggered_step = run_context.original_args(), 0
        self._last_time = time.monotonic()

    def step_end(self, run_context):
        """Writes a file if one is due."""
        run = run_context.original_args()
        if self._graph_is_due and settings.get_context("mode") == keys.GRAPH_MODE:
            self._save_graph(run)
        self._save(run)

    def end(self, run_context):
        """Writes the last state if it is not written yet, and waits until all files are written."""
        self._save(run_context.original_args(), last=True)
        if self._config.async_save:
            background.wait()
        self._run = None

    def __exit__(self, kind, error, trace):
        run, self._run = self._run, None
        if kind is not None and run is not None and self._config.exception_save:
            self._save_after_error(run)

    def _is_due(self, step, last):
        if self._config.save_checkpoint_steps:
            return last or step >= self._last_triggered_step + self._config.save_checkpoint_steps
        if self._config.save_checkpoint_seconds:
            return last or time.monotonic() - self._last_time > self._config.save_checkpoint_seconds
        return False

    def _save(self, run, last=False):
        step = run["cur_step_num"]
        if run.get("mode") == "eval" or step == self._last_triggered_step or not self._is_due(step, last):
            return
        directory, prefix = self._place(run, self._prefix)
        named = prefix if callable(self._prefix) else f"{prefix}-{run['cur_epoch_num']}_{step_in_epoch(run)}"
        self._make_room(directory, prefix)
        self._last_triggered_step, self._last_time = step, time.monotonic()
        path = os.path.join(directory, f"{named}.{self._config.format}")
        self._write(run, path)
        self._latest_ckpt_file_name = path

    def _save_graph(self, run):
        directory, prefix = self._place(run, self._prefix)
        self._graph_is_due = not save_graph(
            run["train_network"], os.path.join(directory, f"{prefix}-graph.meta")
        )

    def _place(self, run, prefix):
        """The directory and the prefix; functions are called with the state of the run."""
        directory = self._directory
        if callable(directory):
            directory = made_directory("ModelCheckpoint", "directory", directory(run))
        os.makedirs(directory, exist_ok=True)
        return directory, _checked_prefix(prefix(run)) if callable(prefix) else prefix

    def _make_room(self, directory, prefix):
        """Removes files so that the next one does not exceed the number that is kept."""
        config, files = self._config, self._manager
        files.update_ckpoint_filelist(directory, prefix)
        if config.keep_checkpoint_max:
            # A file that is being written is not in the directory yet.
            coming = bool(self._latest_ckpt_file_name) and not os.path.exists(self._latest_ckpt_file_name)
            while files.ckpoint_num and files.ckpoint_num + coming >= config.keep_checkpoint_max:
                files.remove_oldest_ckpoint_file()
        elif config.keep_checkpoint_per_n_minutes:
            files.keep_one_ckpoint_per_minutes(config.keep_checkpoint_per_n_minutes, time.time())

    def _write(self, run, path):
        config = self._config
        now = {"epoch_num": run["cur_epoch_num"], "step_num": run["cur_step_num"]}
        for name in now.keys() & self._append_dict.keys():
            self._append_dict[name] = self._counted_before[name] + now[name]
        save_checkpoint(
            run["train_network"] if config.saved_network is None else config.saved_network,
            path,
            config.integrated_save,
            config.async_save,
            self._append_dict,
            config.enc_key,
            config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )

    def _save_after_error(self, run):
        run.setdefault("cur_epoch_num", 0)
        directory, prefix = self._place(run, self._exception_prefix)
        prefix = _chg_ckpt_file_name_if_same_exist(directory, prefix, exception=True)
        step = step_in_epoch(run) if run["cur_step_num"] else 0
        name = f"{prefix}-{run['cur_epoch_num']}_{step}_breakpoint.{self._config.format}"
        self._write(run, os.path.join(directory, name))
