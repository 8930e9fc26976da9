"""Checks the tree against rooms.toml.

src/ and include/: includes, foreign headers, a README in each room. python/dyad: imports (see python_rooms.py).

Usage: check_rooms.py [--edges] [ROOT]; prints one line per fault and exits with 1 if there is any. With --edges it
first prints every edge between rooms that the tree has, with the number of includes or imports behind it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import python_rooms

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
PUBLIC = "include"
TESTS = "tests"
TEST_ENDINGS = ("_test.cpp", "_fixture.h")


class Rooms:
    """The floor plan: allowed edges between rooms, and the rooms that may see each foreign header."""

    def __init__(self, plan: dict) -> None:
        self.edges: dict[str, list[str]] = plan["rooms"]
        self.foreign = {re.compile(pattern): rooms for pattern, rooms in plan.get("foreign", {}).items()}

    def room_of(self, path: str) -> str | None:
        """Room of a path relative to src/; the longest name wins (kernels/cpu over kernels).

        Tests lie beside what they test, and make a room of their own wherever they lie."""
        if path.endswith(TEST_ENDINGS) and TESTS in self.edges:
            return TESTS
        if path.startswith("dyad/"):
            return PUBLIC
        names = [room for room in self.edges if path.startswith(f"{room}/")]
        return max(names, key=len, default=None)

    def below(self, room: str) -> set[str]:
        """Every room that `room` may include."""
        reached: set[str] = set()
        waiting = list(self.edges[room])
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self.edges.get(name, [])
        return reached


def check(root: Path) -> list[str]:
    plan = tomllib.loads((root / "rooms.toml").read_text())
    rooms = Rooms(plan)
    in_python = python_rooms.PythonRooms(plan["python"]) if "python" in plan else None
    python_faults = python_rooms.check(root, in_python) if in_python else []
    faults = list(_plan_faults(rooms))
    if not faults:
        faults = [*_readme_faults(root, rooms), *_include_faults(root, rooms)]
    return [*faults, *python_faults]


def edges(root: Path) -> Iterator[str]:
    """Edges of the tree, with a heading for each language."""
    plan = tomllib.loads((root / "rooms.toml").read_text())
    rooms = Rooms(plan)
    counts: Counter = Counter()
    for _, room, _, included in _includes(root, rooms):
        target = rooms.room_of(included)
        if room is not None and target not in (None, room):
            counts[room, target] += 1
    yield f"includes between rooms of src: {counts.total()} on {len(counts)} edges"
    yield from (f"  {room} -> {target}: {count}" for (room, target), count in sorted(counts.items()))
    if "python" in plan:
        found = list(python_rooms.edges(root, python_rooms.PythonRooms(plan["python"])))
        yield f"imports between rooms of python/dyad: {len(found)} edges"
        yield from (f"  {line}" for line in found)


def _plan_faults(rooms: Rooms) -> Iterator[str]:
    for room, edges in rooms.edges.items():
        for name in edges:
            if name not in rooms.edges:
                yield f"rooms.toml: {room} names {name}, which is no room"
        if room in rooms.below(room):
            yield f"rooms.toml: {room} reaches itself through {', '.join(edges)}"
    for pattern, names in rooms.foreign.items():
        for name in names:
            if name not in rooms.edges:
                yield f"rooms.toml: foreign {pattern.pattern} names {name}, which is no room"


def _readme_faults(root: Path, rooms: Rooms) -> Iterator[str]:
    for room in rooms.edges.keys() - {TESTS}:
        readme = f"{room}/README.md" if room == PUBLIC else f"src/{room}/README.md"
        if not (root / readme).is_file():
            yield f"{readme}: missing; a room says on at most a page what it is for"


def _sources(root: Path, rooms: Rooms) -> Iterator[tuple[Path, str | None]]:
    """Every source file and its room."""
    for base in ("src", PUBLIC):
        for file in sorted((root / base).rglob("*")):
            if file.suffix in SOURCE_SUFFIXES:
                yield file, rooms.room_of(file.relative_to(root / base).as_posix())


def _includes(root: Path, rooms: Rooms) -> Iterator[tuple[Path, str | None, int, str]]:
    """Every include: file, its room, line, and the included path."""
    for file, room in _sources(root, rooms):
        text = file.read_text()
        for match in INCLUDE.finditer(text):
            yield file, room, text.count("\n", 0, match.start(1)) + 1, match[1]


def _include_faults(root: Path, rooms: Rooms) -> Iterator[str]:
    for file, room in _sources(root, rooms):
        if room is None:
            yield f"{file.relative_to(root).as_posix()}: lies in no room of rooms.toml"
    for file, room, line, included in _includes(root, rooms):
        fault = room and _include_fault(rooms, room, included)
        if fault:
            yield f"{file.relative_to(root).as_posix()}:{line}: {fault}"


def _include_fault(rooms: Rooms, room: str, included: str) -> str | None:
    target = rooms.room_of(included)
    below = rooms.below(room)
    if target is not None and target != room and target not in below:
        return f"{room} may not include {included}; it may know {', '.join(sorted(below)) or 'no room'}"
    for pattern, allowed in rooms.foreign.items():
        if pattern.fullmatch(included) and room not in allowed:
            return f"{room} may not include {included}; only {', '.join(allowed)} may"
    return None


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--edges"]
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    if "--edges" in sys.argv[1:]:
        print(*edges(root), sep="\n")
    faults = check(root)
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
