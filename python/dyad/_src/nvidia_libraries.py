"""Where NVIDIA's wheels put the libraries that computing on a GPU needs: cuBLAS, cuDNN and their like."""

import atexit
import importlib.util
import sys
from pathlib import Path

from dyad import _core


def offer_nvidia_libraries():
    """Tells the core the folders of NVIDIA's wheels; the system's own libraries are found without it.

    When the program ends, libraries that are still being opened are waited for.
    """
    atexit.register(_core.announce_end_of_program)
    spec = (
        importlib.util.find_spec("nvidia") if "nvidia" not in sys.modules else sys.modules["nvidia"].__spec__
    )
    for root in (spec.submodule_search_locations or ()) if spec else ():
        for folder in sorted(Path(root).glob("*/lib")):
            _core.add_library_folder(str(folder))
