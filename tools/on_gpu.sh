#!/bin/bash
# For a machine with an NVIDIA GPU: unpacks what `./dev bundle` packed, runs the tests of the device and compares with
# PyTorch.
#
#   tools/on_gpu.sh ARCHIVE RESULTS [tests] [eager] [train]
#
# RESULTS is a folder; every part leaves its log and its table there. The Python that is found as python3 needs NumPy and
# pytest, and PyTorch for the benches; the archive must hold the extension for its version.
set -u
archive=$(realpath "$1")
results=$(realpath -m "$2")
shift 2
parts=${*:-tests eager train}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
tar -xf "$archive" -C "$here"
cd "$here/dyad-bundle"
export PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1 DYAD_CUDA_DRIVER=libcuda.so.1
export LD_LIBRARY_PATH="$PWD/python/dyad/lib:$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
mkdir -p "$results"
nvidia-smi -L
python3 -c 'import dyad; dyad.set_device("GPU"); print(dyad.__version__, dyad.hal.get_device_name())' || exit 1
for part in $parts; do
  case $part in
    tests) python3 -m pytest -q --maxfail=60 -p no:cacheprovider tests/gpu > "$results/tests.log" 2>&1; tail -n 40 "$results/tests.log" ;;
    eager) python3 bench/eager.py --device gpu --turns 3 --table "$results/eager.md" > "$results/eager.log" 2>&1; tail -n 60 "$results/eager.log" ;;
    train) python3 bench/train.py --device gpu --turns 3 --table "$results/train.md" > "$results/train.log" 2>&1; tail -n 30 "$results/train.log" ;;
    *) echo "on_gpu: unknown part $part; known are tests, eager, train" >&2; exit 2 ;;
  esac
done
