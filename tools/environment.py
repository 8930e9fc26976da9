"""Requirements of `./dev`: Debian packages, Python interpreters, virtual environments."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import progress

ROOT = Path(__file__).resolve().parent.parent
_printing = threading.Lock()
SUPPORTED = ((3, 11), (3, 12), (3, 13))

# Debian package -> the program or file that shows it is there.
SYSTEM_PACKAGES = {
    "g++": "g++",
    "cmake": "cmake",
    "ninja-build": "ninja",
    "ccache": "ccache",
    "libgtest-dev": "/usr/include/gtest/gtest.h",
    "llvm-22-dev": "/usr/lib/llvm-22/include/llvm/IR/Module.h",
    "clang-22": "/usr/lib/llvm-22/bin/clang++",
    "libjpeg62-turbo-dev": "/usr/include/jpeglib.h",
    "libpng-dev": "/usr/include/png.h",
    "zlib1g-dev": "/usr/include/zlib.h",
}
PYTHON_PACKAGES = ["python3-venv", "python3-dev"]
# For tests that are skipped without it: the page of `dyad watch` is looked at in a browser.
TEST_PACKAGES = {"chromium": "chromium"}


def run(command: list, **options) -> None:
    """Runs a command, showing it first; ends the program with the command's status if it fails."""
    _show(command)
    status = subprocess.run([str(part) for part in command], cwd=ROOT, **options).returncode
    if status:
        sys.exit(status)


def run_together(commands: list[list], at_once: int, env: dict[str, str] | None = None) -> None:
    """Like `run` for several commands at once: the first one's output is shown live, the others' when they end."""
    first, *others = ([str(part) for part in command] for command in commands)
    slots = threading.Semaphore(at_once)
    with ThreadPoolExecutor(len(commands)) as pool:
        slots.acquire()
        seen = pool.submit(_run_in_slot, first, slots, env, shown=True)
        hidden = []
        for command in others:
            slots.acquire()
            hidden.append(pool.submit(_run_in_slot, command, slots, env, shown=False))
        statuses = [each.result() for each in (seen, *hidden)]
    if any(statuses):
        sys.exit(next(status for status in statuses if status))


def _run_in_slot(
    command: list[str], slots: threading.Semaphore, env: dict[str, str] | None, shown: bool
) -> int:
    """Runs a command and releases its slot; output that is not shown live is printed at the end."""
    if shown:
        _show(command)
    output = None if shown else subprocess.PIPE
    errors = output and subprocess.STDOUT
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=output, stderr=errors, text=True)
    slots.release()
    if not shown:
        with _printing:
            _show(command)
            print(done.stdout, flush=True)
    return done.returncode


def run_build(command: list) -> None:
    """Like `run`, for a build: shows the progress instead of the output."""
    _show(command)
    status = progress.run_build([str(part) for part in command], ROOT)
    if status:
        sys.exit(status)


def _show(command: list) -> None:
    line = " ".join(["$", *(_shown(part) for part in command)])
    print(f"\033[2m{line}\033[0m" if sys.stdout.isatty() else line, flush=True)


def _shown(part) -> str:
    return str(part).removeprefix(f"{ROOT}/")


def ensure_system_packages(meanwhile: Callable[[], object], for_tests: bool) -> None:
    """Installs missing Debian packages; if a Python is there, runs in parallel what needs only that."""
    missing = _missing(SYSTEM_PACKAGES)
    if for_tests and _can_install():
        missing += _missing(TEST_PACKAGES)
    if missing and find_pythons():
        install = _installation_of(missing)
        with ThreadPoolExecutor() as pool:
            beside = pool.submit(meanwhile)
            install()
            beside.result()
    elif not find_pythons():
        _installation_of(missing + PYTHON_PACKAGES)()
        find_pythons.cache_clear()
    if not find_pythons():
        sys.exit("dev: no Python from 3.11 to 3.13 with its headers and venv module was found; install one")


def _missing(packages: dict[str, str]) -> list[str]:
    return [package for package, sign in packages.items() if not _present(sign)]


def _can_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def _present(sign: str) -> bool:
    return Path(sign).exists() if sign.startswith("/") else shutil.which(sign) is not None


def _installation_of(packages: list[str]) -> Callable[[], None]:
    """Returns a function that installs the packages; exits if they cannot be installed from here."""
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if not shutil.which("apt-get"):
        sys.exit(f"dev: missing from this machine: {', '.join(packages)} (names in Debian)")
    if os.geteuid() != 0:
        sys.exit(f"dev: missing Debian packages and no right to install them; run: sudo {' '.join(install)}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}

    def installation() -> None:
        run(["apt-get", "update", "-q"], env=quiet)
        run(install, env=quiet)

    return installation


@dataclass(frozen=True)
class Interpreter:
    """A Python that can make a virtual environment and compile an extension."""

    path: Path
    version: tuple[int, int]

    @property
    def tag(self) -> str:
        return f"cp{self.version[0]}{self.version[1]}"


_PROBE = """
import ensurepip, json, os, sys, sysconfig, venv
headers = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
usable = headers and not sysconfig.get_config_var("Py_GIL_DISABLED")
print(json.dumps([sys.executable, sys.version_info[:2], usable]))
"""


@functools.cache
def find_pythons() -> list[Interpreter]:
    """One interpreter for each supported version found, oldest first."""
    found: dict[tuple[int, int], Interpreter] = {}
    for candidate in _python_candidates():
        try:
            probe = subprocess.run([candidate, "-c", _PROBE], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if probe.returncode == 0:
            path, version, usable = json.loads(probe.stdout)
            if usable and tuple(version) in SUPPORTED:
                found.setdefault(tuple(version), Interpreter(Path(path), tuple(version)))
    return [found[version] for version in sorted(found)]


def _python_candidates() -> list[str]:
    names = ["python3", *(f"python{major}.{minor}" for major, minor in SUPPORTED)]
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    candidates = [folder / name for folder in folders for name in names]
    # A pyenv shim only runs the activated version; the others lie beside the shims.
    pyenv_roots = {folder.parent for folder in folders if folder.name == "shims"}
    pyenv_roots |= {Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()}
    for root in sorted(pyenv_roots):
        candidates += sorted(root.glob("versions/3.1[123].*/bin/python"))
    inside_own_environment = f"{ROOT}/.venv"
    usable = [str(path) for path in candidates if path.exists()]
    return [path for path in dict.fromkeys(usable) if not path.startswith(inside_own_environment)]


def requirements(*groups: str) -> list[str]:
    """The packages of the named dependency groups of pyproject.toml."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    packages: list[str] = []
    for group in groups:
        for entry in table[group]:
            packages += requirements(entry["include-group"]) if isinstance(entry, dict) else [entry]
    return list(dict.fromkeys(packages))


def ensure_venv(interpreter: Interpreter, name: str, packages: list[str], in_place: bool = True) -> Path:
    """Creates the environment ROOT/name, or installs missing packages in it, and returns its Python.

    With in_place, the environment imports dyad from python/. A stamp remembers the interpreter and the packages
    installed so far, so that a call with nothing to do takes no time.
    """
    folder = ROOT / name
    python = folder / "bin" / "python"
    stamp = folder / "packages.stamp"
    maker = f"{interpreter.path}, in place: {in_place}"
    made_by, *installed = stamp.read_text().splitlines() if stamp.exists() else [""]
    if made_by != maker or not _runs(python):
        installed = []
    if installed and set(packages) <= set(installed):
        return python
    if not _runs(python) or not _same_version(python, interpreter):
        run([interpreter.path, "-m", "venv", "--clear", folder])
    run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages])
    if in_place:
        version = f"python{interpreter.version[0]}.{interpreter.version[1]}"
        (folder / "lib" / version / "site-packages" / "dyad-in-place.pth").write_text(f"{ROOT / 'python'}\n")
    by_name = {_name(package): package for package in [*installed, *packages]}
    stamp.write_text("\n".join([maker, *by_name.values()]))
    return python


def _name(requirement: str) -> str:
    return re.split(r"[\s<>=!~;\[]", requirement)[0].lower()


def _runs(python: Path) -> bool:
    return python.exists() and subprocess.run([python, "-c", ""]).returncode == 0


def _same_version(python: Path, interpreter: Interpreter) -> bool:
    show = "import sys; print(*sys.version_info[:2])"
    version = subprocess.run([python, "-c", show], capture_output=True, text=True).stdout.split()
    return tuple(map(int, version)) == interpreter.version
