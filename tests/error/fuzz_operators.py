"""Throws random Python objects at every operator. Run as a script: `fuzz_operators.py SEED CALLS_PER_OPERATOR`.

An error of a class that Python programs expect is fine. Anything else, a message that admits an internal error, or a
crash is a fault; each call is written down before it is made, so that the last line of a crashed run names it.
"""

import faulthandler
import os
import random
import resource
import sys
import warnings

import numpy as np

from dyad import Tensor, _core, ops

CLEAN = (
    TypeError,
    ValueError,
    IndexError,
    RuntimeError,
    OverflowError,
    MemoryError,
    AttributeError,
    KeyError,
    ZeroDivisionError,
)
# Enough for every honest allocation of these small objects; a request beyond it must end as a MemoryError.
ADDRESS_SPACE = 16 << 30
SECONDS_PER_CALL = 30


class Strange:
    """An object that answers questions about itself with errors."""

    def __index__(self):
        raise KeyError("no index")

    def __float__(self):
        raise ValueError("no float")

    def __len__(self):
        return -1

    def __repr__(self):
        raise RuntimeError("no repr")


def self_containing():
    items = [1]
    items.append(items)
    return items


def tensor(rng):
    shape = rng.choice(
        [(), (1,), (3,), (2, 3), (2, 3, 4), (0,), (2, 0), (1, 2, 3, 4), (2, 1, 4, 4), (4, 4), (5,)]
    )
    dtype = rng.choice(
        ["float32"] * 6 + ["float64", "float16", "int32", "int64", "int64", "uint8", "bool", "complex64"]
    )
    values = np.array([rng.choice([0, 1, -1, 2, 3, 100, -100, 0.5]) for _ in range(int(np.prod(shape)))])
    if dtype.startswith("float") and rng.random() < 0.2:
        values = values * rng.choice([np.nan, np.inf, 1e38])
    with np.errstate(all="ignore"):
        made = Tensor(values.reshape(shape).astype(dtype))
    if rng.random() < 0.1:
        made = Tensor(made, _core.bfloat16)
    return made[..., ::-1] if made.ndim and rng.random() < 0.3 else made


def number(rng):
    return rng.choice(
        [0, 1, 2, 3, -1, -2, 5, 7, 0.0, 0.5, -1.5, True, False, 1j, float("nan"), float("inf"), -float("inf")]
        + [2**48, -(2**31) - 1, 2**45, -(2**62) - 1, -(2**63), 2**63 - 1, 2**64, 1e308, 1e-308]
    )


def ints(rng):
    return tuple(rng.choice([0, 1, 2, 3, -1, -2, 4, 2**45, -(2**63)]) for _ in range(rng.randrange(5)))


def text(rng):
    return rng.choice(["", "mean", "same", "sum", "none", "valid", "a" * 100, "\udcff", "é", "ij,jk->ik"])


def thing(rng):
    return rng.choice(
        [
            None,
            object(),
            Strange(),
            Strange,
            {},
            {1: 2},
            set(),
            b"bytes",
            ...,
            slice(None),
            range(3),
            print,
            np.ones(2),
        ]
        + [
            np.float32(1),
            np.int64(3),
            np.bool_(True),
            int,
            float,
            [],
            (),
            [[]],
            [1, "a"],
            [None],
            self_containing(),
        ]
        + [_core.float32, _core.int64, _core.bfloat16, np.float32, "float32", np.array(["a"]), Tensor]
    )


def fitting(rng, kind):
    """Something of the kind that the parameter asks for, sensible or not."""
    if kind in ("Tensor", "Operand"):
        return tensor(rng)
    if kind == "Tensors":
        return [tensor(rng) for _ in range(rng.randrange(4))]
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "str":
        return text(rng)
    if kind == "dtype":
        return rng.choice([_core.float32, _core.int32, _core.bool_, _core.complex64, _core.bfloat16, None])
    if kind == "ints":
        return rng.choice([ints(rng), number(rng), rng.randrange(-3, 4)])
    if kind == "sizes":
        return rng.choice([ints(rng), None, rng.randrange(-3, 4), (None, 2), [2, None, 1]])
    if kind == "floats":
        return rng.choice([number(rng), (0.5, 1.0), ()])
    return rng.choice([number(rng), rng.randrange(-3, 5)])


def argument(rng, kind):
    if rng.random() < 0.85:
        return fitting(rng, kind)
    return rng.choice([thing, tensor, number, ints, text])(rng)


def shown(value):
    if isinstance(value, Tensor):
        return f"Tensor{tuple(value.shape)}:{value.dtype}"
    if isinstance(value, list | tuple) and all(not isinstance(v, list) for v in value):
        return f"[{', '.join(shown(v) for v in value)}]"
    return (
        repr(value) if isinstance(value, bool | int | float | complex | str | None) else type(value).__name__
    )


def faces_of(op):
    """(name, callable, parameters) of what a program can call; an operator without such a face goes by its own name."""
    faces = [(f"ops.{face['name']}", getattr(ops, face["name"]), face["params"]) for face in op["functions"]]
    first = op["params"][:1]
    faces += [
        (f"Tensor.{face['name']}", getattr(Tensor, face["name"]), first + face["params"])
        for face in op["methods"]
    ]
    return faces or [(op["name"], _core.named_op(op["name"]), op["params"])]


def calls(rng, op):
    """(text, callable) of one random call through a random face."""
    name, function, params = rng.choice(faces_of(op))
    args = [argument(rng, param["kind"]) for param in params]
    if rng.random() < 0.3:
        args = args[: rng.randrange(len(args) + 1)]
    if rng.random() < 0.05:
        args += [thing(rng)] * rng.randrange(1, 20)
    positional = [a for a, p in zip(args, params, strict=False) if not p.get("keyword_only")] + args[
        len(params) :
    ]
    keywords = {p["name"]: a for a, p in zip(args, params, strict=False) if p.get("keyword_only")}
    if rng.random() < 0.03:
        keywords["strange"] = 1
    listed = [*map(shown, positional), *(f"{key}={shown(value)}" for key, value in keywords.items())]
    return f"{name}({', '.join(listed)})", lambda: function(*positional, **keywords)


def fault_of(call):
    try:
        result = call()
        for item in result if isinstance(result, tuple | list) else [result]:
            if isinstance(item, Tensor) and item.size < 10**6:
                item.asnumpy()
    except CLEAN as error:
        try:
            message = str(error)
        except UnicodeError:
            return "the message is no text"
        if "internal error" in message or "another kind was expected" in message:
            return f"{type(error).__name__}: {message}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return None


def main(seed, calls_per_operator):
    warnings.simplefilter("ignore")
    # AddressSanitizer takes terabytes of addresses for itself, and has a limit of its own (see debug_variables in dev).
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    faulthandler.enable()
    faults = 0
    for op in _core.op_table():
        rng = random.Random(f"{seed} {op['name']}")
        for _ in range(calls_per_operator):
            label, call = calls(rng, op)
            print("call", label.encode("ascii", "backslashreplace").decode(), file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(SECONDS_PER_CALL, exit=True)
            fault = fault_of(call)
            faulthandler.cancel_dump_traceback_later()
            if fault:
                faults += 1
                print("fault", label.encode("ascii", "backslashreplace").decode(), "->", fault, flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
