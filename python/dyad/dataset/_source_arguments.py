"""Checks of the arguments that sources share; each error names the class, the argument, its value and what is
accepted."""

import os

from dyad._src.base.argument_checks import require_bool, require_choice, require_int

_LARGEST_INT32 = (1 << 31) - 1


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
    return None if value is None else require_choice(owner, name, value, accepted)


def optional_bool(owner, name, value):
    """A bool, or None."""
    return None if value is None else require_bool(owner, name, value)


def check_num_samples(owner, num_samples):
    """The maximum number of rows; None and 0 mean all."""
    if num_samples is not None:
        require_int(owner, "num_samples", num_samples, 0)


def check_workers(owner, num_parallel_workers):
    """Number of threads that read; None uses that of the pipeline."""
    if num_parallel_workers is not None:
        require_int(owner, "num_parallel_workers", num_parallel_workers, 1)


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
    require_int(owner, "num_shards", num_shards, 1)
    require_int(owner, "shard_id", shard_id)
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
        require_int(owner, f"class_indexing[{name!r}]", number, 0)
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
