"""`SummaryRecord`: values of a run, written to an event file step by step."""

import os
import platform
import re
import time
import urllib.parse
import weakref
from typing import Self

import numpy

from dyad import log, nn
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_bool, require_int
from dyad._src.base.missing import missing_attribute
from dyad._src.observe.events.event_file import EventFile, FileFull
from dyad._src.observe.events.messages import graph_event, summary_event
from dyad._src.tensor import summary_values
from dyad.train._arguments import require_keys, require_kind, require_path
from dyad.train._graph_file import graph_text_of
from dyad.train.summary.plugins import checked, encoded, require_shape

__all__ = ["SummaryRecord"]

_DEFAULT_EXPORT_OPTIONS = {"tensor_format": ("npy", None)}
_PLAIN = re.compile(r"[\w.-]*")


def process_export_options(export_options):
    """The checked options; None stands for none."""
    if export_options is None:
        return None
    owner = "SummaryRecord"
    for key, given in require_keys(
        owner, "export_options", export_options, _DEFAULT_EXPORT_OPTIONS, '"'
    ).items():
        require_kind(owner, key, given, str, None)
        if given not in _DEFAULT_EXPORT_OPTIONS[key]:
            raise ValueError(f"{owner}: export_options[{key!r}] is {given!r}; need 'npy' or None")
    return export_options


def make_directory(owner, name, path):
    """The path of a directory, which is created if it does not exist."""
    path = require_path(owner, name, path)
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"{owner}: {name} is {path!r}, which is a file; need a folder")
    os.makedirs(path, exist_ok=True)
    return os.path.realpath(path)


class SummaryRecord:
    """Writes scalars, images, histograms, tensors and graphs of a run to a file for TensorBoard and `dyad watch`.

    Values are added by `add_value`, and by the summary operators of `ops` wherever the program computes them;
    `record(step)` writes them. There is one SummaryRecord at a time; `close` it, or use it in a `with` statement.

    The file is created in the directory `log_dir` at the first record; `file_prefix` and `file_suffix` are parts of
    its name. It grows up to `max_file_size` bytes; values that do not fit are left out with a warning. Failures to
    write are logged, or raised with `raise_exception`. `export_options={"tensor_format": "npy"}` also saves each
    tensor as a NumPy file. With `network` a graph is recorded once it is compiled. Values are written before `record`
    returns, so `num_process` has no effect.

    Example:
        >>> import tempfile
        >>> from dyad import Tensor
        >>> from dyad.train.summary import SummaryRecord
        >>> with SummaryRecord(tempfile.mkdtemp()) as summary_record:
        ...     summary_record.add_value("scalar", "loss", Tensor(0.5))
        ...     summary_record.record(step=1)
        ...
        True
    """

    def __init__(
        self,
        log_dir,
        file_prefix="events",
        file_suffix="_MS",
        num_process: int = 32,
        network=None,
        max_file_size=None,
        raise_exception: bool = False,
        export_options=None,
    ) -> None:
        owner = "SummaryRecord"
        directory = make_directory(owner, "log_dir", log_dir)
        self._raises = require_bool(owner, "raise_exception", raise_exception)
        self._export_options = process_export_options(export_options)
        self._network = _require_network(owner, "network", network)
        require_int(owner, "num_process", num_process, low=1)
        began = time.time_ns()
        path = os.path.join(directory, _file_name(owner, file_prefix, file_suffix, began))
        self._file = EventFile(path, began / 1e9, _require_size(owner, max_file_size))
        self._export_directory = os.path.join(directory, f"export_{began // 10**9}", "tensor")
        self._values: dict = {}
        self._mode = "train"
        self._is_closed = self._is_full = False
        self._enlist()

    def _enlist(self):
        opened = summary_values.start(self.log_dir)
        if opened != self.log_dir:
            raise RuntimeError(
                f"SummaryRecord: one is open already, for {opened!r}; close it before the next one is made"
            )
        self._finish = weakref.finalize(self, _end, self._file)

    def __enter__(self) -> Self:
        if self._is_closed:
            raise ValueError("SummaryRecord: it is closed; make a new one")
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def log_dir(self):
        """The full path of the event file."""
        return self._file.path

    def set_mode(self, mode) -> None:
        """Sets the phase, 'train' or 'eval'. Values of summary operators are recorded in training only."""
        if mode not in ("train", "eval"):
            raise ValueError(f"SummaryRecord.set_mode: mode is {mode!r}; need 'train' or 'eval'")
        if self._mode == "eval":
            summary_values.take()
        self._mode = mode

    def add_value(self, plugin, name, value) -> None:
        """Adds a value for the next `record`.

        `plugin` is "scalar", "image", "tensor" or "histogram" for a Tensor; "graph" for a result of `dyad.ir`; or
        "train_lineage", "eval_lineage", "custom_lineage_data" or "dataset_graph" for a dict, which is shown as a
        string. Only the newest value of a name is recorded.
        """
        kept = checked("SummaryRecord.add_value", plugin, name, value)
        self._keep(plugin, name, kept)

    def _keep(self, plugin, name, kept):
        self._values.pop((plugin, name), None)
        self._values[plugin, name] = kept

    def record(self, step: int, train_network=None, plugin_filter=None):
        """Writes the values added since the last call as those of `step`; returns whether that was possible.

        `plugin_filter(plugin)` returns whether values of a plugin are written; the others are dropped.
        `train_network` provides the graph if the `network` of this object has none.
        """
        require_int("SummaryRecord.record", "step", step)
        _require_network("SummaryRecord.record", "train_network", train_network)
        if self._is_closed:
            log.error("SummaryRecord.record: it is closed, nothing is recorded")
            return False
        self._add_graph(train_network)
        if self._mode == "train":
            for kind, name, array in summary_values.take():
                require_shape(f"SummaryRecord: {name!r}", kind, array.shape)
                self._keep(kind, name, array)
        values, self._values = self._values, {}
        chosen = {key: kept for key, kept in values.items() if plugin_filter is None or plugin_filter(key[0])}
        return self._write(step, chosen)

    def _add_graph(self, train_network):
        if self._network is None:
            return
        for network in (self._network, train_network):
            text = None if network is None else graph_text_of(network)
            if text is not None:
                self.add_value("graph", "graph", text)
                self._network = None
                return

    def _write(self, step, values):
        try:
            self._write_events(step, values)
            return True
        except FileFull as error:
            if not self._is_full:
                log.warning("SummaryRecord: %s", error)
            self._is_full = True
        except (OSError, RuntimeError) as error:
            if self._raises:
                raise
            log.error("SummaryRecord.record: step %s was not written: %s", step, error)
        return False

    def _write_events(self, step, values):
        now = time.time()
        for (plugin, _), kept in values.items():
            if plugin == "graph":
                self._file.write(graph_event(now, step, kept))
        shown = [(*key, kept) for key, kept in values.items() if key[0] != "graph"]
        if shown:
            self._file.write(summary_event(now, step, [encoded(*each) for each in shown]))
        self._export(step, shown)

    def _export(self, step, values):
        if not self._export_options or self._export_options.get("tensor_format") != "npy":
            return
        for plugin, name, kept in values:
            if plugin == "tensor":
                os.makedirs(self._export_directory, exist_ok=True)
                file_name = f"{urllib.parse.quote(name, safe='')}_{step}.npy"
                numpy.save(os.path.join(self._export_directory, file_name), kept)

    def flush(self) -> None:
        """Waits until everything that was recorded is on disk."""
        if self._is_closed:
            log.error("SummaryRecord.flush: it is closed")
        else:
            self._file.flush()

    def close(self) -> None:
        """Ends the file. A second call does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self._finish()


def _end(file):
    summary_values.stop()
    file.close()


def _require_network(owner, name, network):
    if network is not None and not isinstance(network, nn.Cell):
        raise TypeError(f"{owner}: {name} is {a_value(network)}; need a Cell or None")
    return network


def _require_size(owner, size):
    if size is None:
        return None
    if require_int(owner, "max_file_size", size) <= 0:
        log.warning("%s: max_file_size is %s; need more than 0, so there is no limit", owner, size)
        return None
    return size


def _file_name(owner, prefix, suffix, began):
    """A unique name that TensorBoard recognizes as an event file."""
    for name, part in (("file_prefix", prefix), ("file_suffix", suffix)):
        if not isinstance(part, str):
            raise TypeError(f"{owner}: {name} is {a_value(part)}; need a str")
        if not _PLAIN.fullmatch(part):
            raise ValueError(f"{owner}: {name} is {part!r}; need letters, digits, '_', '-' and '.' only")
    host = re.sub(r"[^\w.-]", "_", platform.node())
    seconds, rest = divmod(began, 10**9)
    return f"{prefix}.out.tfevents.{seconds}.{rest:09}.{host}.{os.getpid()}{suffix}"


def _summary_tensor_data():
    """{name with its plugin: Tensor} of new values of summary operators, as in {"layer1[:Tensor]": …}."""
    return {f"{name}[:{kind.capitalize()}]": Tensor(array) for kind, name, array in summary_values.take()}


def _cache_summary_tensor_data(values):
    """Stores values that a program passes: dicts of the name, with its plugin as in "layer1[:Tensor]", and the data."""
    for value in values:
        name, _, kind = value["name"].rpartition("[:")
        summary_values.note(kind.rstrip("]").lower(), name, value["data"])
    return True


def __getattr__(name):
    # A package that measures a network through its summary operators imports this, and opens no SummaryRecord.
    if name == "_get_summary_tensor_data":
        summary_values.keep_for_program()
        return _summary_tensor_data
    raise missing_attribute(__name__, name, __all__)
