"""Which code is a library's and is called as it is, and which is a program's and is captured.

A library is Python itself, or an installed package that knows nothing of tensors. Every other package is a program,
wherever it lies: a Cell is compiled whether it stands in the user's own folder or was installed with pip.
`MS_JIT_IGNORE_MODULES` and `MS_JIT_MODULES`, comma lists of top-level packages, take packages out of the graph and
into it; the first one wins.
"""

import functools
import importlib.machinery
import os
import sys
import sysconfig

from dyad._src.capture.errors import is_interruption

# Packages that know nothing of tensors.
LIBRARIES = frozenset(
    (
        "PIL",
        "_pytest",
        "absl",
        "attr",
        "attrs",
        "click",
        "cv2",
        "dateutil",
        "filelock",
        "fsspec",
        "h5py",
        "huggingface_hub",
        "hypothesis",
        "imageio",
        "jinja2",
        "joblib",
        "markupsafe",
        "matplotlib",
        "networkx",
        "numba",
        "numpy",
        "omegaconf",
        "onnx",
        "onnxruntime",
        "packaging",
        "pandas",
        "pkg_resources",
        "pluggy",
        "psutil",
        "pyarrow",
        "pydantic",
        "pydantic_core",
        "pytest",
        "pytz",
        "regex",
        "requests",
        "rich",
        "safetensors",
        "scipy",
        "sentencepiece",
        "setuptools",
        "six",
        "skimage",
        "sklearn",
        "sympy",
        "tokenizers",
        "torch",
        "torchvision",
        "tqdm",
        "transformers",
        "typing_extensions",
        "urllib3",
        "wrapt",
        "yaml",
    )
)

_STANDARD_LIBRARY = tuple({sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib")})
_INSTALLED = ("site-packages", "dist-packages")
_EXTENSIONS = tuple(importlib.machinery.EXTENSION_SUFFIXES)


def chosen(module):
    """Looks a module up in the environment variables: True to capture it, False for Python, None if not listed."""
    package = module.partition(".")[0]
    if package in _packages("MS_JIT_IGNORE_MODULES"):
        return False
    return True if package in _packages("MS_JIT_MODULES") else None


def _packages(variable):
    return _split(os.environ.get(variable, ""))


@functools.lru_cache(maxsize=16)
def _split(text):
    return frozenset(name.strip() for name in text.split(",") if name.strip())


@functools.lru_cache(maxsize=4096)
def is_library_file(filename, module=""):
    """Returns whether the file, loaded as that module, belongs to Python itself or to a package of `LIBRARIES`."""
    if module in sys.builtin_module_names:
        return True
    if not filename:
        return False
    if filename.startswith("<"):
        return filename.startswith("<frozen ") or module.partition(".")[0] in LIBRARIES
    package = _installed_package(filename, module)
    if package is not None:
        return package in LIBRARIES
    return filename.startswith(_STANDARD_LIBRARY)


def is_compiled_file(filename):
    """Returns whether a module has no Python code that could be read."""
    return bool(filename) and filename.endswith(_EXTENSIONS)


def _installed_package(filename, module):
    """The top-level package of a file that was installed; None if it was not."""
    parts = filename.replace(os.sep, "/").split("/")
    for place in range(len(parts) - 2, -1, -1):
        if parts[place] in _INSTALLED:
            return parts[place + 1].partition(".")[0]
    package = module.partition(".")[0]
    home = os.path.dirname(getattr(sys.modules.get(package), "__file__", None) or "")
    # A wrapper may carry the module of what it wraps; its file tells.
    return package if home and filename.startswith(home + os.sep) and _holds_installed(home) else None


@functools.lru_cache(maxsize=256)
def _holds_installed(home):
    """Returns whether an installer put a package there (`pip install --target`): its metadata is next to it."""
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(os.path.dirname(home)))
    except OSError as error:
        if is_interruption(error):
            raise
        return False
