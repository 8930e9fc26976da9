"""The Python half of the room check: what the modules of python/dyad import, against [python] of rooms.toml."""

from __future__ import annotations

import ast
import dataclasses
import fnmatch
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "dyad"
HOME = f"python/{PACKAGE}"
LOADER = f"{PACKAGE}._src.base.lazy_import"  # its `load` imports a module by name


@dataclasses.dataclass(frozen=True)
class Import:
    """One imported module. `kind` is "import", "lazy" (inside a function) or "typing" (under TYPE_CHECKING)."""

    importer: str
    file: str
    line: int
    module: str
    kind: str


class PythonRooms:
    """The plan: modules of each room, imports it may have, and imports allowed inside functions."""

    def __init__(self, plan: dict) -> None:
        self.holds: dict[str, list[str]] = {room: entry["holds"] for room, entry in plan["rooms"].items()}
        self.edges: dict[str, list[str]] = {room: entry["imports"] for room, entry in plan["rooms"].items()}
        self.lazy: dict[str, dict] = plan.get("lazy", {})
        self._room_of = {held: room for room, held_here in self.holds.items() for held in held_here}

    def room_of(self, module: str) -> str | None:
        """The room of a module, given as `dyad.x.y`; the longest held name wins. `dyad` itself is held as `.`."""
        if module == PACKAGE:
            return self._room_of.get(".")
        parts = module.split(".")[1:]
        for length in range(len(parts), 0, -1):
            room = self._room_of.get("/".join(parts[:length]))
            if room is not None:
                return room
        return None

    def reason_for(self, late: Import) -> tuple[str, str] | None:
        """The entry of `lazy` and the place in it that allow a late import; a place includes all below it."""
        place = late.importer.removeprefix(PACKAGE).lstrip(".").replace(".", "/") or "."
        fitting = [pattern for pattern in self.lazy if fnmatch.fnmatchcase(late.module, pattern)]
        for pattern in sorted(fitting, key=lambda pattern: pattern != late.module):
            for allowed in sorted(self.lazy[pattern]["in"], key=len, reverse=True):
                if place == allowed or place.startswith(f"{allowed}/"):
                    return pattern, allowed
        return None

    def may_import(self, room: str, target: str) -> bool:
        return room == target or target in self.edges[room]


def modules_of(root: Path) -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    found = {}
    for file in sorted((root / HOME).rglob("*.py")):
        parts = list(file.relative_to(root / "python").with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def extensions(root: Path) -> set[str]:
    """Modules compiled by the bindings. Before a build the package has no file for them."""
    sources = (root / "src/bindings").rglob("*.cpp")
    return {
        name
        for source in sources
        for name in re.findall(r"^NB_MODULE\((\w+),", source.read_text(), re.MULTILINE)
    }


class _Finder(ast.NodeVisitor):
    """Collects the imports of one module."""

    def __init__(self, name: str, is_package: bool, known: set[str]) -> None:
        self._name, self._known = name, known
        self._package = name if is_package else name.rpartition(".")[0]
        self._kind = "import"
        self._loaders: set[str] = set()
        self.found: list[tuple[int, str, str]] = []  # line, module, kind

    def _within(self, node: ast.AST, kind: str) -> None:
        outer, self._kind = self._kind, kind
        self.generic_visit(node)
        self._kind = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._within(node, "lazy")

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._within(node, "lazy")

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._within(node, "lazy")

    def visit_If(self, node: ast.If) -> None:
        named = {getattr(part, "id", getattr(part, "attr", None)) for part in ast.walk(node.test)}
        if "TYPE_CHECKING" not in named:
            self.generic_visit(node)
            return
        outer, self._kind = self._kind, "typing"
        for statement in node.body:
            self.visit(statement)
        self._kind = outer
        for statement in node.orelse:
            self.visit(statement)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            package = self._package.split(".")
            base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
        if base == LOADER:
            self._loaders.update(alias.asname or alias.name for alias in node.names if alias.name == "load")
        for alias in node.names:
            below = f"{base}.{alias.name}"
            self._add(node, below if below in self._known else base)

    def visit_Call(self, node: ast.Call) -> None:
        """Module imported by its name in a string; if only its beginning is known, that and a star."""
        called = ast.unparse(node.func)
        if node.args and (
            called in self._loaders or called in ("importlib.import_module", "lazy_import.load")
        ):
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self._add(node, name.value)
            elif isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
                self._add(node, f"{name.values[0].value!s}*")
        self.generic_visit(node)

    def _add(self, node: ast.stmt | ast.expr, module: str) -> None:
        found = (node.lineno, module, self._kind)
        if found not in self.found:  # one statement may take several names from one module
            self.found.append(found)


def imports_of(root: Path, rooms: PythonRooms) -> list[Import]:
    """Every import of the package, in the order of the files."""
    modules = modules_of(root)
    held = {f"{PACKAGE}.{name.replace('/', '.')}" for names in rooms.holds.values() for name in names}
    found = []
    for name, file in modules.items():
        finder = _Finder(name, file.name == "__init__.py", {*modules, *held})
        finder.visit(ast.parse(file.read_text()))
        shown = file.relative_to(root).as_posix()
        found += [Import(name, shown, line, module, kind) for line, module, kind in finder.found]
    return found


def is_own(module: str) -> bool:
    """True if a module belongs to the package."""
    return module.partition(".")[0] == PACKAGE


def _room_of_import(rooms: PythonRooms, module: str) -> str | None:
    return rooms.room_of(module.rstrip("*").rstrip("."))


def plan_faults(root: Path, rooms: PythonRooms) -> Iterator[str]:
    """Faults of the plan itself."""
    places: Counter = Counter(name for names in rooms.holds.values() for name in names)
    for name, times in places.items():
        if times > 1:
            yield f"rooms.toml: {name} is held by {times} rooms"
    for room, names in rooms.holds.items():
        for name in names:
            path = root / HOME / name
            if not path.exists() and not path.with_suffix(".py").exists() and name not in extensions(root):
                yield f"rooms.toml: {room} holds {name}, which is not in {HOME}"
    above: set[str] = set(rooms.edges)
    for room, edges in rooms.edges.items():
        for target in edges:
            if target not in rooms.edges:
                yield f"rooms.toml: {room} imports {target}, which is no room"
            elif target in above:
                yield f"rooms.toml: {room} imports {target}, which is not below it"
        above.discard(room)


def import_faults(root: Path, rooms: PythonRooms) -> Iterator[str]:
    """Modules outside every room, imports that the plan does not allow, late imports without a reason."""
    for name, file in modules_of(root).items():
        if rooms.room_of(name) is None:
            yield f"{file.relative_to(root).as_posix()}: lies in no room of rooms.toml"
    used = set()
    for each in imports_of(root, rooms):
        room = rooms.room_of(each.importer)
        if room is None:
            continue
        where = f"{each.file}:{each.line}"
        if is_own(each.module):
            target = _room_of_import(rooms, each.module)
            if target is None:
                yield f"{where}: {each.module} lies in no room of rooms.toml"
            elif not rooms.may_import(room, target):
                allowed = ", ".join(rooms.edges[room]) or "no room"
                yield f"{where}: {room} may not import {each.module} of {target}; it may import {allowed}"
        if each.kind == "lazy":
            reason = rooms.reason_for(each)
            if reason:
                used.add(reason)
            else:
                yield f"{where}: {each.module} is imported inside a function; import it above, or list why not"
    for module, entry in rooms.lazy.items():
        if not entry.get("why"):
            yield f"rooms.toml: lazy {module} has no reason"
        for place in entry["in"]:
            if (module, place) not in used:
                yield f"rooms.toml: lazy {module} names {place}, which does not import it inside a function"


def cycle_faults(root: Path, rooms: PythonRooms) -> Iterator[str]:
    """Modules that import each other in a cycle."""
    needs: dict[str, set[str]] = {}
    for each in imports_of(root, rooms):
        if each.kind == "import" and is_own(each.module):
            needs.setdefault(each.importer, set()).add(each.module)
    done: set[str] = set()
    for start in needs:
        yield from _cycles_from(start, needs, done, [])


def _cycles_from(module: str, needs: dict, done: set, path: list) -> Iterator[str]:
    if module in path:
        yield f"import cycle: {' -> '.join([*path[path.index(module) :], module])}"
        return
    if module in done:
        return
    for needed in sorted(needs.get(module, ())):
        yield from _cycles_from(needed, needs, done, [*path, module])
    done.add(module)


def edges(root: Path, rooms: PythonRooms) -> Iterator[str]:
    """One line for each pair of rooms with the number of imports, and those of them inside functions or for types."""
    counts: dict[tuple[str, str], Counter] = {}
    for each in imports_of(root, rooms):
        if is_own(each.module):
            pair = (rooms.room_of(each.importer) or "?", _room_of_import(rooms, each.module) or "?")
            if pair[0] != pair[1]:
                counts.setdefault(pair, Counter())[each.kind] += 1
    for (room, target), kinds in sorted(counts.items()):
        details = [f"{kinds[kind]} {text}" for kind, text in _DETAILS.items() if kinds[kind]]
        shown = f" ({', '.join(details)})" if details else ""
        yield f"{room} -> {target}: {kinds.total()}{shown}"
    for room, targets in rooms.edges.items():
        for target in targets:
            if (room, target) not in counts:
                yield f"{room} -> {target}: allowed, not used"


_DETAILS = {"lazy": "inside functions", "typing": "for types"}


def check(root: Path, rooms: PythonRooms) -> list[str]:
    """One line for each fault."""
    faults = list(plan_faults(root, rooms))
    return faults or [*import_faults(root, rooms), *cycle_faults(root, rooms)]
