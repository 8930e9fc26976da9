"""The page as one HTML text that needs nothing else."""

import functools
import importlib.resources

_SCRIPTS = ("store.js", "scales.js", "chart.js", "panels.js", "page.js")


@functools.cache
def page():
    """The HTML of the page, with its styles and scripts in it."""
    script = "".join(f"{_asset(name)}\n" for name in _SCRIPTS)
    return _asset("page.html").replace("/*STYLE*/", _asset("page.css")).replace("/*SCRIPT*/", script)


def _asset(name):
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
