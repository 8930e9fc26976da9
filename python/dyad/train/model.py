"""`Model`: a network with what it takes to train, evaluate and use it."""

from dyad import nn
from dyad._core import Tensor
from dyad._src.argument_checks import require_bool, require_int
from dyad._src.no_effect import say_no_effect
from dyad.amp import LossScaleManager
from dyad.train import callback, metrics

__all__ = ["Model"]


class Model:
    """Trains, evaluates and runs a network, in the form that the context asks for.

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
        eval_indexes=None,
        amp_level="O0",
        boost_level="O0",
        loss_scale_manager=None,
    ):
        if not isinstance(network, nn.Cell):
            raise TypeError(f"Model: network is of type {type(network).__name__}; need a Cell")
        for name, level in (("amp_level", amp_level), ("boost_level", boost_level)):
            if level != "O0":
                raise ValueError(f"Model: {name} is {level!r}; need 'O0', the others are not there yet")
        if loss_scale_manager is not None and not isinstance(loss_scale_manager, LossScaleManager):
            kind = type(loss_scale_manager).__name__
            raise TypeError(f"Model: loss_scale_manager is of type {kind}; need a LossScaleManager")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._metrics = _metrics_by_name(metrics)
        self._eval_network = self._make_eval_network(eval_network)
        self._eval_indexes = _require_indexes(eval_indexes)
        self._train_network = None if optimizer is None else self._make_train_network(loss_scale_manager)

    def _make_train_network(self, manager):
        network = self._network if self._loss_fn is None else nn.WithLossCell(self._network, self._loss_fn)
        if manager is None:
            return nn.TrainOneStepCell(network, self._optimizer)
        update = manager.get_update_cell()
        if update is None:
            return nn.TrainOneStepCell(network, self._optimizer, manager.get_loss_scale())
        return nn.TrainOneStepWithLossScaleCell(network, self._optimizer, update)

    def _make_eval_network(self, given):
        if given is not None or not self._metrics:
            return given
        if self._loss_fn is None:
            raise ValueError("Model: metrics are given without loss_fn and eval_network; need one of them")
        return nn.WithEvalCell(self._network, self._loss_fn)

    @property
    def train_network(self):
        """The Cell that makes one step of training; None without an optimizer."""
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
    ):
        """Trains for the epochs after `initial_epoch`, up to the number `epoch`."""
        self._train(
            "Model.train", epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch
        )

    def fit(
        self,
        epoch,
        train_dataset,
        valid_dataset=None,
        valid_frequency=1,
        callbacks=None,
        dataset_sink_mode=False,
        valid_dataset_sink_mode=False,
        sink_size=-1,
        initial_epoch=0,
    ):
        """Trains, and evaluates after every `valid_frequency`-th epoch, or after those in a list."""
        require_bool("Model.fit", "valid_dataset_sink_mode", valid_dataset_sink_mode)
        callbacks = callback.as_list("Model.fit", callbacks)
        callback.require_prefixed("Model.fit", callbacks)

        def evaluate(epoch_number, run):
            due = (
                epoch_number in valid_frequency
                if isinstance(valid_frequency, (list, tuple, set, range))
                else (epoch_number - initial_epoch) % valid_frequency == 0
            )
            run.pop("eval_results", None)
            if valid_dataset is not None and due:
                run["eval_results"] = self.eval(valid_dataset, callbacks)
                self._train_network.set_train(True)

        self._train(
            "Model.fit",
            epoch,
            train_dataset,
            callbacks,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            evaluate,
        )

    def _train(self, owner, epoch, dataset, callbacks, sinks, sink_size, initial_epoch, evaluate=None):
        require_int(owner, "epoch", epoch, low=1)
        require_int(owner, "initial_epoch", initial_epoch, low=0)
        if initial_epoch >= epoch:
            raise ValueError(
                f"{owner}: initial_epoch is {initial_epoch}; need less than epoch, which is {epoch}"
            )
        if require_bool(owner, "dataset_sink_mode", sinks) or sink_size != -1:
            say_no_effect("Model(dataset_sink_mode=)", f"{owner}: dataset_sink_mode")
        if self._train_network is None:
            raise ValueError(f"{owner}: the Model has no optimizer; need one to train")
        callbacks = callback.as_list(owner, callbacks)
        batch_number = _batch_number(owner, dataset)
        run = self._fields("train", callbacks, batch_number)
        run.update(
            train_network=self._train_network, epoch_num=epoch, cur_step_num=initial_epoch * batch_number
        )
        run.update(train_dataset=dataset, cur_epoch_num=initial_epoch)
        context = callback.RunContext(run)
        self._train_network.set_train(True)
        callback.call(callbacks, "on_train_begin", context)
        for number, rows in enumerate(_epochs(dataset, epoch - initial_epoch), initial_epoch + 1):
            run["cur_epoch_num"] = number
            callback.call(callbacks, "on_train_epoch_begin", context)
            for row in rows:
                run["cur_step_num"] += 1
                callback.call(callbacks, "on_train_step_begin", context)
                run["net_outputs"] = self._train_network(*row)
                callback.call(callbacks, "on_train_step_end", context)
                if context.get_stop_requested():
                    break
            if evaluate is not None:
                evaluate(number, run)
            callback.call(callbacks, "on_train_epoch_end", context)
            if context.get_stop_requested():
                break
        callback.call(callbacks, "on_train_end", context)

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False):
        """What each metric gives over the dataset, by name."""
        if require_bool("Model.eval", "dataset_sink_mode", dataset_sink_mode):
            say_no_effect("Model(dataset_sink_mode=)", "Model.eval: dataset_sink_mode")
        if not self._metrics:
            raise ValueError("Model.eval: the Model has no metrics; need some to evaluate")
        callbacks = callback.as_list("Model.eval", callbacks)
        run = self._fields("eval", callbacks, _batch_number("Model.eval", valid_dataset))
        run.update(
            eval_network=self._eval_network, cur_step_num=0, cur_epoch_num=1, valid_dataset=valid_dataset
        )
        context = callback.RunContext(run)
        for metric in self._metrics.values():
            metric.clear()
        self._eval_network.set_train(False)
        callback.call(callbacks, "on_eval_begin", context)
        callback.call(callbacks, "on_eval_epoch_begin", context)
        for row in next(_epochs(valid_dataset, 1)):
            run["cur_step_num"] += 1
            callback.call(callbacks, "on_eval_step_begin", context)
            run["net_outputs"] = outputs = self._eval_network(*row)
            callback.call(callbacks, "on_eval_step_end", context)
            self._update_metrics(outputs)
        callback.call(callbacks, "on_eval_epoch_end", context)
        found = {name: metric.eval() for name, metric in self._metrics.items()}
        run["metrics"] = found
        callback.call(callbacks, "on_eval_end", context)
        return found

    def _update_metrics(self, outputs):
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        loss_at, prediction_at, label_at = self._eval_indexes
        for metric in self._metrics.values():
            if metric.indexes is not None:
                chosen = metric.indexes
            else:
                chosen = [loss_at] if isinstance(metric, metrics.Loss) else [prediction_at, label_at]
            if max(chosen) >= len(outputs):
                raise ValueError(
                    f"Model.eval: {type(metric).__name__} takes the outputs {chosen}; eval_network gave {len(outputs)}"
                )
            # A metric that was told its indexes takes them itself.
            metric.update(*(outputs if metric.indexes is not None else [outputs[place] for place in chosen]))

    def _fields(self, mode, callbacks, batch_number):
        return callback.CallbackFields(
            mode=mode,
            network=self._network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            batch_num=batch_number,
            list_callback=callbacks,
            net_outputs=None,
        )

    def predict(self, *predict_data):
        """What the network gives for Tensors, or tuples, lists and dicts of them, in its form for use."""
        for value in predict_data:
            if not isinstance(value, (Tensor, int, float, bool, tuple, list, dict)) and value is not None:
                kind = type(value).__name__
                raise TypeError(
                    f"Model.predict: an input is of type {kind}; need Tensors, or structures of them"
                )
        self._network.set_train(False)
        return self._network(*predict_data)


def _metrics_by_name(given):
    if given is None:
        return {}
    if isinstance(given, dict):
        for name, metric in given.items():
            if not isinstance(name, str) or not isinstance(metric, metrics.Metric):
                raise TypeError(f"Model: metrics has {name!r}: {metric!r}; need a name and a Metric")
        return given
    if isinstance(given, set):
        return {
            name: name if isinstance(name, metrics.Metric) else metrics.get_metric_fn(name) for name in given
        }
    raise TypeError(
        f"Model: metrics is of type {type(given).__name__}; need a set of names or a dict of Metrics"
    )


def _require_indexes(given):
    if given is None:
        return 0, 1, 2
    whole = isinstance(given, (list, tuple)) and all(isinstance(index, int) for index in given)
    if not whole or len(given) != 3:
        raise ValueError(
            f"Model: eval_indexes is {given!r}; need 3 ints, for the loss, the prediction and the label"
        )
    return tuple(given)


def _batch_number(owner, dataset):
    for name in ("get_dataset_size", "__len__"):
        if hasattr(dataset, name):
            size = getattr(dataset, name)()
            if size <= 0:
                raise ValueError(f"{owner}: the dataset has no batches; need one or more")
            return size
    raise TypeError(
        f"{owner}: the dataset is of type {type(dataset).__name__}; need get_dataset_size, or a length, and rows"
    )


def _epochs(dataset, count):
    """The batches of each epoch: out of one iterator, which shuffles anew in every epoch, where there is one."""
    own = getattr(dataset, "create_tuple_iterator", None)
    rows = dataset if own is None else own(num_epochs=count)
    for _ in range(count):
        yield _rows(rows)


def _rows(rows):
    """The batches, each as a tuple of what the network takes."""
    for row in rows:
        parts = row if isinstance(row, (tuple, list)) else (row,)
        yield tuple(part if isinstance(part, Tensor) else Tensor(part) for part in parts)
