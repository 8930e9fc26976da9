"""The owner of an error: the outermost function of the framework that the program called.

A layer or a function of `dyad.numpy` consists of operators that mean nothing to its caller. The core reads the name
when it raises; a call that succeeds costs nothing.
"""

import ast
import itertools
import linecache
import os
import sys
import warnings

from dyad import _core

_CAPTURE = "dyad._src.capture."
# Modules that run the operators of a program for it: the operator owns the error. A dataset's errors name its stages.
_STEERING = (
    "dyad._src.autodiff.",
    "dyad._src.observe.explain.",
    "dyad._src.jit.",
    "dyad._src.observe.profile.",
    "dyad.dataset.",
)
_public: frozenset = frozenset()


def _is_framework(module):
    return isinstance(module, str) and (module == "dyad" or module.startswith("dyad."))


def _is_public_function(module, name, namespace, code):
    """Returns whether a program can call the function at the top of a module by this name."""
    if not module.startswith("dyad._src."):
        return _is_code_of(namespace.get(name), code)
    return name in _public or _is_code_of(vars(_core.Tensor).get(name), code)


def _is_code_of(function, code):
    function = getattr(function, "__wrapped__", function)
    own = getattr(function, "__code__", None)
    return own is not None and (code is None or own is code)


def _name_of(module, name, qualname, namespace, owner, code):
    """The name by which a program calls a running function of the framework; None for one that it cannot call."""
    if name in ("construct", "__init__") and owner is not None:
        return None if type(owner).__name__.startswith("_") else type(owner).__name__
    parts = qualname.split(".")
    if any(part.startswith(("_", "<")) for part in parts):
        return None
    if len(parts) > 1 or _is_public_function(module, name, namespace, code):
        return name
    return None


def _captured(frame):
    """The frames of the program that is being captured, from the inside, as far as they are the framework's."""
    while frame is not None:
        running = getattr(getattr(frame.f_locals.get("self"), "interpreter", None), "frame", None)
        if hasattr(running, "is_program"):
            break
        frame = frame.f_back
    else:
        return
    while running is not None and not running.is_program:
        module = running.namespace.get("__name__", "")
        yield module, running.name, running.qualname, running.namespace, running.locals.get("self"), None
        running = running.caller


def _running(frame):
    """The same of the program that runs."""
    while frame is not None and _is_framework(frame.f_globals.get("__name__")):
        module, code = frame.f_globals["__name__"], frame.f_code
        if module.startswith(_CAPTURE):
            yield from _captured(frame)
            return
        if module.startswith(_STEERING) or code.co_name == "backward":
            return
        owner = frame.f_locals.get("self")
        yield module, code.co_name, code.co_qualname, frame.f_globals, owner, code
        frame = frame.f_back


def blamed_name():
    """The name of the owner, or None if the program called the operator itself. A layer owns its operators' errors."""
    found = None
    for frame in _running(sys._getframe(1)):
        found = _name_of(*frame) or found
        if frame[1] == "construct" and found is not None:
            break
    return found


def _name_of_code(code, modules):
    """The name of `_name_of` where only the code is known: the class of a layer is read from its qualified name."""
    module = modules.get(code.co_filename)
    if module is None or module.__name__.startswith(_STEERING) or code.co_name == "backward":
        return None
    if code.co_name in ("construct", "__init__"):
        owner = code.co_qualname.split(".")[-2]
        return None if owner.startswith("_") else owner
    return _name_of(module.__name__, code.co_name, code.co_qualname, vars(module), None, code)


def _name_of_codes(codes):
    modules: dict = {}
    for module in list(sys.modules.values()):
        if _is_framework(getattr(module, "__name__", None)):
            modules.setdefault(getattr(module, "__file__", None), module)
    found = None
    for code in codes:
        found = _name_of_code(code, modules) or found
        if code.co_name == "construct" and found is not None:
            break
    return found


def _name_in_source(code, instruction):
    """The name by which the program itself calls an operator, read from its source; None if that does not show it."""
    positions = next(itertools.islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    if None in positions or positions[0] != positions[1]:
        return None
    line, _, start, end = positions
    assert line is not None
    text = linecache.getline(code.co_filename, line).encode()[start:end].decode(errors="replace")
    try:
        expression = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if isinstance(expression, ast.Subscript):
        return "index"
    called = getattr(expression, "func", None)
    name = getattr(called, "attr", None) or getattr(called, "id", None)
    known = name is not None and (hasattr(sys.modules["dyad.ops"], name) or hasattr(_core.Tensor, name))
    return name if known else None


def launch_words(place, line, instruction=-1):
    """The function that a program called and its line, for an error that a device reports after the call has
    returned.

    `place` is a file, or the code objects that were running: those of the framework, the innermost first, then the
    program's, which is at that instruction.
    """
    called, where = None, ""
    file = place
    if not isinstance(place, str):
        framework, own = place[:-1], place[-1]
        called = _name_of_codes(framework) if framework else _name_in_source(own, instruction)
        file, where = place[-1].co_filename, f", in {place[-1].co_name}"
    text = linecache.getline(file, line).strip()
    return called, f'  File "{file}", line {line}{where}' + (f"\n    {text}" if text else "")


def package_directory():
    """The directory of the package, with a separator at the end: code below it is the framework's."""
    return os.path.dirname(os.path.abspath(_core.__file__)) + os.sep


def install(public):
    """Makes the core call `blamed_name`. `public` are the names of the package itself."""
    global _public
    _public = frozenset(public)
    _core.set_blamed_name(blamed_name)
    _core.tell_launch_places_by(package_directory(), launch_words)


def warn_user(text):
    """Warns at the innermost line outside of the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "dyad":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
