"""The promotion rules of the specification, written down a second time so that the library can be wrong."""

BOOL = ["bool_"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOAT = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ALL = BOOL + SIGNED + UNSIGNED + FLOAT + COMPLEX

# Tensors of these mix only with their own kind and with bool.
APART = {"uint16", "uint32", "uint64"}


def kind(dtype: str) -> str:
    """'b', 'i', 'f' or 'c'; signed and unsigned integers are one kind."""
    return "b" if dtype in BOOL else "f" if dtype in FLOAT else "c" if dtype in COMPLEX else "i"


def promote(a: str, b: str) -> str | None:
    """dtype of mixing two tensors; None where mixing is a TypeError."""
    if a == b or b in BOOL:
        return a
    if a in BOOL:
        return b
    if a in APART or b in APART:
        return None
    if "c" in (kind(a), kind(b)):
        return "complex128" if {"complex128", "float64"} & {a, b} else "complex64"
    if kind(a) == kind(b) == "f":
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=FLOAT.index)
    if "f" in (kind(a), kind(b)):
        return a if kind(a) == "f" else b
    if "uint8" in (a, b):
        signed = b if a == "uint8" else a
        return "int16" if signed == "int8" else signed
    return max(a, b, key=SIGNED.index)


def promote_number(dtype: str, number: bool | int | float | complex) -> str | None:
    """dtype of mixing a tensor with a Python number; None where mixing is a TypeError."""
    if isinstance(number, bool):
        return dtype
    if isinstance(number, int):
        return None if dtype in APART else "int64" if dtype in BOOL else dtype
    if isinstance(number, float):
        return dtype if kind(dtype) in "fc" else "float32"
    return dtype if kind(dtype) == "c" else "complex128" if dtype == "float64" else "complex64"


def promote_all(operands) -> str | None:
    """dtype in which operands meet, each a dtype name or a Python number: tensors first, then numbers."""
    result = None
    for operand in operands:
        if isinstance(operand, str):
            result = operand if result is None else promote(result, operand)
            if result is None:
                return None
    for operand in operands:
        if not isinstance(operand, str) and result is not None:
            result = promote_number(result, operand)
    return result
