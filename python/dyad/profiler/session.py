"""A profiler in a running program: steps, recordings and their output."""

import json
from typing import Any, Self

from dyad import log
from dyad._src.observe.profile.recording import Recording, now
from dyad.profiler.mstx import listen, stop_listening
from dyad.profiler.options import EXPERIMENTAL_DEFAULTS, _ExperimentalConfig, say_unread
from dyad.profiler.output import STEP, new_folder, write_recording, write_tables
from dyad.profiler.schedule import ProfilerAction, every_step

_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class Session:
    """Base class of `profile` and `Profiler`."""

    _writes_when_stopped = True

    def __init__(self, options, output_path):
        self._config = _read_config(options)
        say_unread({**options, **vars(self._config)})
        for name in ("schedule", "on_trace_ready"):
            if options.get(name) is not None and not callable(options[name]):
                raise TypeError(
                    f"profiler: {name} is of type {type(options[name]).__name__}; need a callable"
                )
        self.schedule = options.get("schedule") or every_step
        self.on_trace_ready = options.get("on_trace_ready")
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._output_path, self._worker_name = output_path, None
        self._metadata: dict = {}
        self._has_started = False
        self._recording: Any = None
        self._saved, self._runs = None, []
        if options.get("start_profile") is not False:
            self.start()

    def start(self) -> None:
        """Starts counting steps; kernels are recorded in the steps of the schedule."""
        if self._has_started:
            log.warning("profiler: start is called, but it has started already")
            return
        self._enter(self.current_action)
        self._has_started = True

    def step(self) -> None:
        """The end of a step and the beginning of the next."""
        if not self._has_started:
            log.warning("profiler: step is called, but it has not started")
            return
        self._mark_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE or self.current_action not in _RECORDS:
            self._finish()
        self._enter(self.current_action)

    def stop(self) -> None:
        """The end: what was recorded is saved."""
        if not self._has_started:
            log.warning("profiler: stop is called, but it has not started")
            return
        if self.schedule is not every_step or self.step_num:
            self._mark_step()
        self._has_started = False
        self._finish()

    def _enter(self, action):
        if action in _RECORDS and self._recording is None:
            recording = Recording()
            recording.start()
            self._recording = recording
            if self._config.mstx:
                listen(self._take_mark)
        self._step_start = now()

    def _mark_step(self):
        if self._recording is not None:
            self._recording.span(f"{STEP}{self.step_num}", "step", self._step_start)

    def _take_mark(self, message, domain, start, end):
        included, excluded = self._config.mstx_domain_include, self._config.mstx_domain_exclude
        if domain in included if included else domain not in (excluded or ()):
            self._recording.span(message, f"mstx:{domain}", start, end)

    def _finish(self):
        """Ends the recording, if there is one, and passes it on."""
        if self._recording is None:
            return
        self._recording.stop()
        if self._config.mstx:
            stop_listening(self._take_mark)
        self._saved, self._recording = self._recording, None
        self._runs = self._saved.runs
        self._hand_over()

    def _hand_over(self):
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)
            self._saved = None
        elif self._writes_when_stopped:
            self.analyse()

    def analyse(
        self, offline_path=None, pretty: bool = False, step_list=None, mode="sync", **options
    ) -> None:
        """Writes the trace and the tables of the recording into a directory of its own; stops first if necessary.

        The tables are of all steps or of those listed. Other arguments, about other devices, have no effect.
        """
        if self._saved is None and self._has_started:
            self.stop()
        if self._saved is None:
            log.warning(
                "profiler: nothing is left to analyse; it was written already, or nothing was recorded"
            )
            return
        write_tables(self.save(), step_list)
        self._saved = None

    def save(self, path=None, worker_name=None) -> str:
        """Writes the trace of what was recorded into a directory of its own below a path; returns that directory."""
        folder = new_folder(path or self._output_path, worker_name)
        write_recording(folder, self._saved, self._metadata)
        return folder

    def add_metadata(self, key, value) -> None:
        """Adds a string to `profiler_metadata.json`."""
        for name, text in (("key", key), ("value", value)):
            if not isinstance(text, str):
                raise TypeError(f"add_metadata: {name} is of type {type(text).__name__}; need a str")
        self._metadata[key] = value

    def add_metadata_json(self, key, value) -> None:
        """Adds the contents of a JSON string."""
        self.add_metadata(key, value)
        self._metadata[key] = json.loads(value)

    def __enter__(self) -> Self:
        if not self._has_started:
            self.start()
        return self

    def __exit__(self, *error):
        if self._has_started:
            self.stop()

    def __del__(self):
        if getattr(self, "_recording", None) is not None:
            self._recording.stop()
            log.warning("profiler: it was never stopped, and what it recorded is lost")


def _read_config(options):
    config = options.get("experimental_config")
    if config is None:
        given = {name: options[name] for name in EXPERIMENTAL_DEFAULTS if options.get(name) is not None}
        return _ExperimentalConfig(**given)
    if not isinstance(config, _ExperimentalConfig):
        raise TypeError(
            f"profiler: experimental_config is of type {type(config).__name__}; need an _ExperimentalConfig"
        )
    return config
