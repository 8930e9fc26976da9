"""Snapshots of a network during training, from which a loss landscape is computed.

They are checkpoints in the directory `ckpt_dir` of a summary, next to `train_metadata.json`, which describes them:

    epoch_group            {number of an interval: the steps or epochs in it}
    model_params_file_map  {step or epoch, as a str: path of its checkpoint}
    step_per_epoch, unit, num_samples, landscape_size, create_landscape
"""

import json
import os
import shutil

from dyad._src.base.atomic_file import write_atomically
from dyad._src.checkpoint.save import save_checkpoint

_FOLDER, _METADATA = "ckpt_dir", "train_metadata.json"
_KEYS = {
    "epoch_group": dict,
    "model_params_file_map": dict,
    "step_per_epoch": int,
    "unit": str,
    "num_samples": int,
    "landscape_size": int,
    "create_landscape": dict,
}


class Snapshots:
    """Saves a network in the steps or epochs that the settings name."""

    def __init__(self, summary_dir, settings):
        self._folder = os.path.join(summary_dir, _FOLDER)
        self._settings = settings
        self._due = {number for interval in settings["intervals"] for number in interval}
        self._paths = {}

    def end_step(self, run) -> None:
        """Saves the network if the unit is a step, and this one is due."""
        if self._settings["unit"] == "step":
            self._save(run, run.cur_step_num)

    def end_epoch(self, run) -> None:
        """Saves the network if the unit is an epoch, and this one is due."""
        if self._settings["unit"] == "epoch":
            self._save(run, run.cur_epoch_num)

    def _save(self, run, number):
        if number not in self._due:
            return
        os.makedirs(self._folder, exist_ok=True)
        name = f"{type(run.network).__name__}_{number}_{self._settings['unit']}.ckpt"
        path = os.path.join(self._folder, name)
        save_checkpoint(list(run.network.get_parameters()), path)
        self._paths[str(number)] = path

    def finish(self, run) -> None:
        """Writes down what was saved."""
        if not self._paths:
            return
        kept = {key: value for key, value in self._settings.items() if key != "intervals"}
        intervals = dict(enumerate(self._settings["intervals"]))
        steps = run.get("batch_num", 1)
        found = {"epoch_group": intervals, "model_params_file_map": self._paths, "step_per_epoch": steps}
        write_metadata(self._folder, found | kept)


def folder_of(summary_dir) -> str:
    """The directory of the snapshots of a summary."""
    return os.path.join(os.path.realpath(summary_dir), _FOLDER)


def write_metadata(folder, found) -> None:
    """Writes the file that describes the snapshots."""
    path = os.path.join(folder, _METADATA)
    write_atomically(path, [json.dumps(found).encode()], 0o600)


def read_metadata(owner, folder):
    """The description of the snapshots. FileNotFoundError if there are none, ValueError if the file is malformed."""
    path = os.path.join(folder, _METADATA)
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"{owner}: there is no {path}; need a SummaryCollector with collect_landscape, which makes it"
        )
    with open(path, "rb") as file:
        try:
            found = json.load(file)
        except ValueError as error:
            raise ValueError(f"{owner}: {path} is no JSON: {error}") from None
    for key, kind in _KEYS.items():
        if not isinstance(found, dict) or type(found.get(key)) is not kind:
            raise ValueError(f"{owner}: {path} has no {key} of type {kind.__name__}")
    return found


def remove(folder) -> None:
    """Removes the snapshots."""
    shutil.rmtree(folder, ignore_errors=True)
