import subprocess
import sys


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_the_device_is_set_once_per_process():
    result = run(
        "import dyad\n"
        "dyad.set_device('CPU', 1)\n"
        "dyad.set_device('CPU', 1)\n"
        "print(dyad.get_context('device_id'), dyad.get_current_device())\n"
        "dyad.set_device('CPU', 2)\n"
    )
    assert result.stdout.strip() == "1 ('CPU', 1)"
    assert (
        "RuntimeError: set_device: the device is already CPU:1 and a process sets it once, got CPU:2"
        in result.stderr
    )
