"""The compiled graphs of this process: which callables have some, and how they are dropped or used again."""

import collections
import types
import weakref

from dyad._src.context.settings import act_upon, settings

every_compiled_function: weakref.WeakSet = weakref.WeakSet()

# Callables kept so that a function created again finds the graphs of its predecessor, the latest used last.
_KEPT = 256
_kept: collections.OrderedDict = collections.OrderedDict()


def compiled_functions_of(target):
    """The compiled callables behind what `jit` returned, a Cell, or a method of either."""
    if isinstance(target, types.MethodType):
        target = target.__func__
    found = [target] if getattr(target, "__wrapped_by_jit__", False) else []
    graph_call = getattr(target, "__dict__", {}).get("_graph_call")
    if graph_call is not None:
        found.append(graph_call)
    construct = getattr(target, "construct", None)
    if getattr(construct, "__wrapped_by_jit__", False):
        found.append(getattr(construct, "__func__", construct))
    return found


def clear_compile_cache(obj=None) -> None:
    """Drop the compiled graphs of a jitted callable or a Cell; without argument, all there are."""
    if obj is None:
        found = list(every_compiled_function)
        _kept.clear()
    else:
        found = compiled_functions_of(obj)
        if not found and not hasattr(obj, "construct"):
            raise TypeError(
                f"clear_compile_cache: obj is {obj!r} of type {type(obj).__name__}; need what jit returned, or a Cell"
            )
    for compiled in found:
        compiled.__jit_compiler__.forget()
        compiled.clear()


def withdraw_entries():
    """Take all graphs out of use, to be compiled for but not run; the next ordinary call brings them back."""
    for compiled in list(every_compiled_function):
        compiled.__jit_compiler__.waiting.extend(reversed(compiled.entries))
        compiled.clear()


def _withdraw_if(precompile_only):
    if precompile_only:
        withdraw_entries()


def _treat_numbers_anew(grad_for_scalar):
    """Numbers are constants of the graphs of one setting and inputs of those of the other."""
    if grad_for_scalar != settings.read("grad_for_scalar"):
        clear_compile_cache()


act_upon("precompile_only", _withdraw_if)
act_upon("grad_for_scalar", _treat_numbers_anew)


def fits(entry, args, kwargs):
    """Returns whether an entry serves a call."""
    call = (len(args), tuple(kwargs))
    return (entry.positional, tuple(entry.keywords)) == call and (
        entry.tree.failure((*args, *kwargs.values()), call[1]) is None
    )


def graph_name(compiled, args, kwargs):
    """A name of the graph that serves a call, another one for each graph; of the function itself if there is none."""
    for entry in (*compiled.entries, *compiled.__jit_compiler__.waiting):
        if fits(entry, args, kwargs):
            return f"{compiled.__qualname__}.{id(entry):x}"
    return compiled.__qualname__


def drop_entry(compiled, entry):
    """Take one entry out; the others stay in their order."""
    others = [other for other in compiled.entries if other is not entry]
    compiled.clear()
    for other in reversed(others):
        compiled.add(other)


def keep_within(compiled, most_nodes):
    """Drop the entries that were not used for longest until all have at most so many nodes; 0 is no limit.

    The one used last stays, whatever its size.
    """
    if not most_nodes:
        return
    kept: list = []
    nodes = 0
    for entry in compiled.entries:
        nodes += 0 if entry.program is None else entry.program.report["nodes_before"]
        if kept and nodes > most_nodes:
            break
        kept.append(entry)
    if len(kept) < len(compiled.entries):
        compiled.clear()
        for entry in reversed(kept):
            compiled.add(entry)


def kept_key(function, options):
    """Returns the key of a function that may be created again; None if it is not looked up."""
    if not options.hash_args and not options.compile_once:
        return None
    code = function.__code__
    return (
        function.__module__,
        code.co_filename,
        code.co_firstlineno,
        code.co_qualname,
        tuple(map(id, options.hash_args)),
        (
            options.capture_mode,
            options.jit_level,
            options.dynamic,
            options.syntax_level,
            options.compile_once,
            options.bytecode,
        ),
    )


def find_kept(key, function):
    """The compiled callable of an earlier function that means the same as this one, or None."""
    compiled = _kept.get(key)
    if compiled is None or not _mean_the_same(compiled.__wrapped__, function, set()):
        return None
    _kept.move_to_end(key)
    return compiled


def keep(key, compiled):
    """Let later functions find this one. It keeps the objects of `hash_args` alive, so their ids stay theirs."""
    _kept[key] = compiled
    _kept.move_to_end(key)
    if len(_kept) > _KEPT:
        _kept.popitem(last=False)


def _mean_the_same(one, other, compared):
    """Returns whether two functions have the same code and see the same values, defaults and functions around them."""
    if one is other or (id(one), id(other)) in compared:
        return True
    compared.add((id(one), id(other)))
    if one.__code__ != other.__code__ or one.__code__.co_filename != other.__code__.co_filename:
        return False
    return one.__globals__ is other.__globals__ and all(
        _are_the_same(a, b, compared)
        for a, b in (
            (one.__defaults__, other.__defaults__),
            (one.__kwdefaults__, other.__kwdefaults__),
            (_enclosed(one), _enclosed(other)),
        )
    )


def _enclosed(function):
    """The values of the variables around a function; one not set yet is like no other."""
    values = []
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            values.append(object())
    return tuple(values)


def _are_the_same(one, other, compared):
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, types.FunctionType):
        return _mean_the_same(one, other, compared)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(
            _are_the_same(a, b, compared) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, dict):
        return list(one) == list(other) and all(_are_the_same(one[key], other[key], compared) for key in one)
    return isinstance(one, (bool, int, float, str, bytes)) and repr(one) == repr(other)
