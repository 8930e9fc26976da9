"""Runs real packages for MindSpore on this tree and prints what works, a row per model.

Usage: run.py [CLIENT ...] [--match TEXT] [--first] [--seconds N] [--rows FILE] [--checkout DIR] [--mindspore PYTHON]

A client is mindcv, mindflow, mindnlp-0.2.4, mindnlp-0.3.1, mindnlp-0.4.1, mindone, mindvision or mindyolo. Each gets
an environment of its own under build/clients, with the package from PyPI but without MindSpore; the tree is put on its
path and stands in for it. Every model runs in a process of its own. With --first only the first model of each family
runs. With --rows the rows are also appended to a file, one JSON object a line, and models of a client that it has
already are not run again. With --checkout, a clone of mindcv's repository at v0.3.0, its train.py and validate.py run
as well. With --mindspore, an interpreter that has MindSpore, each model is made and measured there first, and then here
with the same weights and inputs; further columns say whether the weights have the same names, and whether the results,
the loss and all gradients agree. --only-mindspore leaves out the comparison of the two forms.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
ENVIRONMENTS = ROOT / "build/clients"


@dataclass(frozen=True)
class Client:
    package: str
    script: str
    needs: tuple[str, ...]
    columns: tuple[str, ...]
    arguments: tuple[str, ...] = ()  # of the script, before the names of models


CHECKS = ("created", "forward", "static", "equal", "trains", "trains static", "steps equal")
BESIDE = ("weights as MindSpore", "result as MindSpore", "loss as MindSpore", "gradient as MindSpore")
# Clients whose script compares with MindSpore (both_forms.py).
COMPARED = ("mindcv", "mindflow", "mindone", "mindvision", "mindyolo")
_TEXT_NEEDS = (
    "numpy>=2", "pillow", "tqdm", "requests", "datasets", "evaluate", "tokenizers", "safetensors", "sentencepiece",
    "regex", "addict", "ml-dtypes", "jieba", "scipy",
)  # fmt: skip
_PICTURE_NEEDS = (
    "numpy>=2",
    "pillow",
    "pyyaml",
    "tqdm",
    "scipy",
    "opencv-python-headless",
    "pycocotools",
    "requests",
)
CLIENTS = {
    "mindcv": Client(
        "mindcv==0.3.0", "mindcv_models.py", ("numpy>=2", "pillow", "pyyaml", "tqdm", "scipy"), CHECKS
    ),
    "mindnlp-0.2.4": Client("mindnlp==0.2.4", "mindnlp_models.py", _TEXT_NEEDS, (*CHECKS, "generates")),
    "mindnlp-0.3.1": Client("mindnlp==0.3.1", "mindnlp_models.py", _TEXT_NEEDS, (*CHECKS, "generates")),
    "mindnlp-0.4.1": Client(
        "mindnlp==0.4.1",
        "mindnlp_modules.py",
        (*_TEXT_NEEDS, "transformers<4.58"),
        ("created", "forward", "gradient", "trains", "generates"),
    ),
    "mindvision": Client(
        "mindvision==0.1.0",
        "package_models.py",
        (*_PICTURE_NEEDS, "ml-collections", "matplotlib"),
        CHECKS,
        ("mindvision",),
    ),
    "mindflow": Client(
        "mindflow-ascend==0.3.0",
        "package_models.py",
        (*_PICTURE_NEEDS, "sympy", "scikit-learn", "matplotlib"),
        CHECKS,
        ("mindflow",),
    ),
    "mindone": Client(
        "mindone==0.5.0",
        "package_models.py",
        (*_PICTURE_NEEDS, "transformers<4.58", "safetensors", "omegaconf", "einops", "ftfy"),
        CHECKS,
        ("mindone",),
    ),
    "mindyolo": Client("mindyolo==0.5.0", "package_models.py", _PICTURE_NEEDS, CHECKS, ("mindyolo",)),
}
# Its own dependencies ask for an older NumPy than the others need.
_WITHOUT_DEPENDENCIES = ("pyctcdecode", "pygtrie", "hypothesis", "attrs", "sortedcontainers")


def environment(name: str, client: Client) -> Path:
    """Python of the client's environment, which is created if it is missing."""
    folder = ENVIRONMENTS / name
    python = folder / "bin/python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *client.needs], check=True)
        extra = _WITHOUT_DEPENDENCIES if name.startswith("mindnlp") else ()
        subprocess.run([*install, "--no-deps", client.package, *extra], check=True)
        (folder / "ready").touch()
    return python


def mindspore_environment(name: str, client: Client, mindspore: str) -> Path:
    """Python of an environment with the packages of an interpreter with MindSpore and those of the client."""
    folder = ENVIRONMENTS / f"{name}-mindspore"
    python = folder / "bin/python"
    if not (folder / "ready").exists():
        subprocess.run([mindspore, "-m", "venv", "--clear", folder], check=True)
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        own, found = (
            subprocess.run([each, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
            for each in (python, mindspore)
        )
        Path(own, "mindspore.pth").write_text(f"{found}\n")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        needs = [need for need in client.needs if not need.startswith("numpy")]
        subprocess.run([*install, "numpy<2", *needs], check=True)
        subprocess.run([*install, "--no-deps", client.package], check=True)
        (folder / "ready").touch()
    return python


def run_script(
    python: Path,
    client: Client,
    arguments: list[str],
    seconds: float | None = None,
    record: Path | None = None,
    with_mindspore: bool = False,
):
    """The output of the client's script, run as a program for MindSpore on this tree, or with MindSpore itself.

    `record` is a file in which MindSpore leaves what it found.
    """
    path = f"{HERE}" if with_mindspore else f"{ROOT / 'python'}:{HERE}"
    variables = {**os.environ, "PYTHONPATH": path}
    if record:
        variables["BESIDE_MINDSPORE"] = str(record)
    tree = [] if with_mindspore else ["-m", "dyad"]
    command = [python, *tree, HERE / client.script, *client.arguments, *arguments]
    return subprocess.run(
        command, env=variables, cwd=ENVIRONMENTS, capture_output=True, text=True, timeout=seconds, check=False
    )


def models(python: Path, client: Client) -> list[tuple[str, str]]:
    """(name, family) of each model."""
    listed = run_script(python, client, [])
    if listed.returncode:
        raise SystemExit(f"{client.package} does not start:\n{listed.stderr[-2000:]}")
    lines = [line.split() for line in listed.stdout.splitlines() if line.strip()]
    return [(words[0], words[-1]) for words in lines]


def compared(pythons: tuple[Path, Path], client: Client, name: str, seconds: float) -> dict:
    """Columns of one model compared with MindSpore; `pythons` are MindSpore's and this tree's."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.npz")
        try:
            ended = run_script(pythons[0], client, [name], seconds, record, with_mindspore=True)
        except subprocess.TimeoutExpired:
            return {BESIDE[0]: f"MindSpore: not done in {seconds:.0f} seconds"}
        if not record.exists():
            rows = [json.loads(line[4:]) for line in ended.stdout.splitlines() if line.startswith("ROW ")]
            failed = [str(value) for value in rows[-1].values() if "Error" in str(value)] if rows else []
            return {BESIDE[0]: f"MindSpore: {(failed or [ended.stderr[-200:]])[0]}"}
        row = checked(pythons[1], client, name, seconds, BESIDE, record)
    return {column: row[column] for column in BESIDE if column in row}


def checked(
    python: Path,
    client: Client,
    name: str,
    seconds: float,
    columns: tuple[str, ...],
    record: Path | None = None,
) -> dict:
    """Row of one model. If its process was stopped, the check in progress reports that."""
    try:
        ended = run_script(python, client, [name], seconds, record)
    except subprocess.TimeoutExpired as late:
        output, why = (late.stdout or b"").decode(), f"not done in {seconds:.0f} seconds"
    else:
        output, last = ended.stdout, ended.stderr.strip().splitlines()[-1:]
        why = None
        if ended.returncode:
            why = f"the process ended: {last[0] if last else ended.returncode}"
    rows = [json.loads(line[4:]) for line in output.splitlines() if line.startswith("ROW ")]
    row = rows[-1] if rows else {"name": name}
    at = next((column for column in columns if column not in row), None)
    if why and at:
        row[at] = why
    return row


def table(columns: tuple[str, ...], rows: list[dict]) -> str:
    """The rows as a table, the count of each column, and what failed."""
    width = max([len(row["name"]) for row in rows] + [5])
    lines = ["  ".join([f"{'model':<{width}}", *columns])]
    for row in rows:
        cells = [
            ("-" if column not in row else "yes" if row[column] is True else "NO").ljust(len(column))
            for column in columns
        ]
        lines.append("  ".join([f"{row['name']:<{width}}", *cells]).rstrip())
    counts = [str(sum(row.get(column) is True for row in rows)).ljust(len(column)) for column in columns]
    lines.append("  ".join([f"{f'of {len(rows)}':<{width}}", *counts]).rstrip())
    for row in rows:
        failed = [(column, row[column]) for column in columns if row.get(column, True) is not True]
        lines += [f"{row['name']}, {column}: {str(why)[:300]}" for column, why in failed]
    return "\n".join(lines)


def run(name: str, options) -> None:
    """Runs a client and prints its table."""
    client = CLIENTS[name]
    python = environment(name, client)
    chosen, families = [], set()
    for model, family in models(python, client):
        if options.match in model and not (options.first and family in families):
            chosen.append(model)
            families.add(family)
    known = {}
    if options.rows and options.rows.exists():
        kept = map(json.loads, options.rows.read_text().splitlines())
        known = {row["name"]: row for row in kept if row["client"] == name}
    rows, forms = [], not options.only_mindspore
    beside = options.mindspore if name in COMPARED else None
    there = mindspore_environment(name, client, beside) if beside else None
    columns = (*(client.columns if forms else ()), *(BESIDE if beside else ()))
    for model in chosen:
        row = known.get(model) or {"client": name, "name": model}
        if model not in known and forms:
            row |= checked(python, client, model, options.seconds, client.columns)
        if model not in known and there:
            row |= compared((there, python), client, model, options.seconds)
        rows.append(row)
        if options.rows and model not in known:
            with options.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")
        print(
            f"{model}: {'as known' if model in known else row.get('seconds', '-')}",
            file=sys.stderr,
            flush=True,
        )
    print(f"{client.package}\n{table(columns, rows)}\n")


def train(checkout: Path) -> None:
    """Runs the scripts of a checkout of mindcv and prints their output."""
    python = environment("mindcv", CLIENTS["mindcv"])
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [python, HERE / "mindcv_training.py", checkout.resolve(), ENVIRONMENTS / "training"]
    subprocess.run(command, env=variables, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    parser.add_argument("--match", default="", help="only models whose name has this text")
    parser.add_argument("--first", action="store_true", help="only the first model of each family")
    parser.add_argument("--seconds", type=float, default=900, help="how long a model may take")
    parser.add_argument("--rows", type=Path, help="a file that keeps the rows")
    parser.add_argument(
        "--mindspore", metavar="PYTHON", help="an interpreter that has MindSpore, to compare with"
    )
    parser.add_argument("--only-mindspore", action="store_true", help="leave out form with form")
    parser.add_argument("--checkout", type=Path, help="a clone of mindcv, for its train.py and validate.py")
    options = parser.parse_args()
    for name in options.clients or CLIENTS:
        if name not in CLIENTS:
            raise SystemExit(f"there is no client {name!r}; known are {', '.join(CLIENTS)}")
        run(name, options)
    if options.checkout:
        train(options.checkout)


if __name__ == "__main__":
    main()
