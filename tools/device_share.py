#!/usr/bin/env python3
"""Prints the share of the wheel that NVIDIA's devices need: device_share.py [BUILD FOLDER], by default build/release.

Device code lies packed in libdyad, and a wheel cannot pack it further. Code of the host that launches it is counted
from its object files, and packed as well as libdyad as a whole is. Ends with status 1 above 5 MB.
"""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 5_000_000
LIBRARY = ROOT / "python/dyad/lib/libdyad.so"
OBJECTS = ("dyad_kernels_cuda.dir", "dyad_runtime.dir/runtime/cuda", "dyad_codegen_cuda.dir")


def loaded_bytes(objects: list[Path]) -> int:
    """Bytes of code and data that the objects put into a library."""
    listing = subprocess.run(["size", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    return sum(
        int(text) + int(data) for text, data, *_ in (line.split() for line in listing.splitlines()[1:])
    )


def main(arguments: list[str]) -> int:
    build = Path(arguments[0]) if arguments else ROOT / "build/release"
    code = build / "device_code/code.bin"
    objects = sorted(build.glob("**/*.o"))
    hosts = [path for path in objects if any(part in str(path) for part in OBJECTS)]
    indices = [path for path in objects if path.name == "index.cpp.o" and "device_code" in str(path)]
    if not code.exists() or not hosts or not indices:
        sys.exit(f"device_share: {build} holds no build with device code; run ./dev build")
    device = code.stat().st_size
    host = loaded_bytes(hosts) + loaded_bytes(indices) - device
    library = LIBRARY.read_bytes()
    others = len(library) - device
    ratio = (len(zlib.compress(library, 6)) - device) / others
    packed = device + round(host * ratio)
    print(f"device code, packed: {device:,} bytes")
    print(f"host code that launches it: {host:,} bytes, packed about {round(host * ratio):,}")
    print(f"together in the wheel: {packed / 1e6:.1f} MB; at most {LIMIT / 1e6:.0f} MB are allowed")
    return int(packed > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
