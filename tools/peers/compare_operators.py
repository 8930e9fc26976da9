"""Compares operators with other frameworks over the samples of the operator table. For development; not part of CI.

Usage: compare_operators.py --peer mindspore=PYTHON [--peer torch=PYTHON] [--match TEXT] [--most N] [--out FILE]

PYTHON is the interpreter that has the framework. Every function of `ops` that the table gives an operator is called
with the arguments of its samples (dtypes, shapes, layouts, special values), N of each sample at most, here and there,
in processes of their own. Differences are listed by kind: values, dtypes, shapes, and what only we raise; calls that
only the other refuses are counted. A process that dies is started again behind the call that ended it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections import defaultdict
from itertools import islice
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/ops")]
SECONDS = 1800
REFUSED_THERE = "only the other raises"
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-30, 1e30, -1e30, np.inf, -np.inf, np.nan)


def recorded_cases(match: str, most: int) -> list:
    """(function, {parameter: value}) of samples, and of special values for functions of one float tensor."""
    from samples import expand

    from dyad import _core

    calls = []
    for op in _core.op_table():
        if op["random"] or op["writes"] >= 0 or op["updates"] or match not in op["name"]:
            continue
        for face in op["functions"]:
            for text in op["samples"]:
                for case in islice(expand(op, text), most):
                    arguments = _of_face(face, case.arguments)
                    if arguments is not None:
                        calls.append((face["name"], arguments))
            if op["elementwise"] and len(op["params"]) == 1:
                special = ("array", np.array(SPECIAL, np.float32), "float32")
                calls.append((face["name"], {face["params"][0]["name"]: special}))
    return calls


def _of_face(face: dict, arguments: dict) -> dict | None:
    """Arguments in the order of a function's parameters, up to the last one given; None if one has no parameter."""
    names = {param["target"]: param["name"] for param in face["params"]}
    if not arguments.keys() <= names.keys():
        return None
    given = {}
    for param in face["params"]:
        if param["target"] not in arguments:
            break
        given[param["name"]] = _plain(arguments[param["target"]])
    return given if len(given) == len(arguments) else None


def _plain(value):
    from arrays import Array

    from dyad import _core

    if isinstance(value, Array):
        return ("array", value.data, value.dtype)
    if isinstance(value, _core.DType):
        return ("dtype", str(value).lower().replace("bool", "bool_").replace("bool__", "bool_"))
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(member) for member in value)
    return value


def outcomes(framework: str, python: str, cases: Path, count: int, folder: Path) -> list:
    """Outcome of every call in a framework; ("ended",) for one that ended the process."""
    results = folder / f"{framework}.results"
    results.touch()
    while (done := _read(results)) is not None and len(done) < count:
        command = [python, str(ROOT / "tools/peers/run_cases.py"), framework, cases, results, str(len(done))]
        environment = {"PYTHONPATH": str(ROOT / "python")} if framework == "dyad" else {}
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                list(map(str, command)),
                timeout=SECONDS,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **environment},
            )
        after = _read(results)
        if len(after) < count:
            with results.open("ab") as file:
                pickle.dump(("ended",), file)
    return _read(results)


def _read(path: Path) -> list:
    found = []
    with path.open("rb") as file:
        while True:
            try:
                found.append(pickle.load(file))
            except EOFError:
                return found


def difference(ours, theirs) -> str | None:
    """Describes the difference of two outcomes, or None. An operator missing on the other side is not a difference."""
    if theirs[0] in ("missing", "ended"):
        return None if theirs[0] == "missing" else "the process of the other ends"
    if ours[0] != "gave" or theirs[0] != "gave":
        if ours[0] == theirs[0]:
            return None if ours[1] == theirs[1] else f"raises {ours[1]}, the other {theirs[1]}"
        return f"only we raise {ours[1]}" if ours[0] == "raised" else f"{REFUSED_THERE} {theirs[1]}"
    if len(ours[1]) != len(theirs[1]):
        return "number of results"
    for (dtype, array), (other_dtype, other) in zip(ours[1], theirs[1], strict=True):
        if array.shape != other.shape:
            return f"shape {array.shape}, the other {other.shape}"
        if dtype != other_dtype:
            return f"dtype {dtype}, the other {other_dtype}"
        if not _close(dtype, array, other):
            return "values"
    return None


def _close(dtype: str, array: np.ndarray, other: np.ndarray) -> bool:
    if array.dtype.kind not in "fc":
        return bool((array == other).all())
    tolerance = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-7, "complex128": 1e-7}.get(dtype, 2e-4)
    return bool(np.allclose(array, other, rtol=tolerance, atol=tolerance, equal_nan=True))


def shown(case) -> str:
    """Abbreviates a call."""
    function, arguments = case

    def short(value):
        if isinstance(value, tuple) and value and value[0] == "array":
            few = f" {value[1].tolist()}" if value[1].size <= 6 else ""
            return f"{value[2]}{list(value[1].shape)}{few}"
        return repr(value)

    return f"{function}({', '.join(f'{name}={short(value)}' for name, value in arguments.items())})"


def report(peer: str, cases: list, ours: list, theirs: list) -> str:
    """The differences, by function and kind, each with its count and first example."""
    found: dict = defaultdict(list)
    compared = 0
    for case, mine, other in zip(cases, ours, theirs, strict=True):
        compared += other[0] not in ("missing",)
        kind = difference(mine, other)
        if kind is not None:
            found[(case[0], kind)].append((case, mine, other))
    lines = [
        f"# {peer}: {compared} of {len(cases)} calls compared, {sum(map(len, found.values()))} differ",
        "",
    ]
    refused = {key: group for key, group in found.items() if key[1].startswith(REFUSED_THERE)}
    lines += [f"Refused by the other only: {sum(map(len, refused.values()))} calls.", ""]
    for (function, kind), group in sorted((key, group) for key, group in found.items() if key not in refused):
        case, mine, other = group[0]
        lines.append(f"- {function}: {kind} ({len(group)}): {shown(case)}")
        if kind == "values":
            lines.append(f"  ours {_few(mine)}, theirs {_few(other)}")
        elif "raise" in kind:
            lines.append(f"  {(mine if mine[0] == 'raised' else other)[2]!r}")
    return "\n".join(lines) + "\n"


def _few(outcome) -> str:
    return ", ".join(str(array.ravel()[:8].tolist()) for _, array in outcome[1])[:300]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", action="append", default=[], help="mindspore=PYTHON or torch=PYTHON")
    parser.add_argument("--match", default="")
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--out")
    options = parser.parse_args()
    cases = recorded_cases(options.match, options.most)
    pages = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "cases"
        path.write_bytes(pickle.dumps(cases))
        ours = outcomes("dyad", sys.executable, path, len(cases), folder)
        for peer in options.peer:
            framework, _, python = peer.partition("=")
            theirs = outcomes(framework, python, path, len(cases), folder)
            pages.append(report(framework, cases, ours, theirs))
    text = "\n".join(pages)
    if options.out:
        Path(options.out).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
