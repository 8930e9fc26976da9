"""Objects and calls whose state a static graph neither guards nor journals."""

import array
import collections
import contextlib
import contextvars
import copy
import functools
import io
import os
import pickle
import threading
import types
import warnings

import numpy as np
from rejection import rejected

from dyad import Tensor

S = Tensor(5.0)

_ARRAY = np.zeros(2)
_BYTES = bytearray(b"ab")
_CHOSEN = contextvars.ContextVar("chosen", default=2)
_LOCAL = threading.local()
_LOCAL.k = 2
_LOCK = threading.Lock()
_PROXY = types.MappingProxyType({"a": 1})
_USER = collections.UserDict(a=1)
_CHAIN = collections.ChainMap({}, {"a": 1})
_TEXT = io.StringIO()
_KINDS = array.array("i", [1, 2])


def begin_again():
    _ARRAY[:] = 0
    del _BYTES[2:], _KINDS[2:]
    _TEXT.seek(0)
    _TEXT.truncate()


def outside():
    """State that the programs of this file change."""
    return _ARRAY, bytes(_BYTES), list(_KINDS), _TEXT.getvalue(), _LOCK.locked()


@rejected(S, words="ndarray", before=begin_again, watch=outside)
def array_from_outside_added_to(x):
    a = _ARRAY
    a += 1  # here
    return x * float(a[0])


@rejected(S, words="ndarray", before=begin_again, watch=outside)
def array_from_outside_filled(x):
    _ARRAY.fill(3)  # here
    return x


@rejected(S, words="numpy.add", before=begin_again, watch=outside)
def array_as_output_of_numpy(x):
    np.add(_ARRAY, 1, out=_ARRAY)  # here
    return x


@rejected(S, words="numpy.copyto", before=begin_again, watch=outside)
def array_copied_to(x):
    np.copyto(_ARRAY, 5)  # here
    return x


@rejected(S, words="ndarray")
def array_changed_in_a_branch(x):
    a = np.zeros(2)
    if x > 0:
        a += 1  # here
    return x * float(a[0])


@rejected(S, words="ndarray", before=begin_again, watch=outside)
def view_of_an_array_from_outside_written(x):
    part = _ARRAY[:1]
    part += 4  # here
    return x


@rejected(S, words="bytearray", before=begin_again, watch=outside)
def bytes_from_outside_changed(x):
    _BYTES.append(3)  # here
    return x


@rejected(S, words="array.append", before=begin_again, watch=outside)
def numbers_from_outside_changed(x):
    _KINDS.append(3)  # here
    return x


@rejected(S, words="ContextVar")
def context_variable(x):
    return x * _CHOSEN.get()  # here


@rejected(S, words="_Environ")
def environment(x):
    return x * len(os.environ)  # here


@rejected(S, words="_local")
def thread_local(x):
    return x * _LOCAL.k  # here


@rejected(S, words="mappingproxy")
def read_only_view_of_a_dict(x):
    return x * _PROXY["a"]  # here


@rejected(S, words="UserDict")
def dict_of_the_library(x):
    return x * _USER["a"]  # here


@rejected(S, words="ChainMap")
def chained_dicts(x):
    return x * _CHAIN["a"]  # here


@rejected(S, words="StringIO", before=begin_again, watch=outside)
def text_written(x):
    _TEXT.write("a")  # here
    return x


@rejected(S, words="lock", before=begin_again, watch=outside)
def lock_held(x):
    with _LOCK:  # here
        return x * 2


@rejected(S, words="warn")
def warning_given(x):
    with warnings.catch_warnings():  # here
        return x


@rejected(S, words="ExitStack")
def stack_of_contexts(x):
    with contextlib.ExitStack():  # here
        return x * 2


@rejected(S, words="StringIO")
def output_redirected(x):
    with contextlib.redirect_stdout(io.StringIO()):  # here
        return x


@rejected(S, words="pickle")
def pickled(x):
    return x * len(pickle.dumps([1]))  # here


class Letter:
    def __str__(self):
        return "a"

    def __hash__(self):
        return 3

    def __eq__(self, other):
        return True

    def __float__(self):
        return 4.0


@rejected(S, words="Letter")
def object_formatted_by_the_library(x):
    return x * len("{}".format(Letter()))  # here


@rejected(S, words="Letter")
def object_as_a_key(x):
    return x * {Letter(): 2}[Letter()]  # here


@rejected(S, words="Letter")
def object_given_to_the_library(x):
    return x * functools.reduce(max, [np.float64(Letter())])  # here


class Watched:
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


class Ending:
    def __del__(self):
        pass


_WATCHED = Watched()
_WATCHED.k = 2


@rejected(S, words="__getattribute__")
def every_attribute_watched(x):
    return x * _WATCHED.k  # here


@rejected(S, words="__del__")
def object_with_an_end(x):
    made = Ending()  # here
    return x if made else x * 2


@functools.lru_cache
def _listed(n):
    return [n]


@rejected(S, words="lru_cache")
def cached_list(x):
    return x * _listed(2)[0]  # here


@rejected(S, words="iterator")
def iterator_moved_in_a_branch(x):
    elements = iter([1, 2, 3])
    if x > 0:
        next(elements)
    return x * next(elements)  # here


@rejected(S, words="__class__")
def class_of_an_object_changed(x):
    made = Letter()
    made.__class__ = Ending  # here
    return x


@rejected(S, words="ndarray", before=begin_again, watch=outside)
def array_given_back_as_it_is(x):
    a = np.asarray(_ARRAY)
    a += 1  # here
    return x


@rejected(S, words="ndarray")
def view_written_in_a_branch(x):
    a = np.zeros(2)
    if x > 0:
        b = a.reshape(2, 1)
        b += 1  # here
    return x * float(a[0])


_NAMED = Tensor([1.0, 2.0])
_NAMED.label = "first"


@rejected(S, words="Tensor with attributes ('label')")
def tensor_with_attributes_is_copied(x):
    return copy.copy(_NAMED) * x  # here
