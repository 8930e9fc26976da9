"""Profiling that is switched on while a program runs, by a file."""

import json
import os
import time
from typing import Any

from dyad import log
from dyad._src.base.argument_checks import require_int
from dyad.profiler.options import _ExperimentalConfig
from dyad.profiler.profiler import Profile, tensorboard_trace_handler
from dyad.train import Callback

__all__ = ["DynamicProfilerMonitor"]

CONFIG = "profiler_config.json"
INITIAL = {"start_step": -1, "stop_step": -1, "prof_path": "./", "analyse": True, "mstx": False}


class DynamicProfilerMonitor(Callback):
    """Records the steps that `profiler_config.json` in the directory `cfg_path` names, `start_step` to `stop_step`.

    A missing file is created, and it is read again every `poll_interval` seconds; a program in training is profiled
    by editing it. It is a callback of `Model`; a user-defined loop calls `step` at the start of each step.
    """

    def __init__(self, cfg_path, output_path="dyn_profile_data", poll_interval: int = 2, **kwargs) -> None:
        self._path = os.path.join(cfg_path, CONFIG)
        self._output_path = output_path
        self._poll_interval = require_int("DynamicProfilerMonitor", "poll_interval", poll_interval, low=1)
        self._looked_at: float | None = None
        self._read_at: int | None = None
        self._config: dict[str, Any] = dict(INITIAL)
        self._profiler: Any = None
        self._range: Any = None
        self._done = None
        self._step_num = 0
        if not os.path.exists(self._path):
            os.makedirs(cfg_path, exist_ok=True)
            with open(self._path, "w") as file:
                json.dump(INITIAL, file, indent=4)

    def _poll(self):
        if self._looked_at is not None and time.monotonic() - self._looked_at < self._poll_interval:
            return
        self._looked_at = time.monotonic()
        try:
            changed = os.stat(self._path).st_mtime_ns
            if changed != self._read_at:
                with open(self._path) as file:
                    self._config = {**INITIAL, **json.load(file)}
                self._read_at = changed
        except (OSError, ValueError) as error:
            log.warning("DynamicProfilerMonitor: %s cannot be read: %s", self._path, error)

    def _begin(self, step):
        self._poll()
        wanted = (self._config["start_step"], self._config["stop_step"])
        if self._profiler is None and wanted != self._done and step == wanted[0] <= wanted[1]:
            self._range = wanted
            self._profiler = self._make(*wanted)

    def _make(self, start, stop):
        path = self._config["prof_path"]
        path = self._output_path if path == "./" else path
        folder = os.path.join(path, f"rank0_start{start}_stop{stop}")
        handler = tensorboard_trace_handler(folder, analyse_flag=bool(self._config["analyse"]))
        config = _ExperimentalConfig(mstx=bool(self._config["mstx"]))
        return Profile(on_trace_ready=handler, experimental_config=config)

    def _end(self, step):
        if self._profiler is not None and step >= self._range[1]:
            self._stop()

    def _stop(self):
        self._profiler.stop()
        self._profiler, self._done = None, self._range

    def on_train_step_begin(self, run_context) -> None:
        """Starts recording at the step that the file names."""
        self._begin(run_context.original_args().cur_step_num)

    def on_train_step_end(self, run_context) -> None:
        """Writes the recording after the last step that the file names."""
        self._end(run_context.original_args().cur_step_num)

    def on_train_end(self, run_context) -> None:
        """Writes a recording that is not complete yet."""
        if self._profiler is not None:
            self._stop()

    def step(self) -> None:
        """Ends the previous step, and starts the next; the first is step 1."""
        self._end(self._step_num)
        self._step_num += 1
        self._begin(self._step_num)
