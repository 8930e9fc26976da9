#!/bin/bash
# For a machine with many cores: unpacks what `./dev bundle` packed and measures how programs go with more threads.
#
#   tools/on_many_cores.sh ARCHIVE RESULTS [arguments of bench/threads.py]
#
# RESULTS is a folder; threads.md in it is the table, written again after every program. The Python that is found as
# python3 needs NumPy, and PyTorch for its rows; the archive must hold the extension for its version.
set -eu
archive=$(realpath "$1")
results=$(realpath -m "$2")
shift 2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
tar -xf "$archive" -C "$here"
cd "$here/dyad-bundle"
export PYTHONPATH="$PWD/python" PYTHONUNBUFFERED=1
export LD_LIBRARY_PATH="$PWD/python/dyad/lib:$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
mkdir -p "$results"
python3 --version
python3 -c 'import dyad; print("dyad", dyad.__version__)'
lscpu | grep -E "Model name|^CPU\(s\)|Thread|Socket|L2|L3" || true
python3 bench/threads.py --table "$results/threads.md" "$@" 2>&1 | tee "$results/threads.log"
