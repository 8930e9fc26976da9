"""Declarations of a user-defined Primitive's arguments, in `__mindspore_signature__`.

The declaration is kept with the class. Nothing follows from it: the dtypes of a call follow from what the operators in
`__call__` compute, and which arguments they change is read off them.
"""

import enum
from dataclasses import dataclass

__all__ = ["Signature", "make_sig", "sig_dtype", "sig_kind", "sig_rw"]


class sig_rw(enum.Enum):
    """Access of an operator to an argument: read, write, or reference."""

    RW_READ = 0
    RW_WRITE = 1
    RW_REF = 2


class sig_kind(enum.Enum):
    """Ways to pass an argument; `KIND_EMPTY_DEFAULT_VALUE` marks a required one."""

    KIND_POSITIONAL_KEYWORD = 0
    KIND_VAR_POSITIONAL = 1
    KIND_KEYWORD_ONLY = 2
    KIND_VAR_KEYWARD = 3
    KIND_EMPTY_DEFAULT_VALUE = 4


class sig_dtype(enum.Enum):
    """Arguments with the same mark are meant to have one dtype."""

    T = 0
    T1 = 1
    T2 = 2
    T3 = 3
    T4 = 4
    T5 = 5
    T6 = 6
    T7 = 7
    T8 = 8
    T9 = 9
    T_EMPTY_DEFAULT_VALUE = 10


@dataclass(frozen=True)
class Signature:
    """One argument of a Primitive."""

    name: str
    rw: sig_rw = sig_rw.RW_READ
    kind: sig_kind = sig_kind.KIND_POSITIONAL_KEYWORD
    default: object = sig_kind.KIND_EMPTY_DEFAULT_VALUE
    dtype: sig_dtype = sig_dtype.T_EMPTY_DEFAULT_VALUE


def make_sig(
    name="var",
    rw=sig_rw.RW_READ,
    kind=sig_kind.KIND_POSITIONAL_KEYWORD,
    default=sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE,
):
    """Declares one argument."""
    return Signature(name, rw, kind, default, dtype)
