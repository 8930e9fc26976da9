"""Checks src/ and include/ against rooms.toml: includes, foreign headers, a README in each room.

Usage: check_rooms.py [ROOT]; prints one line per fault and exits with 1 if there is any.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
PUBLIC = "include"


class Rooms:
    """The floor plan: allowed edges between rooms, and the rooms that may see each foreign header."""

    def __init__(self, plan: dict) -> None:
        self.edges: dict[str, list[str]] = plan["rooms"]
        self.foreign = {re.compile(pattern): rooms for pattern, rooms in plan.get("foreign", {}).items()}

    def room_of(self, path: str) -> str | None:
        """The room that a path relative to src/ lies in; the longest name wins (kernels/cpu over kernels)."""
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
    rooms = Rooms(tomllib.loads((root / "rooms.toml").read_text()))
    faults = list(_plan_faults(rooms))
    if faults:
        return faults
    return [*_readme_faults(root, rooms), *_include_faults(root, rooms)]


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
    for room in rooms.edges:
        readme = f"{room}/README.md" if room == PUBLIC else f"src/{room}/README.md"
        if not (root / readme).is_file():
            yield f"{readme}: missing; a room says on at most a page what it is for"


def _include_faults(root: Path, rooms: Rooms) -> Iterator[str]:
    for base in ("src", PUBLIC):
        for file in sorted((root / base).rglob("*")):
            if file.suffix not in SOURCE_SUFFIXES:
                continue
            shown = file.relative_to(root).as_posix()
            room = rooms.room_of(file.relative_to(root / base).as_posix())
            if room is None:
                yield f"{shown}: lies in no room of rooms.toml"
                continue
            text = file.read_text()
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start(1)) + 1
                fault = _include_fault(rooms, room, match[1])
                if fault:
                    yield f"{shown}:{line}: {fault}"


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
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    faults = check(root.resolve())
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
