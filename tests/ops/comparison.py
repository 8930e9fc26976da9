"""Compares results with NumPy references, values and dtypes."""

import warnings

import numpy as np
import scipy.special
from arrays import Array, dtype_name, numpy_type, round_to, values_of
from counted import note_comparison
from faces import default_of
from promotion import kind, promote_all
from reference import ref
from samples import Case, is_operand

from dyad._core import DType

# Relative error allowed per dtype; the absolute one is this times the largest magnitude of the reference, as sums
# lose digits by cancellation. Integers and bools are exact.
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float32": 1e-5,
    "float64": 1e-10,
    "complex64": 1e-5,
    "complex128": 1e-10,
}


def expected(op: dict, case: Case):
    """Results of the entry's NumPy expression, as a list."""
    names = {param["name"]: _plain(default_of(param)) for param in op["params"]}
    names |= {name: _plain(value) for name, value in case.arguments.items()}
    if case.meets:
        common = numpy_type(promote_all(case.operand_dtypes()))
        for name, value in case.arguments.items():
            if is_operand(value):
                names[name] = np.asarray(names[name]).astype(common)
    results = _evaluate(op["numpy"], names)
    if any(result.dtype == np.float16 for result in results):
        # NumPy computes functions of 8-bit integers in float16, which is coarser than anything promised here.
        names = {name: _at_least_int32(value) for name, value in names.items()}
        results = _evaluate(op["numpy"], names)
    return results


def _evaluate(expression: str, names: dict) -> list:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = eval(expression, {"np": np, "special": scipy.special, "ref": ref}, names)
    return [np.asarray(item) for item in (result if isinstance(result, tuple | list) else [result])]


def _at_least_int32(value):
    narrow = isinstance(value, np.ndarray) and value.dtype in (np.int8, np.uint8)
    return value.astype(np.int32) if narrow else value


def _plain(value):
    if isinstance(value, Array):
        return value.data
    if isinstance(value, list | tuple):
        return type(value)(_plain(item) for item in value)
    return numpy_type(dtype_name(value)) if isinstance(value, DType) else value


def difference(op: dict, result, reference: np.ndarray) -> str:
    """Fault of a result's shape or values; empty if there is none."""
    note_comparison()
    name = dtype_name(result.dtype)
    if tuple(result.shape) != reference.shape:
        return f"shape {tuple(result.shape)}, NumPy gives {reference.shape}"
    if values_are_free(op):
        return ""
    given = values_of(result)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = round_to(reference, name)
        if name not in TOLERANCE:
            close = given == wanted
        else:
            finite = wanted[np.isfinite(wanted)]
            scale = max(1.0, float(np.abs(finite).max(initial=0)))
            tolerance = TOLERANCE[name]
            close = np.isclose(
                given, wanted, rtol=tolerance, atol=tolerance * min(scale, 1e30), equal_nan=True
            )
    if np.all(close):
        return ""
    at = tuple(int(i) for i in np.argwhere(~close)[0]) if close.ndim else ()
    return f"{given[at]} at {at}, NumPy gives {wanted[at]} ({int(np.sum(~close))} of {close.size} differ)"


def dtype_fault(op: dict, case: Case, result, reference: np.ndarray) -> str:
    """Fault of a result's dtype. Its kind is NumPy's; its width follows the promotion rules."""
    name = dtype_name(result.dtype)
    numpy_kind = {"u": "i"}.get(reference.dtype.kind, reference.dtype.kind)
    if kind(name) != numpy_kind:
        return f"dtype {name}, NumPy gives {reference.dtype}"
    if case.arguments.get("dtype") is not None and isinstance(case.arguments["dtype"], DType):
        wanted = dtype_name(case.arguments["dtype"])
        return "" if name == wanted or kind(wanted) != kind(name) else f"dtype {name}, asked for {wanted}"
    if name == "float64" == reference.dtype:
        return ""
    wanted = _width(op, case, kind(name))
    return f"dtype {name}, the promotion rules give {wanted}" if wanted and wanted != name else ""


def _width(op, case, result_kind):
    dtypes = case.operand_dtypes() if case.meets else [array.dtype for array in case.arrays()]
    common = promote_all(dtypes)
    if common is None:
        return None
    if result_kind == kind(common):
        # Sums of narrow integers are wider; only elementwise operators promise the width of integers.
        same_floats = len({d for d in dtypes if isinstance(d, str) and kind(d) == "f"}) == 1
        return common if (case.meets and op["elementwise"]) or (kind(common) == "f" and same_floats) else None
    if op["elementwise"] and result_kind == "f" and kind(common) in "bi":
        return "float32"
    if result_kind == "f" and kind(common) == "c":
        return "float64" if common == "complex128" else "float32"
    return None


def values_are_free(op: dict) -> bool:
    """True if only dtype and shape are defined: memory that is not initialized."""
    return op["numpy"].startswith("ref.any_values")


def same_specs(a, b) -> bool:
    """True if results agree in dtype and shape."""
    note_comparison()
    return [(x.dtype, tuple(x.shape)) for x in a] == [(y.dtype, tuple(y.shape)) for y in b]


def near(a, b) -> bool:
    """True if two results are equal up to the order of additions."""
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b, strict=True))
    if not same_specs([a], [b]):
        return False
    tolerance = TOLERANCE.get(dtype_name(a.dtype))
    if tolerance is None or same(a, b):
        return same(a, b)
    ours, theirs = values_of(a), values_of(b)
    scale = min(max(1.0, float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0))), 1e30)
    with np.errstate(all="ignore"):
        return np.allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


def same(a, b) -> bool:
    """True if two results are equal to the bit, including NaNs."""
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    note_comparison()
    return (
        a.dtype == b.dtype
        and tuple(a.shape) == tuple(b.shape)
        and bool(np.array_equal(values_of(a), values_of(b), equal_nan=True))
    )
