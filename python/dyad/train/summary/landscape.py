"""`SummaryLandscape`: the loss around the Parameters of a run, computed from the files of a SummaryCollector."""

from collections.abc import Callable

import numpy

from dyad import log, nn
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.load import load_checkpoint
from dyad.train._arguments import require_kind
from dyad.train.metrics import Loss, get_metrics
from dyad.train.summary import landscape_snapshots as snapshots
from dyad.train.summary.landscape_image import picture
from dyad.train.summary.landscape_plane import path_plane, random_plane
from dyad.train.summary.landscape_settings import checked_settings
from dyad.train.summary.summary_record import SummaryRecord, make_directory

__all__ = ["SummaryLandscape"]

_OWNER = "SummaryLandscape"
_MOST_DEVICES = 8


class SummaryLandscape:
    """Draws loss landscapes of a run that a SummaryCollector with `collect_landscape` has watched.

    `summary_dir` is the directory of that collector. A landscape of training is drawn for each interval, on the plane
    that comes nearest to the path of the Parameters; that of the result on a plane of random directions around the
    end.

    Example:
        >>> import tempfile
        >>> from dyad.train import SummaryLandscape
        >>> landscape = SummaryLandscape(tempfile.mkdtemp())
        >>> landscape.clean_ckpt()
    """

    def __init__(self, summary_dir):
        self._summary_dir = make_directory(_OWNER, "summary_dir", summary_dir)
        self._folder = snapshots.folder_of(self._summary_dir)

    def gen_landscapes_with_multi_process(
        self, callback_fn, collect_landscape=None, device_ids=None, output=None
    ) -> None:
        """Computes the landscapes and records each as an image, as tensors and as a string, in an event file.

        `callback_fn()` returns (Model, network, dataset, metrics), where `metrics` are those of the Model and include
        a Loss. `collect_landscape` overrides settings of the collector. The file is written to the directory
        `output`, or to that of the collector. `device_ids` are numbers from 0 to 7; the work is done by this process.
        """
        _require_devices(device_ids)
        changed = {} if collect_landscape is None else collect_landscape
        checked_settings(_OWNER, changed)
        found = snapshots.read_metadata(_OWNER, self._folder)
        found |= {key: value for key, value in changed.items() if key in found}
        if "intervals" in changed:
            found["epoch_group"] = dict(enumerate(changed["intervals"]))
        meter = _LossMeter(callback_fn, found["num_samples"])
        with SummaryRecord(self._summary_dir if output is None else output) as record:
            for plane, name, numbers in self._planes(found, meter):
                log.info("%s: drawing %s", _OWNER, name)
                self._record(record, plane, name, {"intervals": numbers, "unit": found["unit"]}, meter)

    def clean_ckpt(self) -> None:
        """Remove the saved Parameters that landscapes are drawn from."""
        snapshots.remove(self._folder)

    def _planes(self, found, meter):
        """(plane, name, steps or epochs) of each requested landscape."""
        size, wanted = found["landscape_size"], found["create_landscape"]
        groups = list(found["epoch_group"].values())
        paths = found["model_params_file_map"]
        if wanted.get("train", True):
            for numbers in groups:
                contents = [_snapshot(paths, number) for number in numbers]
                yield (
                    path_plane(contents, meter.trained(contents[-1]), size),
                    f"landscape_[{numbers[0]}, {numbers[-1]}]",
                    numbers,
                )
        if wanted.get("result", True) and groups:
            last = groups[-1][-1]
            content = _snapshot(paths, last)
            generator = numpy.random.default_rng(numpy.random.randint(2**31))
            yield (
                random_plane(content, meter.trained(content), size, generator),
                f"landscape_[{last}]",
                [last],
            )

    def _record(self, record, plane, name, told, meter):
        losses = numpy.array([[meter.loss(plane, x, y) for x in plane.columns] for y in plane.rows])
        path = numpy.array([[x, y, meter.loss(plane, x, y)] for x, y in plane.path])
        told |= {"decomposition": plane.decomposition, "variance_held": plane.held}
        told |= {"loss": float(path[-1, 2]), "lowest": float(losses.min()), "highest": float(losses.max())}
        record.add_value("image", name, Tensor(picture(plane, losses)))
        for part, array in (("x", plane.columns), ("y", plane.rows), ("loss", losses), ("path", path)):
            record.add_value("tensor", f"{name}/{part}", Tensor(array.astype(numpy.float32)))
        record.add_value("custom_lineage_data", f"{name}/metadata", told)
        record.record(0)
        record.flush()


class _LossMeter:
    """The loss of a Model with other Parameters, on some of its dataset."""

    def __init__(self, callback_fn: Callable, num_samples) -> None:
        if not callable(callback_fn):
            raise TypeError(f"{_OWNER}: callback_fn is {a_value(callback_fn)}; need a function")
        model, network, dataset, metrics = callback_fn()
        if not hasattr(model, "eval") or not isinstance(network, nn.Cell):
            raise TypeError(
                f"{_OWNER}: callback_fn gives {a_value(model)} and {a_value(network)}; need a Model and a Cell first"
            )
        named = get_metrics(metrics)
        self._key = next((key for key, metric in named.items() if isinstance(metric, Loss)), None)
        if self._key is None:
            raise ValueError(f"{_OWNER}: the metrics are {', '.join(named)}; need a Loss among them")
        self._model, self._network = model, network
        self._dataset = dataset.take(max(num_samples // dataset.get_batch_size(), 1))

    def trained(self, content) -> list:
        """The names of what is trained and was saved."""
        names = [each.name for each in self._network.trainable_params() if each.name in content]
        if not names:
            raise ValueError(f"{_OWNER}: the network has none of the Parameters that were saved")
        return names

    def loss(self, plane, x, y) -> float:
        """The loss at a point of a plane."""
        load_param_into_net(self._network, plane.parameters(float(x), float(y)))
        return float(self._model.eval(self._dataset, dataset_sink_mode=False)[self._key])


def _snapshot(paths, number):
    if str(number) not in paths:
        raise ValueError(f"{_OWNER}: nothing was saved at {number}; need one of {', '.join(paths)}")
    return {name: each.asnumpy() for name, each in load_checkpoint(paths[str(number)]).items()}


def _require_devices(device_ids):
    for number in require_kind(_OWNER, "device_ids", device_ids, list, None) or ():
        if not 0 <= require_kind(_OWNER, "device_ids", number, int) < _MOST_DEVICES:
            raise ValueError(f"{_OWNER}: device_ids has {number}; need ints from 0 to {_MOST_DEVICES - 1}")
