"""Lineage of a result: networks, datasets and settings, as dicts for a string in the event file."""

import os
from typing import Any

from dyad.nn.loss.base import LossBase


def training(run, loss, optimizer) -> dict:
    """The network, its loss and optimizer, and how long it was trained."""
    rate: Any = getattr(optimizer, "learning_rate", None)
    return {
        "network": type(run.network).__name__,
        "loss_function": _class_of(run.get("loss_fn") or _loss_cell(run.get("train_network"))),
        "loss": loss,
        "optimizer": _class_of(optimizer),
        "learning_rate": float(rate.asnumpy().reshape(-1)[0])
        if hasattr(rate, "asnumpy")
        else _class_of(rate),
        "epochs": run.get("epoch_num"),
        "steps": run.get("cur_step_num"),
        "model": _checkpoint(run),
        "train_dataset": dataset(run.get("train_dataset")),
    }


def evaluation(run) -> dict:
    """The metrics and what they were measured on."""
    return {"metrics": run.get("metrics"), "valid_dataset": dataset(run.get("valid_dataset"))}


def dataset(given) -> list:
    """The stages of a data pipeline from its end to its source, each a dict of its class and sizes."""
    stages: list = []
    while given is not None:
        paths = {
            name: getattr(given, name) for name in ("dataset_dir", "dataset_files") if hasattr(given, name)
        }
        stages.append({"stage": type(given).__name__, **({} if stages else _sizes(given)), **paths})
        given = next(iter(getattr(given, "children", ())), None)
    return stages


def _sizes(given):
    methods = (("batches", "get_dataset_size"), ("batch_size", "get_batch_size"))
    return {key: getattr(given, method)() for key, method in methods if hasattr(given, method)}


def _class_of(value):
    return None if value is None else type(value).__name__


def _loss_cell(network):
    cells = () if network is None else (cell for _, cell in network.cells_and_names())
    return next((cell for cell in cells if isinstance(cell, LossBase)), None)


def _checkpoint(run):
    """The newest checkpoint that a callback of this run has saved."""
    names = [getattr(each, "latest_ckpt_file_name", None) for each in run.get("list_callback") or ()]
    path = next((name for name in names if name), None)
    size = os.path.getsize(path) if path and os.path.exists(path) else 0
    return {"ckpt": os.path.realpath(path) if path else None, "bytes": size}
