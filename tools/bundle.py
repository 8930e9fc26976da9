"""Packs the build for another machine of the same kind: libraries, package, benchmarks and tests, as one archive.

Usage: bundle.py; started by `./dev bundle`. The archive holds the extension for every Python it was built for, and the
oneDNN and OpenMP libraries that the build uses; `tools/on_many_cores.sh` says how it is used.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = ROOT / "dist/dyad-bundle.tar.xz"
FOLDERS = ("python/dyad", "bench", "tests", "examples")
FILES = ("pyproject.toml", "docs/gpu.md", "tools/mutate_files.py")  # which tests read
PACKAGES = ("hypothesis", "sortedcontainers")  # which tests import
LIBRARIES = ("libdnnl.so", "libgomp.so")  # how their names begin
LEFT_OUT = ("__pycache__", ".pytest_cache", ".hypothesis")


def libraries_of(library: Path) -> dict[str, Path]:
    """Dependencies that the dynamic linker finds for a library, by name."""
    listing = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
    pairs = (line.split("=>") for line in listing.splitlines() if "=>" in line)
    return {name.strip(): Path(place.split()[0]) for name, place in pairs if place.split()}


def packages() -> list[Path]:
    """Packages of every Python version that has a build; their extensions have different names."""
    sites = sorted(ROOT.glob(".venv*/lib/python3.*/site-packages"))
    return [site / name for site in sites for name in PACKAGES if (site / name).exists()]


def main() -> None:
    library = ROOT / "python/dyad/lib/libdyad.so"
    if not library.exists():
        sys.exit("bundle: there is no build; run ./dev build")
    ARCHIVE.parent.mkdir(exist_ok=True)

    def wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if Path(entry.name).name in LEFT_OUT else entry

    with tarfile.open(ARCHIVE, "w:xz", preset=6) as archive:
        for folder in FOLDERS:
            archive.add(ROOT / folder, f"dyad-bundle/{folder}", filter=wanted)
        for name in FILES:
            archive.add(ROOT / name, f"dyad-bundle/{name}")
        for package in packages():
            archive.add(package, f"dyad-bundle/packages/{package.name}", filter=wanted)
        for name, place in libraries_of(library).items():
            if name.startswith(LIBRARIES):
                archive.add(place.resolve(), f"dyad-bundle/lib/{name}")
    extensions = sorted(path.name for path in (ROOT / "python/dyad").glob("_core.*.so"))
    print(f"{ARCHIVE.relative_to(ROOT)}: {ARCHIVE.stat().st_size / 1e6:.1f} MB, with {', '.join(extensions)}")


if __name__ == "__main__":
    main()
