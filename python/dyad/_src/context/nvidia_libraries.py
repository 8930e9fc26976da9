"""Locations of NVIDIA's wheels with the libraries for computing on a GPU: cuBLAS, cuDNN and others."""

import atexit
import importlib.util
import sys
from pathlib import Path

from dyad import _core


def offer_nvidia_libraries():
    """Passes the directories of NVIDIA's wheels to the core; the system's own libraries are found without it.

    At the end of the program it waits for libraries that are still being opened, and reports errors of asynchronous
    work that nothing has waited for.
    """
    atexit.register(_core.announce_end_of_program)
    atexit.register(_report_late_errors)
    spec = (
        importlib.util.find_spec("nvidia") if "nvidia" not in sys.modules else sys.modules["nvidia"].__spec__
    )
    for root in (spec.submodule_search_locations or ()) if spec else ():
        for folder in sorted(Path(root).glob("*/lib")):
            _core.add_library_folder(str(folder))


def _report_late_errors():
    try:
        _core.finish_devices()
    except Exception as error:
        _core.fail_at_exit()
        if sys.stderr is not None:
            found = f"{type(error).__name__}: {error}"
            print(f"Error in work on the device that the program did not wait for:\n{found}", file=sys.stderr)
