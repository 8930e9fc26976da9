"""Builds with sanitizers: environment variables to load them in Python, and the tests for a change."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# The interpreter, tables of the process and loaded code keep memory until the process ends, so leaks say nothing; a
# request beyond all memory must come back as a refusal, as it does without the sanitizer, since the library makes a
# MemoryError of it.
ADDRESS_OPTIONS = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=16384"

# What every change runs under AddressSanitizer and UndefinedBehaviorSanitizer, besides the C++ tests: kernels at
# awkward sizes, compiled layers, gradients, tensors that share memory. `./dev test --debug` runs all tests.
ADDRESS_SLICE = [
    "tests/sweep",
    "tests/tensor/test_subscript.py",
    "tests/tensor/test_host.py",
    "tests/ops/test_extreme_sizes.py",
    "tests/ops/test_many_slices.py",
    "tests/ops/test_memory.py",
    "tests/jit/test_compiled_convolutions.py",
    "tests/jit/test_compiled_products.py",
    "tests/autodiff/test_higher_order.py",
    "tests/dataset/test_native_pipeline.py",
    "tests/dataset/test_vision_decode.py",
    "tests/dataset/test_vision_resize.py",
    "tests/dataset/test_vision_crop_pad.py",
    "tests/dataset/test_vision_geometry.py",
    "tests/dataset/test_text_tokenizers.py",
    "tests/dataset/test_mindrecord.py",
]
# The tests in which threads meet.
THREAD_SLICE = [
    "tests/dataset/test_native_pipeline_threads.py",
    "tests/jit/test_threads.py",
    "tests/jit/test_static_process.py",
    "tests/jit/test_process_end.py",
    "tests/tensor/test_host.py",
]


def address_variables() -> dict[str, str]:
    return {
        **_variables("debug", "libasan.so"),
        "ASAN_OPTIONS": ADDRESS_OPTIONS,
    }


def thread_variables() -> dict[str, str]:
    return {
        **_variables("threads", "libtsan.so"),
        # The runtime of OpenMP is not instrumented, so that its barriers are not seen: regions have one thread, and
        # what is tried is how the program's own threads share the library.
        "OMP_NUM_THREADS": "1",
        "TSAN_OPTIONS": f"halt_on_error=0:exitcode=66:suppressions={ROOT / 'tools/threads.supp'}",
    }


def _variables(preset: str, runtime: str) -> dict[str, str]:
    """Variables under which Python loads a build: a folder of links and the sanitizer's runtime."""
    package = ROOT / "build" / preset / "python/dyad"
    for source in (ROOT / "python/dyad").iterdir():
        link = package / source.name
        if source.name != "lib" and source.suffix != ".so" and not link.exists():
            link.symlink_to(source)
    libraries = [
        subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        for name in (runtime, "libstdc++.so")
    ]
    return {**os.environ, "PYTHONPATH": str(package.parent), "LD_PRELOAD": ":".join(libraries)}
