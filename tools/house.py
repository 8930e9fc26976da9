"""Measures the tree and writes docs/house.md: each count before, now and as wanted.

Usage: house.py [--print] [--where NAME] [--measured "NAME=VALUE" --command COMMAND]. What the tree and its history
show is counted. What needs a run (times of CI, of the demo and of the import, calls of the benchmarks) is stated with
--measured, and kept with its command, date and commit in docs/house.json. `--where erf` lists the places behind a
count.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import functools
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import check_rooms

ROOT = Path(__file__).resolve().parent.parent
PAGE, MEASURED = ROOT / "docs/house.md", ROOT / "docs/house.json"
START = "81343156"  # the last commit before the work that this page follows
COMPATIBILITY = ("python/dyad/compat/mindspore/", "tests/compat/")
EXPORTERS = "python/dyad/_src/interchange/"
ACCEPTING = ("need", "must be", "accepted")  # how messages say what an argument may be
Places = list[str]  # "file" or "file:line", what a count is made of


@dataclass(frozen=True)
class Point:
    """A row: its name, the earlier and the wanted value, and the function that counts."""

    name: str  # what --where and --measured call it
    text: str
    before: str
    wanted: str
    count: Callable[[], str | Places] | None = None  # None: stated with --measured

    def now(self, measured: dict[str, dict[str, str]]) -> str:
        if self.count is None:
            told = measured.get(self.name)
            return (
                f"{told['value']} (`{told['command']}`, {told['date']}, {told['commit']})"
                if told
                else "not measured"
            )
        found = self.count()
        return found if isinstance(found, str) else f"{len(found):,}"


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@functools.cache
def tracked() -> list[str]:
    """Tracked files that exist, without links."""
    names = [name for name in git("ls-files", "-z").split("\0") if name]
    return [name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink()]


@functools.cache
def lines_of(name: str) -> int:
    return (ROOT / name).read_bytes().count(b"\n")


@functools.cache
def text_of(name: str) -> str:
    return (ROOT / name).read_text()


@functools.cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(text_of(name))


def in_folder(*folders: str, endings: tuple[str, ...] = ("",)) -> list[str]:
    """Files below folders, without those of the compatibility package."""
    return [
        name
        for name in tracked()
        if name.startswith(folders) and name.endswith(endings) and not name.startswith(COMPATIBILITY)
    ]


def python_files(*folders: str) -> list[str]:
    return in_folder(*(folders or ("python/",)), endings=(".py",))


def core_files() -> list[str]:
    """C++ and Python sources of the product, without tests."""
    names = in_folder("python/dyad/", "src/", "include/", endings=(".py", ".h", ".cpp", ".cuh"))
    return [name for name in names if not name.endswith(check_rooms.TEST_ENDINGS)]


def lines_in_all() -> str:
    return f"{sum(map(lines_of, in_folder(''))):,}"


def written_by_tools() -> Places:
    """Pages marked as written by a tool, and artifacts of runs."""
    pages = [
        name
        for name in in_folder("docs/", endings=(".md",))
        if re.search(r"^(<!-- )?Written by `?tools/", text_of(name), re.MULTILINE)
    ]
    return [*pages, *in_folder("runs/", "data/")]


def generated_lines() -> str:
    return f"{sum(map(lines_of, written_by_tools())):,}"


def lines_of_python() -> str:
    return f"{sum(map(lines_of, in_folder('python/'))):,}"


def files_directly_in(folder: str) -> Places:
    found = python_files(folder)
    return [
        name for name in found if "/" not in name.removeprefix(folder) and not name.endswith("/__init__.py")
    ]


def loose_files() -> str:
    counts = [len(files_directly_in(folder)) for folder in ("python/dyad/_src/", "python/dyad/ops/")]
    return f"{counts[0]} / {counts[1]}; {len(in_folder('src/bindings/', endings=('.h', '.cpp')))}"


def describes_package(name: str) -> bool:
    """An `__init__.py` that holds a docstring alone: it belongs to no neighbor."""
    body = tree_of(name).body
    return name.endswith("/__init__.py") and len(body) == 1 and ast.get_docstring(tree_of(name)) is not None


def small_modules() -> Places:
    small = [name for name in python_files("python/dyad/_src/") if lines_of(name) <= 40]
    return [name for name in small if not describes_package(name)]


def small_headers() -> Places:
    return [name for name in in_folder("src/", "include/", endings=(".h", ".cuh")) if lines_of(name) <= 16]


def small_files() -> str:
    modules, headers = (
        python_files("python/dyad/_src/"),
        in_folder("src/", "include/", endings=(".h", ".cuh")),
    )
    packages = sum(describes_package(name) and lines_of(name) <= 40 for name in modules)
    return (
        f"{len(small_modules())} of {len(modules)}, and {packages} `__init__.py` with a docstring alone; "
        f"{len(small_headers())} of {len(headers)}"
    )


_MESSAGE_NAMES = {"message", "reason", "refusal", "dump", "because"}
_GUARD_NAMES = {
    "expected",
    "actual",
    "subject",
    "line",
}  # what guards say of themselves, in the room that compares calls
_ROOM_OF_GUARDS = "python/dyad/_src/jit/cache/"
_TEXT_METHODS = {
    "partition",
    "rpartition",
    "split",
    "startswith",
    "endswith",
    "find",
    "index",
    "removeprefix",
}
_PATTERNS = {"match", "search", "fullmatch", "findall", "finditer"}
_CPP_WORDS = re.compile(
    r"\b(?:message\(\)|what\(\)|message|reason)(?:\.\w+\(\))?\.(?:find|starts_with|ends_with|contains)\("
)


def _is_message(node: ast.AST, names: set[str]) -> bool:
    """True if an expression is the text of an error, a guard or a dump."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        argument = node.args[0]
        return isinstance(argument, ast.Name) and argument.id in {"e", "error", "failure", *names}
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in names


def _decides_by_words(node: ast.AST, names: set[str]) -> bool:
    def is_message(part: ast.AST) -> bool:
        return _is_message(part, names)

    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn | ast.Eq | ast.NotEq):
        sides = (node.left, *node.comparators)
        literal = any(
            isinstance(s, ast.JoinedStr)
            or (isinstance(s, ast.Constant) and isinstance(s.value, str) and s.value)
            for s in sides
        )
        return literal and any(map(is_message, sides))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        if node.func.attr in _TEXT_METHODS and is_message(node.func.value):
            return True
        return node.func.attr in _PATTERNS and any(map(is_message, [*node.args, node.func.value][-3:]))
    return False


def words_that_decide() -> Places:
    """Lines that search, cut or compare a message. Not each of them decides by it."""
    found = []
    for name in python_files("python/dyad/"):
        names = _MESSAGE_NAMES | (_GUARD_NAMES if name.startswith(_ROOM_OF_GUARDS) else set())
        found += [
            f"{name}:{node.lineno}"
            for node in ast.walk(tree_of(name))
            if isinstance(node, ast.Compare | ast.Call) and _decides_by_words(node, names)
        ]
    for name in core_files():
        if name.endswith((".h", ".cpp")):
            lines = text_of(name).splitlines()
            found += [f"{name}:{n}" for n, line in enumerate(lines, 1) if _CPP_WORDS.search(line)]
    return found


def homes(operator: str) -> Places:
    """Files that define, register or list an operator, exporters' tables left out."""
    defines = re.compile(
        rf'DYAD_\w+\(\s*"?{operator}\b|[{{(]"{operator}"\s*,|^(?!\s*return\b)[^=;(]*\b\w+ {operator}\(.*[{{,]\s*$',
        re.MULTILINE,
    )
    found = []
    for name in core_files():
        if name.startswith(EXPORTERS):
            continue
        if name.endswith(".py"):
            known = any(_names_operator(node, operator) for node in tree_of(name).body)
        else:
            known = bool(defines.search(text_of(name)))
        if known:
            found.append(name)
    return found


def _names_operator(node: ast.stmt, operator: str) -> bool:
    """True if a statement of a module defines an operator, or lists it in a table."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name.lower() == operator
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.Expr):
        return False
    return any(isinstance(part, ast.Constant) and part.value == operator for part in ast.walk(node))


def slopes_of_tanh() -> Places:
    """Files with 1 - y * y or 1 - square(y) in a gradient."""
    formula = re.compile(r"\b1(?:\.0)? - (?:(\w+) \* \1\b|square\(\w+(?:\(0\))?\))")
    names = [name for name in core_files() if not name.startswith("python/dyad/dataset/")]
    return [name for name in names if formula.search(text_of(name))]


def lists_of_operators() -> str:
    """Names of hand-written gradient Primitives, and functions of `overloads` modules."""
    return f"gradients {len(gradient_names())} names, overloads {len(overloads())}"


def gradient_names() -> Places:
    """Classes and table entries called `XGrad`, including those of `compat/mindspore`."""
    form = re.compile(r"[A-Z]\w*Grad(V\d|D|Ext|WithArgmax)?")
    folders = ("python/dyad/ops/", "python/dyad/compat/")
    found: set[str] = set()
    for name in tracked():
        if name.startswith(folders) and name.endswith(".py"):
            for node in ast.walk(tree_of(name)):
                word = node.name if isinstance(node, ast.ClassDef) else getattr(node, "value", None)
                if isinstance(word, str) and form.fullmatch(word):
                    found.add(word)
    return sorted(found)


def overloads() -> Places:
    """Functions of the modules called `overloads`."""
    names = [name for name in tracked() if name.endswith("/overloads.py")]
    return [
        f"{name}:{node.lineno}, {node.name}"
        for name in names
        for node in tree_of(name).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def modules_that_check() -> Places:
    """Modules of which a third of the functions, three at least, check arguments."""
    found = []
    for name in python_files("python/dyad/"):
        functions = [node.name for node in tree_of(name).body if isinstance(node, ast.FunctionDef)]
        checks = [function for function in functions if re.match(r"_?(check|require)_", function)]
        if len(checks) >= 3 and len(checks) >= len(functions) / 3:
            found.append(name)
    return found


def ways_to_say() -> str:
    counts = {
        words: sum(len(re.findall(rf"\b{words}\b", text_of(name))) for name in core_files())
        for words in ACCEPTING
    }
    return f"{len(modules_that_check())}; " + ", ".join(
        f'"{words}" {count:,}' for words, count in counts.items()
    )


def annotated() -> str:
    """Counts functions with any annotation: of all functions, and of the public ones."""
    counts = {True: [0, 0], False: [0, 0]}
    for name in python_files("python/dyad/"):
        private = "/_" in name.replace("/__init__.py", "")
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                places = node.args
                parameters = [*places.posonlyargs, *places.args, *places.kwonlyargs]
                typed = node.returns is not None or any(parameter.annotation for parameter in parameters)
                public = not private and not node.name.startswith("_")
                counts[public][0] += typed
                counts[public][1] += 1
    (public, of_public), (inner, of_inner) = counts[True], counts[False]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    state = "on" if settings.get("check_untyped_defs") else "off"
    return (
        f"{public + inner:,} of {of_public + of_inner:,} ({public:,} of {of_public:,} public); "
        f"`check_untyped_defs` {state}"
    )


def rooms_without_a_test() -> Places:
    rooms = check_rooms.Rooms(tomllib.loads((ROOT / "rooms.toml").read_text()))
    names = [name.removeprefix("src/") for name in in_folder("src/", endings=("_test.cpp",))]

    def room_of(path: str) -> str:
        return max((room for room in rooms.edges if path.startswith(f"{room}/")), key=len, default="")

    tested = {room_of(name) for name in names}
    return sorted(set(rooms.edges) - tested - {check_rooms.TESTS, check_rooms.PUBLIC})


def commits() -> str:
    """Counts the commits since the start that have a body, and those that only reformat."""
    try:
        hashes = git("rev-list", "--no-merges", f"{START}..HEAD").split()
    except subprocess.CalledProcessError:
        return "no history here"
    if not hashes:
        return "none yet"
    with_body = sum(bool(git("show", "-s", "--format=%b", commit).strip()) for commit in hashes)
    only_format = [commit for commit in hashes if _only_reformats(commit)]
    share = round(100 * with_body / len(hashes))
    return f"{share} % of {len(hashes)} / {len(only_format)}"


def _only_reformats(commit: str) -> bool:
    changed = git("show", "--unified=0", "--format=", commit, "--", "*.py", "*.h", "*.cpp")
    others = git("show", "--name-only", "--format=", commit).split()
    if not changed or not all(name.endswith((".py", ".h", ".cpp")) for name in others):
        return False
    lines = [line for line in changed.splitlines() if not line.startswith(("---", "+++"))]

    def squeezed(sign: str) -> str:
        return re.sub(r"[\s,()]", "", "".join(line[1:] for line in lines if line.startswith(sign)))

    return squeezed("-") == squeezed("+")


def readme() -> str:
    lines = (ROOT / "README.md").read_text().splitlines()
    first = next((n for n, line in enumerate(lines, 1) if line.startswith("```python")), None)
    return f"{len(lines)} lines; first Python at line {first}, run by `tests/tools/test_readme.py`"


POINTS = [
    Point(
        "lines",
        "tracked lines outside `compat/mindspore` and its tests",
        "412,481",
        "≤ 360,000",
        lines_in_all,
    ),
    Point(
        "generated",
        "lines of generated pages and run artefacts in the tree",
        "22,306",
        "0",
        generated_lines,
    ),
    Point("python", "lines of `python/` outside compat", "114,462", "≤ 94,000", lines_of_python),
    Point(
        "loose",
        "loose modules in `_src` / `ops`; files in `src/bindings`",
        "56 / 73; 103",
        "0 / ≤ 25; folders by subject",
        loose_files,
    ),
    Point(
        "small",
        "`_src` modules of ≤ 40 lines; headers of ≤ 16 lines",
        "92 of 444; 92 of 511",
        "≤ 30; ≤ 40",
        small_files,
    ),
    Point(
        "words",
        "places that may decide by the words of a message or dump",
        "≥ 5",
        "0",
        words_that_decide,
    ),
    Point("erf", "homes of `erf`, exporters' tables left out", "7", "4", functools.partial(homes, "erf")),
    Point("tanh", "homes of `tanh`, exporters' tables left out", "13", "4", functools.partial(homes, "tanh")),
    Point("slope", "homes of the formula `1 - y*y`", "5", "2", slopes_of_tanh),
    Point(
        "lists",
        "hand-kept lists of operators in `ops`",
        "gradients 181 names, overloads 70",
        "0",
        lists_of_operators,
    ),
    Point(
        "checks",
        "modules that check arguments; ways to say what is accepted",
        '12; "need" 1,872, "must be" 418, "accepted" 106',
        "≤ 3; 1",
        ways_to_say,
    ),
    Point(
        "annotations",
        "functions with any annotation (mypy skips the bodies of the rest)",
        "55 of 9,907",
        "public API all; `check_untyped_defs` on",
        annotated,
    ),
    Point(
        "rooms",
        "rooms without a C++ test (`ops` and `kernels` are tested through the table)",
        "bindings, capture/guards, codegen/llvm, data/rows, kernels/scalar",
        "none",
        lambda: ", ".join(rooms_without_a_test()) or "none",
    ),
    Point(
        "commits",
        "commits with a body / that only reformat",
        "68 % / about 15",
        "90 % of those that change behaviour / 0",
        commits,
    ),
    Point("ci", "`.ci/run`, two cores, clean clone", "50 to 54 min", "≤ 40 min"),
    Point("demo", "`./dev demo` from nothing", "8½ min beside other work", "≤ 5 min, quiet machine ≤ 4"),
    Point(
        "readme",
        "README",
        "310 lines; first Python at line 49, fails when pasted",
        "≤ 130, runs",
        readme,
    ),
    Point("import", "`import dyad`: time, memory", "64 ms, 37 MB", "≤ 80 ms, 40 MB"),
    Point("calls", "call rows of the benches, of what they were", "1", "≤ 1.02"),
    Point("mutants", "mutants caught by what `.ci/run` runs, 300 by seed", "not measured", "≥ 90 %"),
]


def names_in(found: str | Places) -> str:
    return found if isinstance(found, str) else "\n".join(found)


def page(measured: dict[str, dict[str, str]]) -> str:
    commit, day = git("log", "-1", "--format=%h %cs").split()
    lines = [
        "# The state of the house",
        "",
        f"`./dev house` counts this from the tree and its history; commit {commit}, {day}. What needs a run shows its",
        "command, date and commit. `./dev house --where NAME` lists the places behind a count.",
        "",
        "| name | what is counted | before | now | wanted |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {point.name} | {point.text} | {point.before} | {point.now(measured)} | {point.wanted} |"
        for point in POINTS
    ]
    return "\n".join(lines) + "\n"


PLACES: dict[str, Callable[[], Places]] = {
    "generated": written_by_tools,
    "loose": lambda: files_directly_in("python/dyad/_src/") + files_directly_in("python/dyad/ops/"),
    "small": lambda: small_modules() + small_headers(),
    "checks": modules_that_check,
    "lists": lambda: gradient_names() + overloads(),
}


def main() -> None:
    by_name = {point.name: point for point in POINTS}
    parser = argparse.ArgumentParser(prog="dev house", description=__doc__.split("\n\n")[0])
    parser.add_argument("--print", action="store_true", help="show the page and write nothing")
    parser.add_argument("--where", choices=list(by_name), help="list the places behind a count")
    parser.add_argument(
        "--measured", action="append", default=[], metavar="NAME=VALUE", help="keep what a run showed"
    )
    parser.add_argument("--command", help="what was run for --measured")
    chosen = parser.parse_args()
    if chosen.where:
        count = PLACES.get(chosen.where) or by_name[chosen.where].count
        return print(names_in(count()) if count else "stated with --measured")
    measured = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    for told in chosen.measured:
        name, _, value = told.partition("=")
        if name not in by_name or by_name[name].count or not value or not chosen.command:
            names = ", ".join(point.name for point in POINTS if not point.count)
            sys.exit(f"house: --measured is {told!r}; need NAME=VALUE and --command, NAME one of {names}")
        now = datetime.datetime.now(datetime.UTC)
        commit = git("rev-parse", "--short", "HEAD").strip()
        measured[name] = {
            "value": value,
            "command": chosen.command,
            "date": f"{now:%Y-%m-%d}",
            "commit": commit,
        }
    if chosen.measured:
        MEASURED.write_text(json.dumps(measured, indent=2, ensure_ascii=False) + "\n")
    text = page(measured)
    print(text, end="")
    if not chosen.print:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
