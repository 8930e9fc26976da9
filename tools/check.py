"""`./dev check [--fix] [--tidy-share N] [NAME ...]`: runs every check, or those named; exits with 1 if one failed.

With --fix, what a tool can mend (format, import order) is mended first. With --tidy-share 4, clang-tidy reads the C++
sources that the change concerns and one in four of the others, which the commit decides; `./dev nightly` reads all.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check_rooms import INCLUDE

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent
PYTHON_PATHS = ["dev", "python", "tests", "tools", "bench", "examples"]
CPP_PATHS = ["src", "include", "examples"]
JOBS = len(os.sched_getaffinity(0))


def cpp_files() -> list[str]:
    files = [
        path for folder in CPP_PATHS for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")
    ]
    return sorted(str(path.relative_to(ROOT)) for path in files)


def python_paths() -> list[str]:
    return [path for path in PYTHON_PATHS if (ROOT / path).exists()]


def git(*arguments: str) -> str:
    """Output of a git command; empty if it fails, as in a tree without a history."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def changed_files() -> set[str]:
    """Files changed since the branch started, or else since the previous commit, including new files."""
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "HEAD", "origin/main")
    if base in ("", head):
        base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    names = git("diff", "--name-only", base, "--") if base else git("ls-files")
    return {*names.split("\n"), *git("ls-files", "--others", "--exclude-standard").split("\n")} - {""}


def concerned(sources: list[str], changed: set[str]) -> set[str]:
    """Sources that are changed, or include a changed header directly or indirectly."""
    if ".clang-tidy" in changed:
        return set(sources)
    includes = {
        name: [path for path in INCLUDE.findall((ROOT / name).read_text())]
        for name in {*cpp_files(), *sources}
    }
    reached = {name for name in changed if name.endswith((".h", ".cpp"))}
    while True:
        headers = {
            name.removeprefix("src/").removeprefix("include/") for name in reached if name.endswith(".h")
        }
        more = {name for name, found in includes.items() if not headers.isdisjoint(found)} - reached
        if not more:
            return reached & set(sources)
        reached |= more


def tidy_sources(sources: list[str], share: int) -> list[str]:
    """Sources for clang-tidy: all, or those that the change concerns and one in `share` of the others, by commit."""
    if share == 1:
        return sources
    turn = int(git("rev-parse", "HEAD")[:8] or "0", 16)
    chosen = concerned(sources, changed_files())
    return [name for name in sources if name in chosen or (zlib.crc32(name.encode()) + turn) % share == 0]


def tidy_batches(share: int) -> list[list[str]]:
    """Compiled sources for clang-tidy, distributed in turn.

    A source that is compiled once per instruction set would be looked at three times; build/tidy lists it once, and
    without GCC's precompiled headers, so that each file is seen to include what it uses. Device code is left out: its
    kernels are written for another machine, with that machine's address spaces and shared memory.
    """
    commands = json.loads((ROOT / "build/release/compile_commands.json").read_text())
    inside = {
        entry["file"]: entry
        for entry in commands
        if entry["file"].startswith(f"{ROOT}/src/")
        and not re.search("/(kernels/cuda/device|testing/emulated_cuda)/", entry["file"])
    }
    for entry in inside.values():
        entry["command"] = re.sub(r"-include \S+/cmake_pch\.hxx", "", entry["command"])
    (ROOT / "build/tidy").mkdir(exist_ok=True)
    (ROOT / "build/tidy/compile_commands.json").write_text(json.dumps(list(inside.values())))
    files = tidy_sources(sorted(str(Path(file).relative_to(ROOT)) for file in inside), share)
    if share > 1:
        print(f"lint C++ reads {len(files)} of {len(inside)} sources", flush=True)
    return [files[start::JOBS] for start in range(JOBS)]


def tidy_arguments() -> list[str]:
    """The compiler's own warnings are GCC's task; what clang lacks (omp.h) it finds, last, in GCC's folder."""
    gcc_headers = run(["g++", "-print-file-name=include"])[1].strip()
    return [f"--extra-arg={flag}" for flag in ("-Wno-everything", "-idirafter", gcc_headers)]


def run(command: list[str]) -> tuple[int, str]:
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


def commands(fix: bool, tidy_share: int) -> dict[str, list[list[str]]]:
    """Name of each check -> command lines; the lines of one check run side by side."""
    python = sys.executable
    tidy = [str(TOOLS / "clang-tidy"), "--quiet", "-p", "build/tidy", *tidy_arguments()]
    return {
        "format C++": [[str(TOOLS / "clang-format"), *(["-i"] if fix else ["-n", "-Werror"]), *cpp_files()]],
        "format Python": [[str(TOOLS / "ruff"), "format", *([] if fix else ["--check"]), *python_paths()]],
        "lint Python": [[str(TOOLS / "ruff"), "check", *(["--fix"] if fix else []), *python_paths()]],
        "types": [[str(TOOLS / "mypy")]],
        "types of a program": [
            [str(TOOLS / "mypy"), "--warn-unused-ignores", "tests/tools/typed_program.py"]
        ],
        "rooms": [[python, "tools/check_rooms.py"]],
        "state": [[python, "tools/check_state.py"]],
        "op table": [[python, "tools/check_op_table.py"], [python, "tools/check_operator_names.py"]],
        "coverage": [[python, "tools/coverage.py", "--check"]],
        "API pages": [[python, "tools/api_pages.py", "--check"]],
        "lint C++": [[*tidy, *batch] for batch in tidy_batches(tidy_share) if batch],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev check", description=__doc__.split("\n\n")[0])
    parser.add_argument("--fix", action="store_true", help="mend what a tool can mend")
    parser.add_argument(
        "--tidy-share", type=int, default=1, metavar="N", help="one in N of unchanged C++ sources"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="checks to run, all by default")
    options = parser.parse_args()
    checks = commands(options.fix, options.tidy_share)
    if unknown := sorted(set(options.names) - set(checks)):
        parser.error(f"there is no check {', '.join(unknown)}; known are {', '.join(checks)}")
    failed = []
    for name in options.names or checks:
        lines = checks[name]
        start = time.monotonic()
        with ThreadPoolExecutor() as pool:
            results = list(pool.map(run, lines))
        passed = all(status == 0 for status, _ in results)
        print(f"{'ok  ' if passed else 'FAIL'} {name} ({time.monotonic() - start:.1f} s)", flush=True)
        if not passed:
            failed.append(name)
            print(*[output for status, output in results if status], sep="\n", flush=True)
    if failed:
        sys.exit(f"check: failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
