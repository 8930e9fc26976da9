"""The Cells that a Model runs, built from a network, its loss and its optimizer."""

from dyad import amp, nn
from dyad.train import metrics


def training_network(network, loss_fn, optimizer, level, scaling, boost=None):
    """The Cell of one step of training; without an optimizer that of the loss, or the network itself.

    `scaling` holds the arguments `loss_scale_manager` and `keep_batchnorm_fp32`; `boost` is the AutoBoost from
    which the network and the optimizer come, or None.
    """
    if optimizer is None:
        step = network if loss_fn is None else nn.WithLossCell(network, loss_fn)
    elif boost is not None:
        if level != "O0":
            network = amp.auto_mixed_precision(network, level)
        whole = network if loss_fn is None else nn.WithLossCell(network, loss_fn)
        step = _step(
            whole,
            optimizer,
            scaling.get("loss_scale_manager"),
            boost.step_cell,
            boost.scaled_step_cell,
        )
    elif level != "O0" or "keep_batchnorm_fp32" in scaling:
        step = amp.build_train_network(network, optimizer, loss_fn, level=level, **scaling)
    else:
        whole = network if loss_fn is None else nn.WithLossCell(network, loss_fn)
        step = _step(whole, optimizer, scaling.get("loss_scale_manager"))
    if step is not network:
        _compile_like(step, network, loss_fn)
    return step


def _step(
    network, optimizer, manager, plain=nn.TrainOneStepCell, with_scale=nn.TrainOneStepWithLossScaleCell
):
    if manager is None:
        return plain(network, optimizer)
    update = manager.get_update_cell()
    if update is None:
        return plain(network, optimizer, manager.get_loss_scale())
    return with_scale(network, optimizer, update)


def evaluation_network(network, loss_fn, level):
    """The Cell that returns (loss, output, label), in float32 where the network computes in fewer bits."""
    if loss_fn is None:
        raise ValueError("Model: metrics are given without loss_fn and eval_network; need one of them")
    evaluated = nn.WithEvalCell(network, loss_fn, level in ("O2", "O3", "auto"))
    _compile_like(evaluated, network, loss_fn)
    return evaluated


def _compile_like(whole, network, loss_fn):
    """Compiles a Cell around a network with the network's settings, for its templates and for the label of the loss."""
    if network._jit_config is not None:
        whole.set_jit_config(network._jit_config)
    inputs = network.get_inputs()
    if not isinstance(inputs, tuple):
        return
    if loss_fn is None:
        whole.set_inputs(*inputs)
        return
    wanted = loss_fn.get_inputs() if isinstance(loss_fn, nn.Cell) else None
    if isinstance(wanted, tuple) and len(wanted) == 2:
        whole.set_inputs(*inputs, wanted[1])


def trains_by_itself(network):
    """Returns whether calling the network does a training step."""
    return any(isinstance(cell, (nn.Optimizer, nn.TrainOneStepCell)) for _, cell in network.cells_and_names())


def metrics_by_name(given):
    """{name: Metric} of the `metrics` argument."""
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
