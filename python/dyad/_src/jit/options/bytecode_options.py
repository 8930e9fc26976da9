"""Keys of `jit(capture_mode="bytecode")` besides the arguments of `jit`: each with its check and default."""

import dataclasses
import types
from collections.abc import Callable

from dyad._src.base.error_owner import warn_user
from dyad._src.base.no_effect import NO_EFFECT, say_no_effect


@dataclasses.dataclass(frozen=True)
class BytecodeOptions:
    """The keys in normal form. A field is called as its key is, in lower case and without an underscore in front.

    Capture:
    `loop_unrolling` False: a loop is left to Python; `max_loop_unrolling` is how many passes are unrolled,
    0 for as many as capture has time for.
    `recapture_loop_body` False: a loop that Python runs is all Python's, its body is not captured.
    `max_inline_depth`: how deep calls are captured where they stand; 0 for as deep as `max_call_depth` allows.
    `allowed_inline_modules`: modules whose functions are read although they belong to a library.
    `pijit_forbidden`, `pijit_constexpr`: functions, or their names, that Python runs, and that are called once while
    compiling.

    Guards and cache:
    `enable_dynamic_shape`, `symbolic`: sizes that change between calls become variable.
    `specialize_scalar`, `specialize_container`, `specialize_tensor`: whether values are part of the guards.
    `limit_graph_count`, `limit_graph_size`: how many graphs, and nodes in all of them, are kept; 0 for no limit.
    `relax_guard_count`, `relax_guard_func`: after how many failures a guard may be loosened, and in which functions.
    `max_trace_depth`: through how many attributes and items a guard may go; Python runs what needs more. 0 is no limit.

    Calls:
    `disable_pijit(args, kwargs)`: whether Python runs this call.
    `static_graph_bytecode_min`: functions of fewer instructions stay in Python.
    `compile_with_try`: a fault of capture leaves the function to Python; else it is raised.
    `interpret_captured_code`: calls are captured and compiled, but Python runs them.
    `perf_statistics`: so many calls as `perf_statistics_count` says are timed in both ways, and the faster one stays;
    a graph must be faster by `perf_statistics_scale_10000x` ten-thousandths.
    `auto_jit_func_filter(function)`: whether a function that Python calls, and that is not decorated, is compiled;
    `auto_jit_cell`: Cells are, whatever the filter says.

    Logs: see `bytecode_logs`.
    """

    fullgraph: bool = False
    jit_level: str = ""
    loop_unrolling: bool = True
    max_loop_unrolling: int = 0
    recapture_loop_body: bool = True
    enable_dynamic_shape: bool = False
    symbolic: int = 0
    compile_with_try: bool = True
    specialize_scalar: bool = True
    specialize_container: bool = False
    specialize_tensor: bool = False
    limit_graph_count: int = 0
    limit_graph_size: int = 0
    relax_guard_count: int = 0
    relax_guard_func: tuple = ()
    strict_trace: bool = True
    max_trace_depth: int = 0
    max_inline_depth: int = 0
    expand_graph_input: bool = True
    expand_graph_output: bool = True
    eliminate_redundant_args: bool = False
    subgraph_break_opt: bool = True
    prune_case: bool = True
    infer_primitive: bool = True
    infer_only: bool = True
    interpret_captured_code: bool = False
    static_graph_bytecode_min: int = 0
    perf_statistics: bool = False
    perf_statistics_count: int = 1
    perf_statistics_scale_10000x: int = 1000
    auto_jit_func_filter: Callable | None = None
    auto_jit_cell: bool = False
    reuse_graph: bool = False
    auto_clean_cache: bool = False
    print_after_all: bool = False
    print_bytecode: bool = False
    print_guard: bool = False
    log_graph_break: bool = False
    log_perf: bool = False
    log_guard_perf: bool = False
    print_bb: bool = False
    print_cfg: bool = False
    allowed_inline_modules: tuple = ()
    pijit_forbidden: tuple = ()
    pijit_constexpr: tuple = ()
    disable_pijit: Callable | None = None

    @property
    def graph_limit(self):
        """The number of graphs of one function that are kept; 0 for no limit of its own."""
        if self.enable_dynamic_shape and not self.limit_graph_count and not self.limit_graph_size:
            return _GRAPHS_WITH_OPEN_SIZES
        return self.limit_graph_count

    def forbids(self, function):
        """Returns whether Python must run a function."""
        return bool(self.pijit_forbidden) and _names_one_of(self.pijit_forbidden, function)

    def evaluates(self, function):
        """Returns whether a function is called once, while the graph is compiled."""
        return bool(self.pijit_constexpr) and _names_one_of(self.pijit_constexpr, function)

    def relaxes(self, function):
        """Returns whether guards of a function may be loosened; all functions' may if none is named."""
        return not self.relax_guard_func or _names_one_of(self.relax_guard_func, function)

    def inlines(self, module):
        """Returns whether functions of a module are read although it is a library's."""
        return any(module == name or module.startswith(f"{name}.") for name in self.allowed_inline_modules)

    def compiles_callee(self, function):
        """Returns whether a function that is not decorated, and that Python calls, is compiled by itself."""
        return self.auto_jit_func_filter is None or bool(self.auto_jit_func_filter(function))

    def compiles_cell(self, cell):
        """The same for a Cell, of which the filter is asked by its `construct`."""
        construct = getattr(cell.construct, "__func__", cell.construct)
        return self.auto_jit_cell or self.compiles_callee(construct)


# With open sizes a graph serves many calls, so few are needed.
_GRAPHS_WITH_OPEN_SIZES = 3
_JIT_LEVELS = ("", "O0", "O1", "O2")


def _names_one_of(chosen, function):
    plain = getattr(function, "__func__", function)
    name = getattr(plain, "__qualname__", None)
    names = (name, f"{getattr(plain, '__module__', None)}.{name}", getattr(plain, "__name__", None))
    return any(each in names if isinstance(each, str) else each is plain for each in chosen)


class _Unfit(Exception):
    """A value that a key does not take; the text says which ones it does."""


def _flag(value):
    if not isinstance(value, bool):
        raise _Unfit("a bool")
    return value


def _number(value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Unfit("an int")
    return value


def _count(value):
    if _number(value) < 0:
        raise _Unfit("an int of 0 or more")
    return value


def _level(value):
    if value not in _JIT_LEVELS:
        raise _Unfit("one of 'O0', 'O1', 'O2'")
    return value


def _filter(value):
    if value is not None and not callable(value):
        raise _Unfit("a function or None")
    return value


def _modules(value):
    found = tuple(getattr(each, "__name__", each) for each in _listed(value))
    if not all(isinstance(each, str) for each in found):
        raise _Unfit("modules or their names")
    return found


def _functions(value):
    found = tuple(getattr(each, "__func__", each) for each in _listed(value))
    if not all(isinstance(each, str) or callable(each) for each in found):
        raise _Unfit("functions or their names")
    return tuple(getattr(each, "__wrapped__", each) for each in found)


def _listed(value):
    alone = isinstance(value, (str, types.ModuleType)) or callable(value)
    try:
        return (value,) if alone else tuple(value)
    except TypeError:
        raise _Unfit("a list") from None


def _predicate(value):
    """TypeError if it cannot be called: which calls are captured is not to be guessed."""
    if value is not None and not callable(value):
        raise TypeError(
            f"jit: _disable_pijit is {value!r} of type {type(value).__name__}; need a function of args and kwargs"
        )
    return value


_UPPER_CASE = (
    "MAX_LOOP_UNROLLING", "MAX_TRACE_DEPTH", "MAX_INLINE_DEPTH", "STATIC_GRAPH_BYTECODE_MIN", "PERF_STATISTICS_COUNT",
    "PERF_STATISTICS_SCALE_10000X", "LOG_GRAPH_BREAK", "LOG_PERF", "LOG_GUARD_PERF",
)  # fmt: skip
_KEY_OF = {
    **{key.lower(): key for key in _UPPER_CASE},
    "symbolic": "_symbolic",
    "disable_pijit": "_disable_pijit",
}
_CHECKS_BY_TYPE: dict = {bool: _flag, int: _count}
_CHECKS = {
    "jit_level": _level,
    "perf_statistics_scale_10000x": _number,
    "relax_guard_func": _functions,
    "auto_jit_func_filter": _filter,
    "allowed_inline_modules": _modules,
    "pijit_forbidden": _functions,
    "pijit_constexpr": _functions,
    "disable_pijit": _predicate,
}
# Key -> (field, check).
KEYS = {
    _KEY_OF.get(field.name, field.name): (field.name, _CHECKS.get(field.name) or _CHECKS_BY_TYPE[field.type])
    for field in dataclasses.fields(BytecodeOptions)
}

_defaults = BytecodeOptions()


def default_bytecode_options():
    """Returns the defaults for a function that is decorated now."""
    return _defaults


def update_pijit_default_config(**keys):
    """Change what holds for functions that are decorated from now on. An unknown key or a bad value is ignored."""
    global _defaults
    _defaults = read_bytecode_options(keys, _defaults, "update_pijit_default_config")


def read_bytecode_options(given, base=None, owner="jit"):
    """`base`, or the defaults, with the keys that are given. What is unknown or unfit is dropped with a warning."""
    base = _defaults if base is None else base
    changes = {}
    for key, value in given.items():
        if key not in KEYS:
            warn_user(f"{owner}: there is no key {key!r} of bytecode capture and it is dropped")
            continue
        field, check = KEYS[key]
        try:
            changes[field] = check(value)
        except _Unfit as unfit:
            warn_user(
                f"{owner}: {key} is {value!r} of type {type(value).__name__} and is dropped; need {unfit}"
            )
            continue
        if f"jit({key}=)" in NO_EFFECT and value != getattr(base, field):
            say_no_effect(f"jit({key}=)", f"{owner}: {key}")
    return dataclasses.replace(base, **changes)
