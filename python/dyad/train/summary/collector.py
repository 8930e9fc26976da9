"""`SummaryCollector`: a callback that records a run."""

import numbers
import re
from typing import Any, Self

import numpy

from dyad import log
from dyad._core import Tensor
from dyad.train._arguments import require_kind, require_positive
from dyad.train._graph_file import graph_text_of
from dyad.train.callback._callback import Callback
from dyad.train.summary import lineage
from dyad.train.summary.landscape_settings import checked_settings
from dyad.train.summary.landscape_snapshots import Snapshots
from dyad.train.summary.measures import GradientNorms, StepClock, learning_rates, memory_in_use
from dyad.train.summary.specified_data import DEFAULTS, specified_data
from dyad.train.summary.summary_record import (
    SummaryRecord,
    make_directory,
    process_export_options,
)

__all__ = ["SummaryCollector"]

_OWNER = "SummaryCollector"
_DEFAULT_HISTOGRAMS = 5
_MOST_TENSOR_STEPS = 20


class SummaryCollector(Callback):
    """Records the loss, the learning rate, gradient norms, times, memory, weights, inputs and metrics of a run.

    They are written to an event file in the directory `summary_dir`, with the values of the network's summary
    operators; TensorBoard and `dyad watch` show them. The first step is collected and every `collect_freq`-th; in
    data sink mode epochs are counted instead of steps. `collect_specified_data` selects what is collected, by default
    everything:

    - `collect_metric`: the loss, which is the mean of the first output of a step, and the metrics of evaluations;
    - `collect_learning_rate`, `collect_gradient_norm`: the rates and the norm of each gradient;
    - `collect_performance`: the time of a step and between steps, and memory in use;
    - `histogram_regular`: weights whose names match this regular expression; with None the first five;
    - `collect_input_data`: the first input, if it contains images;
    - `collect_graph`: the graph of a step, in Graph mode; `collect_dataset_graph`: the stages of the dataset;
    - `collect_train_lineage`, `collect_eval_lineage`: networks, datasets and settings of training and evaluation;
    - `collect_landscape`: None, or a dict of settings by which Parameters are saved for `SummaryLandscape`:
      `intervals`, lists of the steps (or epochs, by `unit`) to save, `landscape_size`, `num_samples` and so on.

    Without `keep_default_action` only what is named is collected. `custom_lineage_data` is a dict of strings and
    numbers to record. Of TensorSummary, at most 20 steps are collected, or every `collect_tensor_freq`-th.
    `max_file_size` and `export_options` are those of SummaryRecord; `num_process` has no effect.
    """

    _DEFAULT_SPECIFIED_DATA = DEFAULTS

    def __init__(
        self,
        summary_dir,
        collect_freq=10,
        num_process=32,
        collect_specified_data=None,
        keep_default_action: bool = True,
        custom_lineage_data=None,
        collect_tensor_freq=None,
        max_file_size=None,
        export_options=None,
    ) -> None:
        super().__init__()
        self._summary_dir = make_directory(_OWNER, "summary_dir", summary_dir)
        optional = {"collect_tensor_freq": collect_tensor_freq, "max_file_size": max_file_size}
        for name, value in {"collect_freq": collect_freq, "num_process": num_process, **optional}.items():
            if value is not None or name not in optional:
                require_positive(_OWNER, name, value)
        self._every, self._every_tensor = collect_freq, collect_tensor_freq
        self._max_file_size = max_file_size
        self._export_options = process_export_options(export_options)
        self._collect_specified_data = specified_data(collect_specified_data, keep_default_action)
        self._custom = _require_custom(custom_lineage_data)
        self._opened: Any = None
        self._depth, self._step = 0, 0
        self._start_run()

    def _start_run(self):
        self._norms, self._clock = None, StepClock()
        self._temp_optimizer = None
        self._last = self._last_tensor = None  # the steps that were collected last
        self._is_parse_loss_success = True
        settings = self._collect_specified_data.get("collect_landscape")
        self._snapshots = None
        if settings is not None:
            self._snapshots = Snapshots(self._summary_dir, checked_settings(_OWNER, settings))

    def __enter__(self) -> Self:
        self._depth += 1
        return self

    def __exit__(self, *error):
        self._depth = 0 if any(error) else self._depth - 1  # an error ends everything that was started
        if self._depth == 0 and self._opened is not None:
            self._remove_hook()
            self._opened.close()
            self._opened = None

    @property
    def _record(self):
        """The file of the run, which is opened when the first value is recorded."""
        if self._opened is None:
            self._opened = SummaryRecord(
                self._summary_dir, max_file_size=self._max_file_size, export_options=self._export_options
            )
        return self._opened

    def _begin(self, run, mode):
        """Opens the file, unless a run around this one has."""
        self._check_callbacks(run)
        self.__enter__()
        if self._opened is None:
            self._start_run()
        self._record.set_mode(mode)

    def on_train_begin(self, run_context) -> None:
        """Opens the file."""
        run = run_context.original_args()
        self._begin(run, "train")
        optimizer = self._get_optimizer(run)
        if self._collects("collect_gradient_norm") and hasattr(optimizer, "register_forward_pre_hook"):
            self._norms = GradientNorms(optimizer)

    def on_train_step_begin(self, run_context) -> None:
        """Prepares what is measured during the step."""
        run = run_context.original_args()
        due = self._is_due(run, self._every, self._last)
        if self._norms is not None:
            self._norms.set_due(due)
        if due and self._collects("collect_learning_rate"):
            self._add_rates(self._get_optimizer(run))
        self._clock.begin()

    def on_train_step_end(self, run_context) -> None:
        """Collects if the step is due."""
        self._clock.end()
        run = run_context.original_args()
        self._step = run.cur_step_num
        if self._snapshots is not None:
            self._snapshots.end_step(run)
        if self._last is None:
            self._collect_once(run)
        due, tensors_due = self._is_due(run, self._every, self._last), self._are_tensors_due(run)
        if due:
            self._collect_step(run)
            self._last = _counted(run)
        if tensors_due:
            self._last_tensor = _counted(run)
        if due or tensors_due:
            self._record.record(
                self._step, plugin_filter=lambda plugin: tensors_due if plugin == "tensor" else due
            )
        self._clock.resume()

    def on_train_epoch_end(self, run_context) -> None:
        """Flushes the epoch to disk."""
        if self._snapshots is not None:
            self._snapshots.end_epoch(run_context.original_args())
        self._record.flush()

    def on_train_end(self, run_context) -> None:
        """Records what was trained, and closes the file."""
        run = run_context.original_args()
        if self._collects("collect_train_lineage"):
            found = lineage.training(run, _loss_of(run.get("net_outputs")), self._get_optimizer(run))
            self._record_alone("train_lineage", found)
        if self._snapshots is not None:
            self._snapshots.finish(run)
        self._remove_hook()
        self.__exit__()

    def on_eval_begin(self, run_context) -> None:
        """Opens the file, if training has not; summary operators are not recorded from here on."""
        self._begin(run_context.original_args(), "eval")

    def on_eval_end(self, run_context) -> None:
        """Records the metrics, at the step that training has come to."""
        run = run_context.original_args()
        if self._collects("collect_metric"):
            for tag, number in _numbers("eval", run.get("metrics") or {}):
                self._record.add_value("scalar", tag, Tensor(number))
        if self._collects("collect_eval_lineage"):
            self._record.add_value("eval_lineage", "eval_lineage", lineage.evaluation(run))
        self._record.record(self._step)
        self._record.set_mode("train")
        self.__exit__()

    def _check_callbacks(self, run):
        if sum(isinstance(each, SummaryCollector) for each in run.get("list_callback") or ()) > 1:
            raise ValueError(f"{_OWNER}: there is more than one {_OWNER} instance in callback list; need one")

    def _get_optimizer(self, run):
        """The optimizer of the run, or the one that its network holds; None if there is none.

        A network is searched once; "Failed" marks a search without a result.
        """
        if run.get("optimizer") is not None:
            return run.optimizer
        if self._temp_optimizer is None:
            network = run.get("train_network") or run.get("eval_network")
            cells = () if network is None else (cell for _, cell in network.cells_and_names())
            found = (cell.optimizer for cell in cells if hasattr(cell, "optimizer"))
            self._temp_optimizer = next(found, "Failed")
        return None if isinstance(self._temp_optimizer, str) else self._temp_optimizer

    def _collects(self, key):
        return bool(self._collect_specified_data.get(key))

    def _is_due(self, run, every, last):
        """Returns whether this step is the first or a multiple of `every`, or has passed one."""
        return last is None or _counted(run) // every > last // every

    def _are_tensors_due(self, run):
        every = self._every_tensor
        if every is None:
            total = run.get("epoch_num", 1) * (1 if run.get("dataset_sink_mode") else run.get("batch_num", 1))
            every = max(self._every, -(-total // (_MOST_TENSOR_STEPS - 1)))
        return self._is_due(run, every, self._last_tensor)

    def _collect_once(self, run):
        """Records what is the same for all steps."""
        if self._collects("collect_graph"):
            text = graph_text_of(run.train_network)
            if text is not None:
                self._record.add_value("graph", "train_network/auto", text)
        if self._collects("collect_dataset_graph"):
            stages = lineage.dataset(run.get("train_dataset"))
            self._record.add_value("dataset_graph", "train_dataset", {"stages": stages})
        if self._custom:
            self._record.add_value("custom_lineage_data", "custom_lineage_data", self._custom)

    def _collect_step(self, run):
        self._collect_metric(run)
        self._collect_input_data(run)
        self._collect_histogram(run)
        if self._collects("collect_performance"):
            for tag, number in (*self._clock.means(), *memory_in_use()):
                self._record.add_value("scalar", tag, Tensor(number))

    def _collect_metric(self, run):
        loss = self._get_loss(run) if self._collects("collect_metric") else None
        if loss is not None:
            self._record.add_value("scalar", "loss/auto", Tensor(loss))

    def _get_loss(self, run):
        """The loss of the step; None, and a warning the first time, if the network returns none."""
        loss = _loss_of(run.get("net_outputs"))
        if loss is None and self._is_parse_loss_success:
            self._is_parse_loss_success = False
            log.warning("%s: the first output of a step is no number, so no loss is recorded", _OWNER)
        return loss

    def _collect_input_data(self, run):
        if not self._collects("collect_input_data"):
            return
        row = run.get("train_dataset_element")
        first = row[0] if isinstance(row, (list, tuple)) and row else row
        if isinstance(first, Tensor) and first.ndim == 4 and first.shape[1] in (1, 3) and first.size:
            self._record.add_value("image", "input_data/auto", first)
        else:
            self._collect_specified_data["collect_input_data"] = False
            log.info("%s: the first input of the network holds no pictures, so it is not recorded", _OWNER)

    def _collect_histogram(self, run):
        optimizer = self._get_optimizer(run)
        if "histogram_regular" not in self._collect_specified_data or optimizer is None:
            return
        pattern = self._collect_specified_data["histogram_regular"]
        parameters = [
            each for each in optimizer.parameters if pattern is None or re.match(pattern, each.name)
        ]
        for parameter in parameters if pattern is not None else parameters[:_DEFAULT_HISTOGRAMS]:
            self._record.add_value("histogram", f"{parameter.name}/auto", parameter.value().reshape(-1))

    def _add_rates(self, optimizer):
        if hasattr(optimizer, "get_lr"):
            for tag, rate in learning_rates(optimizer):
                self._record.add_value("scalar", tag, rate.value().reshape(-1)[:1])

    def _record_alone(self, name, found):
        """Records one string without the new values of the summary operators."""
        self._record.set_mode("eval")
        self._record.add_value(name, name, found)
        self._record.record(self._step)

    def _remove_hook(self):
        if self._norms is not None:
            self._norms.remove()
            self._norms = None


def _counted(run):
    return run.cur_epoch_num if run.get("dataset_sink_mode") else run.cur_step_num


def _require_custom(given):
    require_kind(_OWNER, "custom_lineage_data", given, dict, None)
    given = {} if given is None else given
    for key, value in given.items():
        where = f"custom_lineage_data -> {key}"
        require_kind(_OWNER, where, key, str)
        require_kind(_OWNER, f"the value of {where}", value, int, str, float)
    return given


def _loss_of(outputs):
    """The mean of the first output as a float; None if it is not a number."""
    first = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
    if isinstance(first, Tensor):
        return float(first.asnumpy().mean()) if first.size else None
    return float(first) if isinstance(first, numbers.Real) else None


def _numbers(tag, value):
    """(tag, number) of every number in metrics, at any depth."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _numbers(f"{tag}/{name}", each)
    elif isinstance(value, (list, tuple, numpy.ndarray)) and numpy.ndim(value):
        for number, each in enumerate(value):
            yield from _numbers(f"{tag}/{number}", each)
    elif isinstance(value, (numbers.Real, numpy.ndarray, Tensor)):
        yield tag, float(value)
