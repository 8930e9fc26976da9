"""The emulated driver itself: what it must catch for tests on it to mean something."""

import subprocess
import sys

import pytest
from test_emulated_device import DRIVERS

pytestmark = pytest.mark.skipif(
    not DRIVERS, reason="the emulated device is not built; `./dev build` builds it"
)

BEGIN = """
import ctypes
driver = ctypes.CDLL({driver!r})
def call(name, *arguments):
    return getattr(driver, name)(*arguments)
def allocate(count):
    block = ctypes.c_uint64()
    assert call("cuMemAlloc_v2", ctypes.byref(block), ctypes.c_size_t(count)) == 0
    return block
def read(block, count, stream=None):
    held = ctypes.create_string_buffer(count)
    assert call("cuMemcpyDtoHAsync_v2", held, block, ctypes.c_size_t(count), stream) == 0
    return held.raw
context = ctypes.c_void_p()
assert call("cuInit", 0) == 0
assert call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0) == 0
assert call("cuCtxSetCurrent", context) == 0
"""


def run(text, **environment):
    program = BEGIN.format(driver=str(DRIVERS[0])) + text
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


def test_work_is_late_and_in_order():
    done = run(
        """
block = allocate(1 << 16)
pinned = ctypes.c_void_p()
assert call("cuMemHostAlloc", ctypes.byref(pinned), ctypes.c_size_t(1 << 16), 0) == 0
host = (ctypes.c_char * (1 << 16)).from_address(pinned.value)
call("cuMemsetD8Async", block, 7, ctypes.c_size_t(1 << 16), None)
call("cuMemcpyDtoHAsync_v2", pinned, block, ctypes.c_size_t(1 << 16), None)
early = host[0]
pending = call("cuStreamQuery", None)
call("cuStreamSynchronize", None)
assert (early, pending, host[0], host[-1]) == (b"\\0", 600, b"\\7", b"\\7"), (early, pending, host[0])
""",
        DYAD_EMULATED_DELAY_US="20000",
    )
    assert done.returncode == 0, done.stderr


def test_streams_wait_for_events():
    done = run("""
block = allocate(16)
first, second, event = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuStreamCreateWithPriority", ctypes.byref(first), 1, 0)
call("cuStreamCreateWithPriority", ctypes.byref(second), 1, 0)
call("cuEventCreate", ctypes.byref(event), 0)
call("cuMemsetD8Async", block, 1, ctypes.c_size_t(16), first)
call("cuEventRecord", event, first)
call("cuStreamWaitEvent", second, event, 0)
call("cuMemsetD8Async", block, 2, ctypes.c_size_t(16), second)
assert read(block, 16, second) == b"\\2" * 16
assert call("cuEventQuery", event) == 0
call("cuStreamDestroy_v2", second)
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("what", ["block.value", "freed"])
def test_host_cannot_touch_memory_of_the_device(what):
    done = run(f"""
block = allocate(4096)
freed = allocate(4096).value
call("cuMemFree_v2", ctypes.c_uint64(freed))
call("cuCtxSynchronize")
ctypes.string_at({what}, 1)
""")
    assert done.returncode < 0, done.stdout


def test_new_memory_holds_poison():
    done = run("assert set(read(allocate(4096), 4096)) == {0xfb}")
    assert done.returncode == 0, done.stderr


def test_memory_has_a_limit():
    done = run(
        """
block = ctypes.c_uint64()
assert call("cuMemAlloc_v2", ctypes.byref(block), ctypes.c_size_t(900)) == 0
assert call("cuMemAlloc_v2", ctypes.byref(block), ctypes.c_size_t(900)) == 2
""",
        DYAD_EMULATED_MEMORY="1000",
    )
    assert done.returncode == 0, done.stderr


def test_launches_are_checked():
    done = run("""
module, function = ctypes.c_void_p(), ctypes.c_void_p()
assert call("cuModuleLoadData", ctypes.byref(module), b".visible .entry fill_4(") == 0
assert call("cuModuleGetFunction", ctypes.byref(function), module, b"fill_8") == 500
assert call("cuModuleGetFunction", ctypes.byref(function), module, b"fill_4") == 0
params = (ctypes.c_char * 64)()
held = (ctypes.c_void_p * 1)(ctypes.addressof(params))
def launch(grid, block, shared):
    return call("cuLaunchKernel", function, *grid, *block, shared, None, held, None)
assert launch((1, 1, 1), (1025, 1, 1), 0) == 1
assert launch((0, 1, 1), (32, 1, 1), 0) == 1
assert launch((1, 70000, 1), (32, 1, 1), 0) == 1
assert launch((1, 1, 1), (32, 1, 1), 60000) == 1
assert launch((1, 1, 1), (32, 1, 1), 0) == 0
assert call("cuCtxSynchronize") == 0
""")
    assert done.returncode == 0, done.stderr
