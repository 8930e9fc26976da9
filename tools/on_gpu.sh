#!/bin/bash
# For a machine with an NVIDIA GPU: unpacks what `./dev bundle` packed, runs the tests of the device and compares with
# PyTorch.
#
#   tools/on_gpu.sh ARCHIVE RESULTS [PART]...
#
#   tests       the tests of the device                     soak       long training: memory stays flat
#   eager       operators beside PyTorch                    processes  several on one device, one of them killed
#   train       training steps beside PyTorch               streams    two threads on two streams
#   wrong       wrong programs, and the device works on     suites     tests of other folders, on the device
#   sanitizer   memory, races and barriers of every kernel under compute-sanitizer
#
# RESULTS is a folder; every part leaves its logs and its table there. Without parts: tests, eager and train. tests, suites
# and sanitizer run on all cores, for at most TESTS_SECONDS, SUITES_SECONDS and SANITIZER_SECONDS (each of its three
# tools); the others but the benches take less than a minute. All end with a verdict. The Python that is found as python3
# needs NumPy and pytest, and PyTorch for the benches; the archive must hold the extension for its version.
set -u
archive=$(realpath "$1")
results=$(realpath -m "$2")
shift 2
parts=${*:-tests eager train}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
tar -xf "$archive" -C "$here"
cd "$here/dyad-bundle"
export PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}:$PWD/packages" PYTHONUNBUFFERED=1 DYAD_CUDA_DRIVER="${DYAD_CUDA_DRIVER:-libcuda.so.1}"
export LD_LIBRARY_PATH="$PWD/python/dyad/lib:$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
mkdir -p "$results"
failed=0

# Runs a command with a limit in seconds and its output in a log, and shows the log's last lines.
logged() {
  local name=$1 seconds=$2 lines=$3
  shift 3
  timeout "$seconds" "$@" > "$results/$name.log" 2>&1
  local status=$?
  tail -n "$lines" "$results/$name.log"
  [ $status -eq 124 ] && echo "$name: FAILED: not done after $seconds s"
  [ $status -eq 0 ] || failed=1
  return $status
}

nvidia-smi -L
python3 -c 'import dyad; dyad.set_device("GPU"); print(dyad.__version__, dyad.hal.get_device_name())' || exit 1
for part in $parts; do
  case $part in
    tests) logged tests 1200 40 python3 tests/gpu/side_by_side.py "$results/tests" tests tests/gpu \
      --seconds "${TESTS_SECONDS:-300}" ;;
    suites) logged suites 1200 60 python3 tests/gpu/side_by_side.py "$results/suites" tests \
      tests/tensor tests/nn tests/autodiff tests/optim tests/train --seconds "${SUITES_SECONDS:-400}" ;;
    eager) logged eager 1200 60 python3 bench/eager.py --device gpu --turns 3 --table "$results/eager.md" ;;
    train) logged train 1200 30 python3 bench/train.py --device gpu --turns 3 --table "$results/train.md" ;;
    soak) logged soak 60 3 python3 tests/gpu/soak.py ;;
    processes) logged processes 60 4 python3 tests/gpu/processes.py ;;
    streams) logged streams 60 4 python3 tests/gpu/two_streams.py ;;
    wrong) logged wrong 60 12 python3 -m pytest -q --tb=line -p no:cacheprovider tests/gpu/test_gpu_wrong_programs.py \
      && echo "wrong: passed" ;;
    sanitizer)
      for tool in memcheck racecheck synccheck; do
        logged "$tool" 1200 12 python3 tests/gpu/side_by_side.py "$results/sanitizer" $tool --seconds "${SANITIZER_SECONDS:-180}"
      done
      ;;
    *) echo "on_gpu: unknown part $part; known are tests, suites, eager, train, soak, processes, streams, wrong, sanitizer" >&2; exit 2 ;;
  esac
done
exit $failed
