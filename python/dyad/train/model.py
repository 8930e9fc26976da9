"""`Model`: trains, evaluates and runs a network."""

from dyad import nn
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.base.no_effect import say_no_effect
from dyad._src.context.parallel_settings import ParallelMode as ParallelMode  # packages import it from here
from dyad._src.context.settings import settings
from dyad.runtime import synchronize
from dyad.train import metrics as metric_kinds
from dyad.train._arguments import (
    require_cells,
    require_frequency,
    require_indexes,
    require_levels,
    require_options,
    require_run,
    require_sinking,
)
from dyad.train._batches import batch_count, epochs
from dyad.train._networks import (
    evaluation_network,
    metrics_by_name,
    training_network,
    trains_by_itself,
)
from dyad.train.callback._callback import (
    Callback,
    CallbackManager,
    acts_on_evaluation,
    callback_list,
    require_prefixed,
)
from dyad.train.callback._run_context import InternalCallbackParam, RunContext

__all__ = ["Model"]

# State that an evaluation during training sets for itself.
_OF_ONE_PHASE = ("mode", "batch_num", "cur_step_num", "net_outputs")


class Model:
    """Trains, evaluates and runs a network, in the mode of the context.

    Args:
        network (Cell): with `loss_fn` it returns the loss's first argument; without, it returns the loss itself or
        does a
            training step with an optimizer of its own.
        loss_fn (Cell): the loss of an output and a label.
        optimizer (Cell): needed to train.
        metrics (set, dict): names, or Metrics by name; needed to evaluate.
        eval_network (Cell): evaluated in place of the network with its loss.
        eval_indexes (list): indexes of the loss, the prediction and the label among its outputs. Without it, a metric
            receives all outputs of an `eval_network`.
        amp_level (str): mixed precision as in `amp.build_train_network`: "O0", "O1", "O2", "O3" or "auto".
        boost_level (str): "O0"; "O1" and "O2" turn on the options of `boost_config_dict` and have no effect alone.
        kwargs: `loss_scale_manager`, a LossScaleManager or None, `keep_batchnorm_fp32`, a bool, and
            `boost_config_dict`, the dict of `boost.AutoBoost`.

    Example:
        >>> from dyad import Tensor, nn
        >>> from dyad.train import Model
        >>> print(Model(nn.ReLU()).predict(Tensor([-1.0, 2.0])))
        [0. 2.]
    """

    def __init__(
        self,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        eval_network=None,
        eval_indexes: list | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs,
    ) -> None:
        require_cells(network, optimizer, eval_network)
        level = kwargs.get("acc_level", boost_level)
        boost = require_levels(amp_level, level, optimizer, kwargs.get("boost_config_dict"))
        scaling = require_options(kwargs, optimizer)
        if boost is not None:
            network, optimizer = boost.network_auto_process_train(network, optimizer)
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._train_network = training_network(network, loss_fn, optimizer, amp_level, scaling, boost)
        self._loss_scale_manager = scaling.get("loss_scale_manager")
        self._metrics, self._eval_network = metrics_by_name(metrics), eval_network
        self._eval_indexes = None if eval_network is not None and eval_indexes is None else (0, 1, 2)
        if self._metrics and eval_indexes is not None:
            self._eval_indexes = require_indexes(eval_indexes)
        if self._metrics and eval_network is None:
            self._eval_network = evaluation_network(network, loss_fn, amp_level)
        self._in_training = False

    @property
    def train_network(self):
        """The Cell that makes one step of training; without an optimizer the network with its loss."""
        return self._train_network

    @property
    def predict_network(self):
        """The Cell that `predict` runs."""
        return self._network

    @property
    def eval_network(self):
        """The Cell that `eval` runs; None without metrics."""
        return self._eval_network

    def train(
        self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1, initial_epoch=0
    ) -> None:
        """Trains for the epochs after `initial_epoch`, up to the number `epoch`.

        `dataset_sink_mode` and `sink_size` change nothing: an epoch is the whole dataset.
        """
        require_run("Model.train", epoch, initial_epoch, dataset_sink_mode, sink_size)
        self._train("Model.train", epoch, train_dataset, callbacks, initial_epoch)

    def fit(
        self,
        epoch,
        train_dataset,
        valid_dataset=None,
        valid_frequency=1,
        callbacks=None,
        dataset_sink_mode=False,
        valid_dataset_sink_mode: bool = False,
        sink_size=-1,
        initial_epoch=0,
    ) -> None:
        """Trains as `train` does, and evaluates after every `valid_frequency`-th epoch, or after those in a list.

        The results are in `metrics` of the run's state when the callbacks receive the end of the epoch;
        `eval_results` also has the mean loss, "eval_loss".
        """
        owner = "Model.fit"
        require_run(owner, epoch, initial_epoch, dataset_sink_mode, sink_size)
        require_bool(owner, "valid_dataset_sink_mode", valid_dataset_sink_mode)
        require_frequency(owner, valid_frequency)
        require_prefixed(owner, callback_list(owner, callbacks))
        if valid_dataset is None:
            self._train(owner, epoch, train_dataset, callbacks, initial_epoch)
            return
        self._require_metrics(owner)
        batch_count(owner, valid_dataset)
        self._train(owner, epoch, train_dataset, callbacks, initial_epoch, (valid_dataset, valid_frequency))

    def _train(self, owner, epoch, dataset, callbacks, initial_epoch, validation=None):
        if self._optimizer is None and not trains_by_itself(self._network):
            raise ValueError(f"{owner}: the Model has no optimizer; need one to train")
        run = self._state("train", callback_list(owner, callbacks), batch_count(owner, dataset))
        run.update(
            train_network=self._train_network,
            train_dataset=dataset,
            train_dataset_element=None,
            epoch_num=epoch - initial_epoch,
            cur_epoch_num=initial_epoch,
            initial_step=0,
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
        )
        context = RunContext(run)
        self._set_training(self._train_network, True)
        with CallbackManager(run["list_callback"]) as told:
            told.on_train_begin(context)
            for number, batches in enumerate(
                epochs(owner, dataset, epoch - initial_epoch), initial_epoch + 1
            ):
                run["cur_epoch_num"] = number
                told.on_train_epoch_begin(context)
                self._train_epoch(owner, batches, told, context)
                if validation is not None:
                    validation_set, frequency = validation
                    self._validate(validation_set, frequency, run)
                told.on_train_epoch_end(context)
                run.pop("metrics", None)
                run.pop("eval_results", None)
                if context.get_stop_requested():
                    break
            told.on_train_end(context)

    def _train_epoch(self, owner, batches, told, context):
        network, run = self._train_network, context.original_args()
        for batch in batches:
            if len(batch) != 2 and self._loss_fn is not None:
                raise ValueError(
                    f"{owner}: a batch has {len(batch)} columns; need data and label for loss_fn"
                )
            run["cur_step_num"] += 1
            run["train_dataset_element"] = batch
            told.on_train_step_begin(context)
            if not self._in_training:  # a callback may have evaluated
                self._set_training(network, True)
            run["net_outputs"] = outputs = network(*batch)
            if self._loss_scale_manager is not None:
                self._tell_loss_scale(outputs)
            told.on_train_step_end(context)
            if context.get_stop_requested():
                return

    def _tell_loss_scale(self, outputs):
        """Passes to the loss scale manager whether the step overflowed, if the step checks that."""
        if isinstance(self._train_network, nn.TrainOneStepWithLossScaleCell):
            self._loss_scale_manager.update_loss_scale(bool(outputs[1].asnumpy().all()))

    def _set_training(self, network, training):
        network.set_train(training)
        self._in_training = training

    def _validate(self, dataset, frequency, run):
        """Evaluates after an epoch of training, if it is due, and leaves what was found in the state of the run."""
        epoch = run["cur_epoch_num"]
        due = epoch % frequency == 0 if isinstance(frequency, int) else epoch in frequency
        if not due:
            return
        kept = {name: run[name] for name in _OF_ONE_PHASE}
        told = [callback for callback in run["list_callback"] if acts_on_evaluation(callback)]
        run.update(mode="eval", batch_num=batch_count("Model.fit", dataset), cur_step_num=0)
        loss = metric_kinds.get_metric_fn("loss") if self._eval_indexes is not None else None
        self._evaluate("Model.fit", dataset, told, run, loss)
        run.update(kept)

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode: bool = False):
        """Evaluates the network; returns the result of each metric by name."""
        owner = "Model.eval"
        if require_bool(owner, "dataset_sink_mode", dataset_sink_mode):
            say_no_effect("Model(dataset_sink_mode=)", f"{owner}: dataset_sink_mode")
        self._require_metrics(owner)
        run = self._state("eval", callback_list(owner, callbacks), batch_count(owner, valid_dataset))
        return self._evaluate(owner, valid_dataset, run["list_callback"], run)

    def _evaluate(self, owner, dataset, callbacks, run, loss=None):
        """Runs the dataset through the metrics, and through `loss` for the mean loss."""
        for metric in self._metrics.values():
            metric.clear()
        run.update(eval_network=self._eval_network, valid_dataset=dataset)
        context = RunContext(run)
        self._set_training(self._eval_network, False)
        with CallbackManager(callbacks) as told:
            told.on_eval_begin(context)
            told.on_eval_epoch_begin(context)
            for batch in next(epochs(owner, dataset, 1)):
                self._evaluate_batch(owner, batch, told, context, loss)
                if context.get_stop_requested():
                    break
            told.on_eval_epoch_end(context)
            found = {name: _plain(metric.eval()) for name, metric in self._metrics.items()}
            run["metrics"] = found
            run["eval_results"] = found if loss is None else {**found, "eval_loss": _plain(loss.eval())}
            told.on_eval_end(context)
        return found

    def _evaluate_batch(self, owner, batch, told, context, loss):
        run = context.original_args()
        run["cur_step_num"] += 1
        run["eval_dataset_element"] = batch
        told.on_eval_step_begin(context)
        run["net_outputs"] = outputs = self._eval_network(*batch)
        told.on_eval_step_end(context)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        if self._eval_indexes is not None and max(self._eval_indexes) >= len(outputs):
            raise ValueError(
                f"{owner}: eval_network gives {len(outputs)} outputs; need those that eval_indexes, "
                f"{list(self._eval_indexes)}, counts: the loss, the prediction and the label"
            )
        for metric in (*self._metrics.values(), *([] if loss is None else [loss])):
            metric.update(*self._outputs_for(metric, outputs))

    def _outputs_for(self, metric, outputs):
        if self._eval_indexes is None:
            return outputs
        loss, prediction, label = self._eval_indexes
        if isinstance(metric, metric_kinds.Loss):
            return (outputs[loss],)
        return outputs[prediction], outputs[label]

    def predict(self, *predict_data, backend: str | None = None, config=None):
        """Runs the network on Tensors, numbers, strings, or tuples, lists and dicts of them; returns its result.

        `backend` and `config` belong to another engine and have no effect.
        """
        if backend is not None:
            require_choice("Model.predict", "backend", backend, ("lite",))
            say_no_effect("Model.predict(backend=)", "Model.predict: backend")
        for value in predict_data:
            if value is not None and not isinstance(value, (Tensor, int, float, str, tuple, list, dict)):
                raise TypeError(
                    f"Model.predict: an input is of type {type(value).__name__}; need Tensors, numbers, or "
                    "structures of them"
                )
        self._set_training(self._network, False)
        return self._network(*predict_data)

    def build(
        self, train_dataset=None, valid_dataset=None, sink_size=-1, epoch: int = 1, sink_mode=True
    ) -> None:
        """Compiles the graphs for batches like the first one of each dataset; for Graph mode.

        `train` and `eval` use them. `sink_size`, `epoch` and `sink_mode` have no effect.
        """
        owner = "Model.build"
        require_int(owner, "epoch", epoch, low=1)
        require_sinking(owner, sink_mode, sink_size)
        if settings.mode:
            raise RuntimeError(f"{owner}: the mode is PYNATIVE_MODE, which has no graphs; need GRAPH_MODE")
        if train_dataset is None and valid_dataset is None:
            raise ValueError(f"{owner}: train_dataset and valid_dataset are None; need one of them")
        if valid_dataset is not None:
            self._require_metrics(owner)
            self._compile(owner, self._eval_network, valid_dataset, False)
        if train_dataset is not None:
            self._compile(owner, self._train_network, train_dataset, True)

    def infer_train_layout(self, train_dataset, dataset_sink_mode: bool = True, sink_size=-1) -> None:
        """Raises RuntimeError: the layout of Parameters on several devices needs more than one process."""
        self._refuse_layouts("Model.infer_train_layout")

    def infer_predict_layout(self, *predict_data, skip_backend_compile: bool = False) -> None:
        """Raises RuntimeError as `infer_train_layout` does."""
        self._refuse_layouts("Model.infer_predict_layout")

    @staticmethod
    def _refuse_layouts(owner):
        raise RuntimeError(f"{owner}: Parameters of one process have no layout; need a parallel mode")

    def _compile(self, owner, network, dataset, training):
        batch_count(owner, dataset)
        self._set_training(network, training)
        network.compile(*next(next(epochs(owner, dataset, 1))))

    def _state(self, mode, callbacks, batch_num):
        """The state that callbacks of every run receive."""
        return InternalCallbackParam(
            mode=mode,
            network=self._network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            loss_scale_mananger=self._loss_scale_manager,
            batch_num=batch_num,
            list_callback=callbacks,
            parallel_mode="stand_alone",
            device_number=1,
            dataset_sink_mode=False,
            cur_step_num=0,
            net_outputs=None,
        )

    def _require_metrics(self, owner):
        if not self._metrics:
            raise ValueError(f"{owner}: the Model has no metrics; need some to evaluate")


def _plain(value):
    """A number of NumPy's as one of Python's, which is shorter to print."""
    return value.item() if isinstance(value, numpy.generic) else value


class _StepSync(Callback):
    """Waits for the operators of a step at its end; packages with a loop of their own put it into their callbacks."""

    def step_end(self, run_context) -> None:
        """Returns when every operator called so far has run."""
        synchronize()


def _transfer_tensor_to_tuple(inputs):
    """A batch as a tuple: a Tensor becomes a tuple of itself."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs
