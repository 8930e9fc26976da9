"""Datasets as JSON: constructors and arguments by name. A dataset loaded from it has the same rows."""

import enum
import importlib
import inspect
import json
import os

import numpy as np

from dyad import dtype as dtypes
from dyad.dataset import samplers
from dyad.dataset._operation import TensorOperation
from dyad.dataset.schema import Schema

_HOME = "dyad.dataset"


def serialize(dataset, json_filepath=""):
    """The dataset as a dict of names and arguments. It is written to a file, too, if one is named."""
    _require_dataset("serialize", dataset)
    if not isinstance(json_filepath, str):
        raise TypeError(f"serialize: json_filepath is {json_filepath!r}; need a str")
    tree = _of_dataset(dataset)
    if json_filepath:
        with open(json_filepath, "w", encoding="utf-8") as file:
            json.dump(tree, file, indent=2)
    return tree


def deserialize(input_dict=None, json_filepath=None):
    """The dataset that `serialize` has described, in a dict or in a file."""
    if (input_dict is None) == (json_filepath is None):
        raise ValueError("deserialize: need either input_dict or json_filepath")
    if json_filepath is not None:
        try:
            with open(os.fspath(json_filepath), encoding="utf-8") as file:
                input_dict = json.load(file)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"deserialize: the file {json_filepath!r} cannot be read: {error}") from None
    if not isinstance(input_dict, dict) or "op_type" not in input_dict:
        raise ValueError(f"deserialize: input_dict is {input_dict!r}; need what serialize gives")
    return _made(input_dict)


def show(dataset, indentation=2):
    """Prints the dataset as JSON."""
    print(json.dumps(serialize(dataset), indent=indentation))


def compare(pipeline1, pipeline2):
    """Returns whether two datasets are constructed in the same way."""
    return serialize(pipeline1) == serialize(pipeline2)


def _require_dataset(owner, dataset):
    if not hasattr(dataset, "made_with"):
        raise TypeError(f"{owner}: got {dataset!r} of type {type(dataset).__name__}; need a Dataset")


def _path_of(kind):
    return f"{kind.__module__}:{kind.__qualname__}"


def _of_dataset(dataset):
    signature = inspect.signature(type(dataset).__init__)
    bound = signature.bind(dataset, *dataset.made_with[0], **dataset.made_with[1])
    bound.apply_defaults()
    arguments = {name: _plain(value) for name, value in list(bound.arguments.items())[1:]}
    tree = {"op_type": type(dataset).__name__, "class": _path_of(type(dataset)), "arguments": arguments}
    if getattr(dataset, "replaced_sampler", False):
        tree["sampler"] = _plain(dataset.sampler)
    return tree


def _plain(value):
    """A value as JSON stores it; other values are a dict with one key that names their type."""
    if value is None or (isinstance(value, (bool, int, float, str)) and not isinstance(value, enum.Enum)):
        return value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    for kinds, encode in _ENCODERS:
        if isinstance(value, kinds):
            return encode(value)
    if hasattr(value, "made_with"):
        return _of_dataset(value)
    if isinstance(value, type(dtypes.float32)):
        return {"$dtype": str(value)}
    return {"$python": getattr(value, "__qualname__", type(value).__qualname__)}


def _state(value):
    kept = value.__getstate__() if isinstance(value, TensorOperation) else vars(value)
    return {name: _plain(item) for name, item in kept.items()}


_ENCODERS = (
    (enum.Enum, lambda value: {"$enum": [_path_of(type(value)), value.name]}),
    (tuple, lambda value: {"$tuple": [_plain(item) for item in value]}),
    (dict, lambda value: {"$dict": [[_plain(key), _plain(item)] for key, item in value.items()]}),
    (np.ndarray, lambda value: {"$array": [value.tolist(), value.dtype.str]}),
    (np.generic, lambda value: {"$array": [value.tolist(), value.dtype.str]}),
    (bytes, lambda value: {"$bytes": value.hex()}),
    (Schema, lambda value: {"$schema": json.loads(value.to_json())}),
    (
        (TensorOperation, samplers.BuiltinSampler),
        lambda value: {"$object": [_path_of(type(value)), _state(value)]},
    ),
)


def _restored(value):
    """The value that `_plain` has described."""
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "op_type" in value:
        return _made(value)
    kind, content = next(iter(value.items()))
    if kind not in _DECODERS:
        raise RuntimeError(
            f"deserialize: the Python object {content!r} is not part of the description; make it anew"
        )
    return _DECODERS[kind](content)


def _class(path):
    """A class of the package; a description must not load anything else."""
    module, _, name = path.partition(":")
    if module != _HOME and not module.startswith(f"{_HOME}."):
        raise RuntimeError(f"deserialize: {path!r} is not a class of {_HOME}, and only those are made")
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        raise RuntimeError(f"deserialize: there is no {path!r}") from None
    if not isinstance(found, type):
        raise RuntimeError(f"deserialize: {path!r} is no class")
    return found


def _object(content):
    kind, state = _class(content[0]), content[1]
    made = kind.__new__(kind)
    made.__dict__.update({name: _restored(value) for name, value in state.items()})
    return made


_DECODERS = {
    "$enum": lambda content: _class(content[0])[content[1]],
    "$tuple": lambda content: tuple(_restored(item) for item in content),
    "$dict": lambda content: {_restored(key): _restored(item) for key, item in content},
    "$array": lambda content: np.array(content[0], dtype=np.dtype(content[1])),
    "$bytes": bytes.fromhex,
    "$schema": lambda content: _schema(content),
    "$object": _object,
    "$dtype": lambda content: getattr(dtypes, content.lower()),
}


def _schema(content):
    schema = Schema()
    schema.from_json(content)
    return schema


def _made(tree):
    """The dataset that a description is of."""
    arguments = {name: _restored(value) for name, value in tree["arguments"].items()}
    kind = _class(tree["class"])
    given, names = {}, inspect.signature(kind.__init__).parameters
    for name, value in arguments.items():
        if names[name].kind is inspect.Parameter.VAR_KEYWORD:
            given.update(value)
        else:
            given[name] = value
    dataset = kind(**given)
    if "sampler" in tree:
        dataset.sampler, dataset.replaced_sampler = _restored(tree["sampler"]), True
    return dataset
