"""Lets a program written as `import mindspore` run on this package, by aliasing module names and nothing else.

`mindspore.x.y` becomes the very module object `dyad.x.y`. A module or name that is missing stays missing: the error
says so and names the nearest one.
"""

import importlib
import importlib.machinery
import importlib.util
import pkgutil
import sys
from pathlib import Path
from typing import Any, cast

from dyad._src.base.missing import nearest
from dyad.compat.mindspore._src.module_paths import SecondName

ALIAS = "mindspore"
PACKAGE = "dyad"
# What programs for MindSpore read as its version: that of the API which is here.
API_VERSION = "2.7.0"


def _below(fullname, package):
    return fullname == package or fullname.startswith(package + ".")


class _AliasFinder:
    def find_spec(self, fullname, path=None, target=None):
        if not _below(fullname, ALIAS):
            return None
        own_name = PACKAGE + fullname[len(ALIAS) :]
        if own_name not in sys.modules and importlib.util.find_spec(own_name) is None:
            raise _missing_module(fullname)
        return importlib.machinery.ModuleSpec(fullname, cast(Any, SecondName(own_name)), is_package=True)

    def find_distributions(self, context):
        """Distributions of the alias for `importlib.metadata`, where packages look up its name and version."""
        return [_distribution()] if context.name in (None, ALIAS) else []


def _distribution():
    import importlib.metadata

    class AliasDistribution(importlib.metadata.Distribution):
        def read_text(self, filename):
            described = f"Metadata-Version: 2.1\nName: {ALIAS}\nVersion: {API_VERSION}\n"
            return described if filename == "METADATA" else None

        def locate_file(self, path):
            raise FileNotFoundError(f"{ALIAS} is another name of {PACKAGE} and has no file {path}")

    return AliasDistribution()


class _MissingNameFinder:
    """Comes last, so it only sees what every other finder missed.

    `from mindspore import name` falls back to importing `dyad.name`; without this the reader would get Python's bare
    "cannot import name".
    """

    def find_spec(self, fullname, path=None, target=None):
        if _below(fullname, PACKAGE):
            raise _missing_module(fullname)


def _missing_module(fullname):
    shown = fullname.replace(ALIAS, PACKAGE, 1) if _below(fullname, ALIAS) else fullname
    parent_name, _, name = shown.rpartition(".")
    parent = sys.modules.get(parent_name)
    # The path that the program wrote, not that of the file.
    parent_name = parent_name.replace(f"{PACKAGE}.compat.mindspore", PACKAGE, 1)
    shown = f"{parent_name}.{name}"
    known: set = set()
    if parent is not None:
        folders = getattr(parent, "__path__", ())
        storey = Path(__file__).parents[1].joinpath(*parent_name.split(".")[1:])
        known.update(entry for entry in vars(parent) if not entry.startswith("_"))
        known.update(entry.name for entry in pkgutil.iter_modules([*folders, str(storey)]))
    near = nearest(name, known)
    hint = f"; nearest is {parent_name}.{near}" if near else ""
    written = ALIAS + shown[len(PACKAGE) :]
    # The name differs from the one Python asked for, otherwise `from ... import` would swallow the error.
    return ModuleNotFoundError(
        f"{parent_name} has no {name!r} (imported as {written}){hint}", name=f"{written}"
    )


def install_as_mindspore():
    """From now on `import mindspore` and every `mindspore.x.y` mean this package, in this process."""
    present = sys.modules.get(ALIAS)
    if present is not None and present is not sys.modules[PACKAGE]:
        raise RuntimeError(
            "install_as_mindspore: another mindspore is already imported from "
            f"{getattr(present, '__file__', 'an unknown place')}; call this before importing it"
        )
    if any(isinstance(finder, _AliasFinder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _AliasFinder())
    sys.meta_path.append(_MissingNameFinder())
    vars(importlib.import_module(ALIAS))["__version__"] = API_VERSION
