"""`python -m dyad script.py [args]`: runs a program that imports `mindspore` on this package.

`python -m dyad watch RUN`, or `dyad watch RUN`, shows a run that was recorded.
"""

import os
import runpy
import sys
import types

from dyad import install_as_mindspore

USAGE = """usage: python -m dyad script.py [args ...]
       python -m dyad -m module [args ...]
       python -m dyad -c code [args ...]
       python -m dyad watch RUN [--port N] [--no-browser]

Runs a Python program in which `mindspore` and its submodules mean `dyad`, or shows the run recorded in a folder.
A program called `watch` is run as ./watch."""


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2

    first, *rest = arguments
    if first == "watch":
        return _watch(rest)
    install_as_mindspore()
    if first in ("-m", "-c") and not rest:
        print(f"dyad: {first} needs an argument\n{USAGE}", file=sys.stderr)
        return 2
    if first == "-m":
        _run_module(rest[0], rest[1:])
    elif first == "-c":
        sys.path[0] = ""
        _run_code(compile(rest[0], "<string>", "exec"), ["-c", *rest[1:]], file=None)
    else:
        return _run_script(first, rest)
    return 0


def _watch(arguments):
    from dyad._src.observe.watch.command import watch

    return watch(arguments)


def _run_script(path, arguments):
    if not os.path.isfile(path):
        print(f"dyad: there is no file {path!r}", file=sys.stderr)
        return 2
    with open(path, "rb") as source:
        code = compile(source.read(), path, "exec")
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    _run_code(code, [path, *arguments], file=path)
    return 0


def _run_code(code, argv, file):
    # A fresh `__main__` instead of runpy's temporary one: it stays alive for threads, atexit and pickle.
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    if file is not None:
        module.__file__ = file
    sys.modules["__main__"] = module
    sys.argv = argv
    exec(code, module.__dict__)


def _run_module(name, arguments):
    sys.path[0] = os.getcwd()
    sys.argv = [name, *arguments]
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def console():
    """The command `dyad`."""
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
