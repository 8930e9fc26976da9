"""Element types and constants of `dyad.numpy`; int_, float_ and uint are those of 32 bits."""

from dyad._core import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

int_, float_, uint = int32, float32, uint32
pi = 3.141592653589793
inf = PINF = float("inf")
NINF = -inf
nan = float("nan")

__all__ = [
    "NINF",
    "PINF",
    "bool_",
    "float16",
    "float32",
    "float64",
    "float_",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "nan",
    "pi",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
