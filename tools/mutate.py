"""Makes small changes to the sources, one at a time, and reports those that no test detects.

Usage: mutate.py [--count N] [--seed S] [--rooms NAMES] [--language python|cpp] [--list] [--again] [--in FOLDER]

Mutants are drawn by seed, the rooms in turn, and applied in a copy of the tree below the folder (build/mutants). There
the C++ is built incrementally, and the tests of the room run, part by part, until one fails. A mutant that does not
compile or does not parse is replaced by the next. Results are written to FOLDER/results.json after each mutant, so that
a run that was stopped continues; a survivor that means the same as the original can be marked there with "result":
"equivalent" and a note. `--again` tries the survivors once more, after tests were added.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from nightly import SAMPLED

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/mutants"
SECONDS_ALLOWED = 1800  # for one stage; a mutant that loops for ever is caught by it
COPIED = (
    "src",
    "include",
    "python",
    "tests",
    "tools",
    "cmake",
    "examples",
    "bench",
    "docs",
)  # what a run reads

_FORMS = "tests/forms/test_programs.py"
_GRADIENT_FORMS = tuple(file for file in SAMPLED if file.startswith("tests/forms/"))


@dataclass(frozen=True)
class Room:
    """A room whose sources are mutated, and the tests of `./dev test` that concern it, fastest to fail first."""

    sources: tuple[str, ...]
    stages: tuple[tuple[str, ...], ...]  # arguments of pytest


_PROGRAMS = (
    (_FORMS,),
    ("tests/forms", f"--ignore={_FORMS}", *(f"--ignore={file}" for file in _GRADIENT_FORMS)),
)
_GRADIENTS = ((*_GRADIENT_FORMS, "--every=2"), ("tests/autodiff",))
ROOMS = {
    "passes": Room(
        ("src/passes",),
        (("tests/fuzz", "tests/sweep"), ("tests/jit", "tests/train"), *_PROGRAMS, *_GRADIENTS),
    ),
    "plan": Room(
        ("src/plan",), (("tests/fuzz", "tests/sweep"), ("tests/jit", "tests/train"), *_PROGRAMS, *_GRADIENTS)
    ),
    "capture": Room(
        ("src/capture", "python/dyad/_src/capture"),
        (("tests/capture", "tests/bytecode"), ("tests/jit", "tests/error"), *_PROGRAMS, *_GRADIENTS),
    ),
    "transforms": Room(("src/transforms",), (("tests/autodiff",), ("tests/jit",), *_GRADIENTS, *_PROGRAMS)),
    "program": Room(
        ("src/program",),
        (("tests/jit", "tests/capture"), ("tests/train", "tests/autodiff"), *_GRADIENTS, *_PROGRAMS),
    ),
    "semantics": Room(
        ("python/dyad/_src/capture/semantics",),
        ((_FORMS,), ("tests/capture", "tests/jit", "tests/error"), *_PROGRAMS[1:], *_GRADIENTS),
    ),
}


@dataclass(frozen=True)
class Mutant:
    """One change of a file: `text` replaces the characters from `start` to `end`."""

    room: str
    file: str
    line: int
    kind: str
    start: int
    end: int
    before: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {_short(self.before)} -> {_short(self.text) or '(nothing)'}"

    def applied(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 60 else f"{plain[:57]}..."


Change = tuple[str, int, int, str]  # kind, start, end, what stands there instead


# Mutants of Python, by its syntax tree.

_COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "*"}


class PythonChanges(ast.NodeVisitor):
    """Collects the changes of one file; strings, annotations and code for types only are not changed."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Change] = []
        # Columns of a syntax tree count bytes.
        self._lines = source.encode().splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line.decode()))

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def _replace(self, kind: str, node: ast.AST, text: str) -> None:
        self.found.append((kind, *self._span(node), text))

    def _between(self, left: ast.AST, right: ast.AST, kind: str, operator: str) -> None:
        """A change of the operator between two operands, whose brackets stay."""
        start, end = self._span(left)[1], self._span(right)[0]
        bare = re.sub(r"[()\\]|#[^\n]*", lambda found: " " * len(found[0]), self.source[start:end])
        written = bare.strip()
        at = start + bare.index(written)
        self.found.append((kind, at, at + len(written), operator))

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, operator, right in zip(
            [node.left, *node.comparators], node.ops, node.comparators, strict=False
        ):
            self._between(left, right, "comparison", _COMPARISONS[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        is_text = any(
            isinstance(part, ast.JoinedStr)
            or (isinstance(part, ast.Constant) and isinstance(part.value, str))
            for part in (node.left, node.right)
        )
        if type(node.op) in _ARITHMETIC and not is_text:
            self._between(node.left, node.right, "arithmetic", _ARITHMETIC[type(node.op)])
            if isinstance(node.op, ast.Sub | ast.FloorDiv | ast.Mod):
                swapped = f"({self._text(node.right)}) {self._text_of(node.op)} ({self._text(node.left)})"
                self._replace("operands swapped", node, swapped)
        self.generic_visit(node)

    @staticmethod
    def _text_of(operator: ast.operator) -> str:
        return {ast.Sub: "-", ast.FloorDiv: "//", ast.Mod: "%"}[type(operator)]

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = "or" if isinstance(node.op, ast.And) else "and"
        for left, right in itertools.pairwise(node.values):
            self._between(left, right, "and, or", other)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace("negation dropped", node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) is int:
            for value in (node.value + 1, node.value - 1):
                self._replace("number", node, str(value))
        elif type(node.value) is bool:
            self._replace("flag", node, str(not node.value))

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in self._text(node.test):
            self._replace("condition negated", node.test, f"not ({self._text(node.test)})")
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._replace("condition negated", node.test, f"not ({self._text(node.test)})")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._replace("statement dropped", node, "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._replace("statement dropped", node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            self._replace("statement dropped", node, "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._replace("result dropped", node, "return None")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        if len(plain) == len(node.args) == 2 and not isinstance(node.args[1], ast.Constant):
            start, end = self._span(node.args[0])[0], self._span(node.args[1])[1]
            swapped = f"{self._text(node.args[1])}, {self._text(node.args[0])}"
            if ast.unparse(node.func) not in ("isinstance", "issubclass", "getattr", "hasattr", "cast"):
                self.found.append(("arguments swapped", start, end, swapped))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def _nothing(self, node: ast.AST) -> None:
        """Skips f-strings, raised exceptions, assertions and imports."""

    visit_JoinedStr = visit_Raise = visit_Assert = visit_Import = visit_ImportFrom = _nothing  # type: ignore[assignment]


def python_changes(source: str) -> list[Change]:
    visitor = PythonChanges(source)
    visitor.visit(ast.parse(source))
    return visitor.found


# Mutants of C++, by its text: clang-format puts blanks around binary operators, and none in templates or pointers.

_MASKED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE
)
_OPERATORS = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "*"},
    "and, or": {"&&": "||", "||": "&&"},
    "assignment": {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="},
}
_BINARY = re.compile(r"(?<=[\w)\]]) (<=|>=|==|!=|&&|\|\||\+=|-=|\|=|&=|[-+*/%<>]) (?=[\w(!*&-])")
_NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])(?!;\n)|(?<=return )(\d+)(?=;)")
_FLAG = re.compile(r"\b(true|false)\b")
_CONDITION = re.compile(r"\bif \(")
_STATEMENT = re.compile(
    r"""(?<=[;{}]\n)([ ]+)
    (?!return\b|break|continue|using[ ]|case[ ]|throw[ ]|auto[ ]|const[ ]|static[ ]|else[ ]|DYAD_)
    ([\w:.\->\[\]*]+(?:\([^;{}]*\)|[ ][-+*|&]?=[ ][^;{}]*);)\n""",
    re.VERBOSE,
)
_PAIR = re.compile(r"(?<=[\w>]\()([\w.]+), ([\w.]+)(?=\))")
_DIFFERENCE = re.compile(r"(?<![\w.)\]])([\w.]+) ([-/%]) ([\w.]+)(?![\w.(\[])")


def cpp_changes(source: str) -> list[Change]:
    code = _MASKED.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), source)
    return [
        change
        for rule in (_cpp_operators, _cpp_numbers, _cpp_conditions, _cpp_others)
        for change in rule(code)
    ]


def _cpp_operators(code: str) -> Iterator[Change]:
    for found in _BINARY.finditer(code):
        for kind, others in _OPERATORS.items():
            if found[1] in others:
                yield kind, found.start(1), found.end(1), others[found[1]]
    for found in _DIFFERENCE.finditer(code):
        yield "operands swapped", found.start(), found.end(), f"{found[3]} {found[2]} {found[1]}"


def _cpp_numbers(code: str) -> Iterator[Change]:
    for found in _NUMBER.finditer(code):
        for value in (int(found[0]) + 1, int(found[0]) - 1):
            yield "number", found.start(), found.end(), str(value)
    for found in _FLAG.finditer(code):
        yield "flag", found.start(), found.end(), "false" if found[1] == "true" else "true"


def _cpp_conditions(code: str) -> Iterator[Change]:
    for found in _CONDITION.finditer(code):
        depth, at = 1, found.end()
        while depth and at < len(code):
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        condition = code[found.end() : at - 1]
        if not re.search(r";| = |\0", condition):
            yield "condition negated", found.end(), at - 1, f"!({condition})"


def _cpp_others(code: str) -> Iterator[Change]:
    for found in _STATEMENT.finditer(code):
        if "\0" not in found[2]:
            yield "statement dropped", found.start(2), found.end(2), ";"
    for found in _PAIR.finditer(code):
        if found[1] != found[2]:
            yield "arguments swapped", found.start(), found.end(), f"{found[2]}, {found[1]}"


RULES: dict[str, Callable[[str], list[Change]]] = {
    ".py": python_changes,
    ".cpp": cpp_changes,
    ".h": cpp_changes,
}


def files_of(room: str, language: str | None) -> list[Path]:
    """Sources of a room, without those of nested rooms that have their own mutants."""
    inner = [ROOT / folder for other in ROOMS if other != room for folder in ROOMS[other].sources]
    wanted = {"python": (".py",), "cpp": (".cpp", ".h"), None: tuple(RULES)}[language]
    found = []
    for folder in ROOMS[room].sources:
        within = [path for path in inner if path.is_relative_to(ROOT / folder) and path != ROOT / folder]
        for path in sorted((ROOT / folder).rglob("*")):
            is_test = path.name.endswith(("_test.cpp", "_fixture.h"))
            if (
                path.suffix in wanted
                and not is_test
                and not any(path.is_relative_to(other) for other in within)
            ):
                found.append(path)
    return found


def mutants_of(room: str, language: str | None) -> list[Mutant]:
    found = []
    for path in files_of(room, language):
        source = path.read_text()
        for kind, start, end, text in RULES[path.suffix](source):
            line = source.count("\n", 0, start) + 1
            name = str(path.relative_to(ROOT))
            found.append(Mutant(room, name, line, kind, start, end, source[start:end], text))
    return found


def drawn(rooms: list[str], seed: int, language: str | None) -> Iterator[Mutant]:
    """Mutants of the rooms in turn, in an order set by the seed and independent of the other rooms."""
    orders = []
    for room in rooms:
        found = mutants_of(room, language)
        random.Random(f"{seed} {room}").shuffle(found)
        if found:
            orders.append(iter(found))
    while orders:
        for order in list(orders):
            mutant = next(order, None)
            if mutant is None:
                orders.remove(order)
            else:
                yield mutant


_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?= - |$)", re.MULTILINE)  # as pytest names a test
_FAILED_CPP = re.compile(r"^\[  FAILED  \] (\w\S+)", re.MULTILINE)


class Copy:
    """Copy of the tree in which mutants are tested."""

    def __init__(self, folder: Path, with_cpp: bool) -> None:
        self.root = folder / "tree"
        self.with_cpp, self.is_stale = with_cpp, False
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DYAD_CACHE_DIR": str(folder / "code"),
        }
        self._write()

    def _write(self) -> None:
        """Copies new and changed files, so that a build there stays incremental."""
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
            "\0"
        )
        wanted = {name for name in names if name and (ROOT / name).is_file()}
        if not self.with_cpp:  # the extension is that of the tree
            built = [*(ROOT / "python/dyad").glob("*.so"), *(ROOT / "python/dyad/lib").glob("*.so")]
            wanted |= {str(path.relative_to(ROOT)) for path in built}
        wanted |= {str(path.relative_to(ROOT)) for path in (ROOT / "python/dyad").rglob("*.pyi")}
        for name in wanted:
            source, target = ROOT / name, self.root / name
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        for folder in COPIED:
            for path in (self.root / folder).rglob("*"):
                name = str(path.relative_to(self.root))
                if path.is_file() and path.suffix in (".py", ".cpp", ".h") and name not in wanted:
                    path.unlink()
        link = self.root / ".venv"
        if not link.exists():
            link.symlink_to(sys.prefix)
        # Bytecode that is used only where the hash of its source fits: a mutant may have the size and time of another.
        self.run(
            [
                sys.executable,
                "-m",
                "compileall",
                "-q",
                "--invalidation-mode",
                "checked-hash",
                "python",
                "tests",
            ]
        )

    def build(self) -> tuple[bool, str]:
        if not self.with_cpp:
            return True, ""
        folder = self.root / "build/release"
        if not (folder / "build.ninja").exists():
            status, text = self.run(["cmake", "--preset", "release"])
            if status:
                return False, text
        jobs = len(os.sched_getaffinity(0))
        status, text = self.run(["cmake", "--build", folder, "--target", "_core", "dyad_tests", "-j", jobs])
        return status == 0, text

    def run(self, command: list, seconds: float = SECONDS_ALLOWED) -> tuple[int, str]:
        """Status and output. A command that exceeds its time limit is killed with its children and has status -1."""
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            text = process.communicate(timeout=seconds)[0]
            return process.returncode, text
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -1, process.communicate()[0] or ""

    def failure(self, stage: list) -> str:
        """First failing test of a stage, or its last line; empty if all pass.

        A test of times may fail on a busy machine: one that passes when it is tried again by itself is left out.
        """
        left_out: list[str] = []
        while True:
            status, text = self.run([*stage, *(f"--deselect={name}" for name in left_out)])
            if status == -1:
                return "ran too long"
            if status in (0, 5):  # 5: pytest has found nothing to run
                return ""
            named = _FAILED.search(text) if "pytest" in stage else None
            if named is None or named[1] in left_out:
                lines = text.strip().splitlines()
                named = named or _FAILED_CPP.search(text)
                return (
                    named[1] if named else f"{Path(stage[0]).name}: {_short(lines[-1]) if lines else status}"
                )
            if self.run([sys.executable, "-m", "pytest", "-q", named[1]])[0]:
                return named[1]
            left_out.append(named[1])

    def stages(self, room: str, is_cpp: bool) -> list[list]:
        """Commands in the order in which they are tried."""
        stages: list[list] = []
        if is_cpp:
            suites = sorted({suite for folder in ROOMS[room].sources for suite in suites_of(ROOT / folder)})
            if suites:
                chosen = ":".join(f"{suite}.*:*/{suite}.*" for suite in suites)
                stages.append(
                    [
                        self.root / "build/release/src/dyad_tests",
                        f"--gtest_filter={chosen}",
                        "--gtest_brief=1",
                    ]
                )
        return stages + [[sys.executable, "-m", "pytest", "-x", "-q", *stage] for stage in ROOMS[room].stages]


def suites_of(folder: Path) -> set[str]:
    """Names of the suites of C++ tests below a folder."""
    return {
        suite
        for path in folder.rglob("*_test.cpp")
        for suite in re.findall(r"^TEST(?:_[FP])?\((\w+),", path.read_text(), re.MULTILINE)
    }


def try_mutant(copy: Copy, mutant: Mutant) -> dict:
    """Result of testing a mutant. Restores the file of the copy afterwards."""
    path = copy.root / mutant.file
    original = path.read_text()
    began = time.monotonic()
    outcome = {"result": "survived", "by": ""}
    is_cpp = path.suffix != ".py"
    try:
        path.write_text(mutant.applied(original))
        if not is_cpp:
            compile(path.read_text(), str(path), "exec")
        if is_cpp or copy.is_stale:
            copy.is_stale = is_cpp  # what is built is the mutant, until the next build
            if not copy.build()[0]:
                return {"result": "invalid", "by": "does not compile"}
        for stage in copy.stages(mutant.room, is_cpp):
            if failure := copy.failure(stage):
                outcome = {"result": "caught", "by": failure}
                break
    except SyntaxError:
        return {"result": "invalid", "by": "does not parse"}
    finally:
        path.write_text(original)
    return outcome | {"seconds": round(time.monotonic() - began, 1)}


def summary(results: dict[str, dict]) -> str:
    counts = Counter(found["result"] for found in results.values())
    tried = counts["caught"] + counts["survived"]
    share = f"{100 * counts['caught'] / tried:.0f} %" if tried else "none"
    lines = [
        f"{counts['caught']} of {tried} caught ({share}), {counts['equivalent']} equivalent, "
        f"{counts['invalid']} invalid"
    ]
    for room in sorted({found["room"] for found in results.values()}):
        own = Counter(found["result"] for found in results.values() if found["room"] == room)
        lines.append(f"  {room}: {own['caught']} of {own['caught'] + own['survived']}")
    return "\n".join(
        lines + [f"survived: {name}" for name, found in results.items() if found["result"] == "survived"]
    )


def is_current(found: dict) -> bool:
    """True if the source text that a result was measured on is unchanged."""
    path = ROOT / found["file"]
    return path.exists() and path.read_text()[found["start"] : found["end"]] == found["before"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev mutate", description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=300, help="mutants that are caught or survive")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws others")
    parser.add_argument("--rooms", default=",".join(ROOMS), help="names with commas between them")
    parser.add_argument("--language", choices=["python", "cpp"], help="mutants of one language alone")
    parser.add_argument("--list", action="store_true", help="show what would be tried and run nothing")
    parser.add_argument("--again", action="store_true", help="try the survivors again")
    parser.add_argument("--in", type=Path, default=FOLDER, dest="folder", help="where copy and results lie")
    chosen = parser.parse_args()
    chosen.folder, rooms = chosen.folder.resolve(), chosen.rooms.split(",")
    if unknown := set(rooms) - ROOMS.keys():
        parser.error(f"--rooms has {', '.join(sorted(unknown))}; need some of {', '.join(ROOMS)}")
    order = drawn(rooms, chosen.seed, chosen.language)
    if chosen.list:
        for _, mutant in zip(range(chosen.count), order, strict=False):
            print(mutant.name)
        return
    sys.exit(run_all(chosen, rooms, order))


def run_all(chosen: argparse.Namespace, rooms: list[str], order: Iterator[Mutant]) -> int:
    store = chosen.folder / "results.json"
    results: dict[str, dict] = json.loads(store.read_text()) if store.exists() else {}
    results = {name: found for name, found in results.items() if is_current(found)}
    if chosen.again:
        results = {name: found for name, found in results.items() if found["result"] != "survived"}
    with_cpp = any(path.suffix != ".py" for room in rooms for path in files_of(room, chosen.language))
    copy = Copy(chosen.folder, with_cpp)
    built, text = copy.build()
    if not built:
        print(text[-4000:])
        return 1
    tried = 0
    for mutant in order:
        if tried >= chosen.count:
            break
        if mutant.name not in results:
            found = try_mutant(copy, mutant)
            results[mutant.name] = asdict(mutant) | found
            store.write_text(json.dumps(results, indent=1))
            print(
                f"{found['result']}: {mutant.name}" + (f" ({found['by']})" if found["by"] else ""), flush=True
            )
        tried += results[mutant.name]["result"] != "invalid"
    print(summary(results))
    return 0


if __name__ == "__main__":
    main()
