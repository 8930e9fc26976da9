"""`jit`: a function, method, Cell or Cell class as a static graph."""

from dyad._src.base.argument_checks import require_bool
from dyad._src.base.error_owner import warn_user
from dyad._src.context.keys import LAX, STRICT
from dyad._src.jit.api.wrapping import wrap
from dyad._src.jit.options.backend_options import require_backend, require_backend_options
from dyad._src.jit.options.bytecode_options import KEYS, BytecodeOptions, read_bytecode_options
from dyad._src.jit.options.bytecode_switch import switch_on
from dyad._src.jit.options.config import JitConfig
from dyad._src.jit.options.options import JitOptions

_CAPTURE_MODES = ("ast", "bytecode", "trace")
_JIT_LEVELS = ("O0", "O1")
# The names that capture modes had in earlier programs.
_MODES = {"PSJit": "ast", "PIJit": "bytecode"}


def jit(
    function=None,
    *,
    capture_mode="ast",
    jit_level="",
    dynamic=0,
    fullgraph: bool = False,
    backend="",
    fn=None,
    mode=None,
    input_signature=None,
    hash_args=None,
    jit_config=None,
    compile_once=False,
    **options,
):
    """The compiled form of `function`; without `function`, a decorator that compiles with these options.

    `function` is a function, a method, a Cell (the result is a callable that runs it compiled) or a Cell class (its
    `construct` is compiled). `capture_mode` says how the program is read: "ast" from its source, "bytecode" from its
    instructions, "trace" by running it once. `jit_level` "O0" runs it kernel by kernel; with "O1", and if
    nothing is said, the graph is optimised as a whole. With `dynamic` 1, sizes that change between calls become
    variable. With `fullgraph`, code that a graph cannot express is an error.

    `input_signature` gives templates for the arguments. `hash_args` and `compile_once` let a function that is created
    again use the graphs of its predecessor. `fn` and `mode` are earlier names of `function` and `capture_mode`.
    `jit_config` is a JitConfig; for bytecode also a dict of keys, which may be given as further keywords too.
    """
    if fn is not None:
        if function is not None:
            raise TypeError("jit: function and fn are both given; fn is the earlier name of function")
        function = fn
    capture_mode = _require_capture_mode(capture_mode, mode)
    bytecode = BytecodeOptions()
    if capture_mode == "bytecode":
        keys = {key: options.pop(key) for key in KEYS.keys() & options.keys()}
        bytecode = read_bytecode_options(keys)
    chosen = JitOptions(
        capture_mode=capture_mode,
        jit_level=_require_jit_level(jit_level, capture_mode),
        dynamic=_require_dynamic(dynamic),
        fullgraph=require_bool("jit", "fullgraph", fullgraph),
        syntax_level=STRICT if fullgraph else LAX,
        backend=require_backend(backend),
        backend_options=require_backend_options(options),
        hash_args=_as_tuple(hash_args),
        compile_once=_require_compile_once(compile_once),
        bytecode=bytecode,
    )
    if jit_config is not None:
        chosen = _with_config(chosen, jit_config)
    if capture_mode == "bytecode":
        chosen = _for_bytecode(chosen)
        switch_on()
    if function is None:
        return _decorator(chosen, input_signature)
    return wrap(function, chosen, input_signature)


def _decorator(options, input_signature):
    def decorate(function):
        return wrap(function, options, input_signature)

    return decorate


def _require_text(name, value, accepted):
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(f"jit: {name} is {value!r}; need one of {', '.join(map(repr, accepted))}")
    return value


def _require_capture_mode(capture_mode, mode):
    capture_mode = _require_text("capture_mode", capture_mode, _CAPTURE_MODES)
    if mode is not None:
        capture_mode = _MODES[_require_text("mode", mode, _MODES)]
    return capture_mode


def _require_jit_level(jit_level, capture_mode):
    accepted = (*_JIT_LEVELS, "O2") if capture_mode == "bytecode" else _JIT_LEVELS
    return "" if jit_level == "" else _require_text("jit_level", jit_level, accepted)


def _require_dynamic(dynamic):
    if isinstance(dynamic, bool) or not isinstance(dynamic, int):
        raise TypeError(f"jit: dynamic is {dynamic!r} of type {type(dynamic).__name__}; need the int 0 or 1")
    if dynamic not in (0, 1):
        raise ValueError(f"jit: dynamic is {dynamic}; need 0 or 1")
    return dynamic


def _require_compile_once(compile_once):
    if not isinstance(compile_once, bool):
        warn_user(
            f"jit: compile_once is {compile_once!r} of type {type(compile_once).__name__} and is taken as False; "
            "need a bool",
        )
        return False
    return compile_once


def _for_bytecode(options):
    """The options with what its keys say. There is one syntax level: what no graph holds runs in Python, or raises."""
    keys = options.bytecode
    return options.replace(
        fullgraph=options.fullgraph or keys.fullgraph,
        jit_level=options.jit_level or keys.jit_level,
        dynamic=1 if keys.enable_dynamic_shape or keys.symbolic else options.dynamic,
        syntax_level=LAX,
    )


def _as_tuple(hash_args):
    if hash_args is None:
        return ()
    return tuple(hash_args) if isinstance(hash_args, (tuple, list)) else (hash_args,)


def _with_config(options, jit_config):
    if isinstance(jit_config, JitConfig):
        return options.replace(**jit_config.changes())
    if isinstance(jit_config, dict) and options.capture_mode == "bytecode":
        return options.replace(bytecode=read_bytecode_options(jit_config, options.bytecode))
    accepted = "a JitConfig or a dict" if options.capture_mode == "bytecode" else "a JitConfig"
    raise TypeError(f"jit: jit_config is of type {type(jit_config).__name__}; need {accepted}")
