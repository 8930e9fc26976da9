"""Checks of the arguments of datasets and transforms; `owner` is the public class that the errors name."""

import math
import numbers
import os

import numpy

from dyad import dtype as dtypes
from dyad._src.base import argument_checks

_LARGEST_SIZE = 16777216
_LARGEST_INT32 = 2147483647
_NAMES = {
    kind.name
    for kind in (
        dtypes.bool_,
        dtypes.int8,
        dtypes.int16,
        dtypes.int32,
        dtypes.int64,
        dtypes.uint8,
        dtypes.uint16,
        dtypes.uint32,
        dtypes.uint64,
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex64,
        dtypes.complex128,
    )
}


def _is_of(value, kinds):
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _either(kinds):
    return " or ".join(kind.__name__ for kind in kinds)


def require_type(owner, name, value, *kinds):
    """The value, which must be an instance of one of the types; a bool counts as bool only."""
    if _is_of(value, kinds):
        return value
    raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need {_either(kinds)}")


def require_range(owner, name, value, low, high):
    """The value, which must be in [low, high]."""
    if not low <= value <= high:
        raise ValueError(f"{owner}: {name} is {value}; need a value in [{low}, {high}]")
    return value


def require_int(owner, name, value, low=0, high=_LARGEST_INT32):
    """An int in [low, high]."""
    return require_range(owner, name, require_type(owner, name, value, int), low, high)


def dtype_name(owner, name, value):
    """The name of a dtype of the framework, or of one that stands for a NumPy dtype."""
    if isinstance(value, dtypes.Type):
        return value.name
    try:
        found = None if value is None or isinstance(value, int) else numpy.dtype(value).name
    except TypeError:
        found = None
    found = "bool_" if found == "bool" else found
    if found not in _NAMES:
        raise TypeError(f"{owner}: {name} is {value!r}; need a dtype such as float32 or numpy.float32")
    return found


def filling(owner, name, value):
    """Attributes of a constant that fills arrays of numbers or of strings."""
    require_type(owner, name, value, bool, int, float, str, bytes)
    if isinstance(value, (str, bytes)):
        return {"text": decoded(owner, name, value)}
    try:
        return {"number": numpy.array(value, numpy.int64 if isinstance(value, int) else numpy.float64)}
    except OverflowError as error:
        raise ValueError(f"{owner}: {name} is {value}; need a number of at most 64 bits") from error


def decoded(owner, name, value):
    """A str of a str or of bytes in UTF-8."""
    try:
        return value if isinstance(value, str) else value.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{owner}: {name} is {value!r}; need bytes in UTF-8") from error


# Image transforms.


def require_kind(owner, name, value, *kinds):
    """As `require_type`; messages of image transforms have the word "type"."""
    if _is_of(value, kinds):
        return value
    raise TypeError(
        f"{owner}: {name} is {value!r} of type {type(value).__name__}; need type {_either(kinds)}"
    )


def integer(owner, name, value, low=0, high=_LARGEST_INT32):
    """An int in [low, high]."""
    return require_range(owner, name, require_kind(owner, name, value, int), low, high)


def number(owner, name, value, low=-float("inf"), high=float("inf")):
    """A real number in [low, high], as a float."""
    require_kind(owner, name, value, numbers.Real)
    return float(require_range(owner, name, value, low, high))


def probability(owner, value, name="prob"):
    """A number in [0, 1]."""
    return number(owner, name, value, 0.0, 1.0)


def sequence(owner, name, value, *lengths):
    """A list or tuple with one of the lengths, as a list."""
    require_kind(owner, name, value, list, tuple)
    if len(value) not in lengths:
        wanted = " or ".join(map(str, lengths))
        raise ValueError(f"{owner}: {name} is {value!r} with {len(value)} values; need {wanted}")
    return list(value)


def size_pair(owner, size, name="size", square=True):
    """[height, width] of an int or a pair; [side] of an int that does not mean a square."""
    if isinstance(size, int):
        side = integer(owner, name, int(size), 1, _LARGEST_SIZE)
        return [side, side] if square else [side]
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise TypeError(f"{owner}: {name} is {size!r}; need an int or a pair (height, width) of them")
    return [integer(owner, f"{name}[{i}]", side, 1, _LARGEST_SIZE) for i, side in enumerate(size)]


def paddings(owner, padding):
    """[left, top, right, bottom] of one int, of (left and right, top and bottom), or of four."""
    if not isinstance(padding, (list, tuple)):
        return [integer(owner, "padding", padding)] * 4
    sides = [
        integer(owner, f"padding[{i}]", side)
        for i, side in enumerate(sequence(owner, "padding", padding, 2, 4))
    ]
    return sides if len(sides) == 4 else sides * 2


def fill_values(owner, fill_value):
    """Three ints in [0, 255] of one int or of a tuple of three."""
    if isinstance(fill_value, int):
        return [integer(owner, "fill_value", fill_value, 0, 255)] * 3
    if not isinstance(fill_value, tuple) or len(fill_value) != 3:
        raise TypeError(f"{owner}: fill_value is {fill_value!r}; need an int or a tuple of three")
    return [integer(owner, f"fill_value[{i}]", value, 0, 255) for i, value in enumerate(fill_value)]


def ascending_pair(owner, name, value):
    """[low, high] with 0 <= low <= high and high > 0."""
    low, high = (
        number(owner, f"{name}[{i}]", x, 0, _LARGEST_SIZE)
        for i, x in enumerate(sequence(owner, name, value, 2))
    )
    if low > high:
        raise ValueError(f"{owner}: {name} is {value!r}; need (smallest, largest)")
    if high == 0:
        raise ValueError(f"{owner}: {name} is {value!r}; need the largest above 0")
    return [low, high]


# Audio transforms.


def finite(owner, name, value):
    """A finite number, as a float."""
    require_type(owner, name, value, numbers.Real)
    if not math.isfinite(value):
        raise ValueError(f"{owner}: {name} is {value}; need a finite number")
    return float(value)


def positive(owner, name, value):
    """A number above 0."""
    if finite(owner, name, value) <= 0:
        raise ValueError(f"{owner}: {name} is {value}; need a number above 0")
    return float(value)


def at_least(owner, name, value, low):
    """A number that is not below `low`."""
    if finite(owner, name, value) < low:
        raise ValueError(f"{owner}: {name} is {value}; need a number of at least {low}")
    return float(value)


def fraction(owner, name, value, low=0.0, high=1.0):
    """A number in [low, high]."""
    return require_range(owner, name, finite(owner, name, value), low, high)


def optional(check, owner, name, value, *rest):
    """None, or what the check makes of the value."""
    return None if value is None else check(owner, name, value, *rest)


def sample_rate(owner, value):
    """Samples per second: an int other than 0."""
    require_type(owner, "sample_rate", value, int)
    if value == 0:
        raise ValueError(f"{owner}: sample_rate is 0; need an int other than 0")
    return value


# Sources.


def require_path(owner, name, value):
    """A path as a str."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a str")
    return os.fspath(value)


def require_folder(owner, value, name="dataset_dir"):
    """The path of a directory that exists."""
    path = require_path(owner, name, value)
    if not os.path.isdir(path):
        raise ValueError(f"{owner}: {name} is {path!r}; the folder does not exist or is not a directory")
    if not os.access(path, os.R_OK | os.X_OK):
        raise ValueError(f"{owner}: {name} is {path!r}; the folder cannot be read: permission denied")
    return path


def require_file(owner, value, name):
    """The path of a file that exists."""
    path = require_path(owner, name, value)
    if not os.path.isfile(path):
        raise ValueError(f"{owner}: {name} is {path!r}; the file does not exist")
    if not os.access(path, os.R_OK):
        raise ValueError(f"{owner}: {name} is {path!r}; the file cannot be read: permission denied")
    return path


def optional_choice(owner, name, value, accepted):
    """One of the accepted strings, or None."""
    return None if value is None else argument_checks.require_choice(owner, name, value, accepted)


def optional_bool(owner, name, value):
    """A bool, or None."""
    return None if value is None else argument_checks.require_bool(owner, name, value)


def check_num_samples(owner, num_samples):
    """The maximum number of rows; None and 0 mean all."""
    if num_samples is not None:
        argument_checks.require_int(owner, "num_samples", num_samples, 0)


def check_workers(owner, num_parallel_workers):
    """Number of threads that read; None uses that of the pipeline."""
    if num_parallel_workers is not None:
        argument_checks.require_int(owner, "num_parallel_workers", num_parallel_workers, 1)


def check_shards(owner, num_shards, shard_id):
    """Both or none, and the shard one of them."""
    if num_shards is None and shard_id is None:
        return
    if shard_id is None:
        raise RuntimeError(
            f"{owner}: num_shards is {num_shards!r} and shard_id is None; num_shards requires shard_id"
        )
    if num_shards is None:
        raise RuntimeError(
            f"{owner}: shard_id is {shard_id!r} and num_shards is None; shard_id requires num_shards"
        )
    argument_checks.require_int(owner, "num_shards", num_shards, 1)
    argument_checks.require_int(owner, "shard_id", shard_id)
    if num_shards > _LARGEST_INT32:
        raise ValueError(f"{owner}: num_shards is {num_shards}; need an int in [1, {_LARGEST_INT32}]")
    if not 0 <= shard_id < num_shards:
        raise ValueError(f"{owner}: shard_id is {shard_id}; need an int in [0, {num_shards - 1}]")


def check_sampler_alone(owner, sampler, shuffle, num_samples, num_shards, shard_id):
    """Checks that a sampler is the only argument that selects rows."""
    if sampler is None:
        return
    others = {"shuffle": shuffle, "num_samples": num_samples, "num_shards": num_shards, "shard_id": shard_id}
    for name, value in others.items():
        if value is not None:
            what = "sharding" if name in ("num_shards", "shard_id") else name
            raise RuntimeError(
                f"{owner}: sampler and {what} cannot be specified at the same time; {name} is {value!r}, need None"
            )


def check_row_choice(owner, num_samples, shuffle, sampler, num_shards, shard_id):
    """Checks the arguments of a source with random access that select its rows and their order."""
    check_num_samples(owner, num_samples)
    optional_bool(owner, "shuffle", shuffle)
    check_sampler_alone(owner, sampler, shuffle, num_samples, num_shards, shard_id)
    check_shards(owner, num_shards, shard_id)


def require_extensions(owner, extensions):
    """A list of file name extensions; None is an empty one."""
    if extensions is None:
        return []
    if not isinstance(extensions, list):
        raise TypeError(f"{owner}: extensions is {extensions!r}; need a list of str such as ['.jpg']")
    for extension in extensions:
        if not isinstance(extension, str):
            raise TypeError(f"{owner}: extensions has {extension!r}; need str such as '.jpg'")
        if not extension.startswith("."):
            raise ValueError(f"{owner}: extensions has {extension!r}; need a dot in front, such as '.jpg'")
    return extensions


def require_class_indexing(owner, class_indexing):
    """A dict from names of classes to their numbers, or None."""
    if class_indexing is None:
        return None
    if not isinstance(class_indexing, dict):
        raise TypeError(f"{owner}: class_indexing is {class_indexing!r}; need a dict from str to int")
    for name, number in class_indexing.items():
        if not isinstance(name, str):
            raise TypeError(f"{owner}: class_indexing has the key {name!r}; need str")
        argument_checks.require_int(owner, f"class_indexing[{name!r}]", number, 0)
        if number > _LARGEST_INT32:
            raise ValueError(
                f"{owner}: class_indexing[{name!r}] is {number}; need an int up to {_LARGEST_INT32}"
            )
    return class_indexing


def require_decrypt(owner, decrypt):
    """A function from the path of a file to its contents, or None."""
    if decrypt is not None and not callable(decrypt):
        raise TypeError(f"{owner}: decrypt is {decrypt!r}; need a function from a path to bytes")
    return decrypt
