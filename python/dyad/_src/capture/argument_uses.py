"""Finds what a function does with each of its parameters, from its instructions alone."""

import dataclasses
import dis
import inspect
import sys

from dyad._src.bytecode.instructions import per_code

# Names by which a function may reach its variables, whatever its instructions load.
_REACH_VARIABLES = frozenset(("locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe", "stack"))
_PAIRS = ("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "STORE_FAST_LOAD_FAST")
_WITHOUT_EFFECT = ("CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "NOT_TAKEN")
_WRITES = ("STORE_FAST", "DELETE_FAST")
# Whether the empty place that a call asks for lies above what is called, or below.
_NULL_IS_ABOVE = sys.version_info >= (3, 13)
_CALLS = {"CALL": 0, "CALL_KW": 1}  # and how many values lie on the arguments
# How many values an instruction takes off the stack; those that are not named here may take any.
_TAKEN = {
    **dict.fromkeys(("PUSH_NULL", "KW_NAMES", "LOAD_CONST", "LOAD_GLOBAL", "LOAD_DEREF"), 0),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE"), 1),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"), 2),
}


@dataclasses.dataclass
class ParameterUse:
    """All that is done with one parameter; `otherwise` if there is more than the rest of this tells.

    `items` are constants it is subscripted with, `attributes` names that are read of it, `called` that it is called.
    That it is compared with None needs no word: its type says that.
    """

    items: set = dataclasses.field(default_factory=set)
    attributes: set = dataclasses.field(default_factory=set)
    called: bool = False
    otherwise: bool = False

    @property
    def is_nothing(self):
        """Returns whether no value of the parameter makes a difference."""
        return not (self.items or self.attributes or self.called or self.otherwise)

    @property
    def items_only(self):
        """Returns whether all that is read are items of it."""
        return bool(self.items) and not (self.attributes or self.called or self.otherwise)

    @property
    def attributes_only(self):
        """Returns whether all that is read are attributes of it."""
        return bool(self.attributes) and not (self.items or self.called or self.otherwise)

    @property
    def called_only(self):
        """Returns whether nothing is done with it but to call it."""
        return self.called and not (self.items or self.attributes or self.otherwise)


def argument_uses(function, args, kwargs):
    """Place of an argument -> ParameterUse, for those of a call that a single parameter stands for."""
    uses = _uses_of_code(function.__code__)
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    only_positional = code.co_varnames[: code.co_posonlyargcount]
    found = {(i,): uses[name] for i, name in zip(range(len(args)), positional, strict=False) if name in uses}
    found.update({(name,): uses[name] for name in kwargs if name in uses and name not in only_positional})
    return found


@per_code
def _uses_of_code(code):
    """Name of a parameter -> ParameterUse; empty if variables may be reached in other ways."""
    suspends = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    if code.co_flags & suspends or not _REACH_VARIABLES.isdisjoint(code.co_names):
        return {}
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    uses = {name: ParameterUse() for name in names if name not in code.co_cellvars}
    if "__class__" in code.co_freevars and names:
        uses.pop(names[0], None)  # `super()` reads it
    told = [each for each in dis.get_instructions(code) if each.opname not in _WITHOUT_EFFECT]
    for at, instruction in enumerate(told):
        if instruction.opname in _WRITES:
            continue
        loaded = _loaded(instruction)
        for name in loaded[:-1]:
            if name in uses:
                uses[name].otherwise = True
        if loaded and loaded[-1] in uses:
            _note(uses[loaded[-1]], told, at)
    return uses


def _loaded(instruction):
    """The variables that an instruction puts on the stack, or does something unknown with; the last is on top."""
    if "_FAST" not in instruction.opname:
        return ()
    if instruction.opname in _PAIRS or isinstance(instruction.argval, tuple):
        return tuple(instruction.argval)
    return (instruction.argval,)


def _note(use, told, at):
    """Note what becomes of the parameter that instruction `at` loads."""
    if not told[at].opname.startswith("LOAD_FAST"):
        use.otherwise = True
        return
    before = told[at - 1].opname if at else ""
    after = [*told[at + 1 : at + 3], None, None]
    first, second = after[0], after[1]
    if first is None:
        use.otherwise = True
    elif first.opname == "LOAD_CONST" and second is not None and second.opname == "BINARY_SUBSCR":
        if type(first.argval) in (int, str):
            use.items.add(first.argval)
        else:
            use.otherwise = True
    elif first.opname == "LOAD_ATTR" and not _is_method_read(first):
        use.attributes.add(first.argval)
    elif first.opname.startswith("POP_JUMP") and first.opname.endswith("NONE"):
        pass
    elif (first.opname if _NULL_IS_ABOVE else before) == "PUSH_NULL" and _is_called(told, at):
        use.called = True
    else:
        use.otherwise = True


def _is_called(told, at):
    """Returns whether the value that instruction `at` loads stays on the stack until it is called; False if unclear."""
    above = 0
    for each in told[at + 1 :]:
        is_call = each.opname in _CALLS
        given = each.arg + _CALLS[each.opname] if is_call else 0
        if is_call and above == given + _NULL_IS_ABOVE:
            return True
        taken = given + 2 if is_call else _TAKEN.get(each.opname)
        if each.opname.startswith("LOAD_FAST") and "CLEAR" not in each.opname:
            taken = 0
        elif each.opname in ("BUILD_TUPLE", "BUILD_LIST"):
            taken = each.arg
        if taken is None or taken > above:
            return False
        # Two instructions share the effect of a call where there is a PRECALL.
        above += 1 - taken if is_call else dis.stack_effect(each.opcode, each.arg)
    return False


def _is_method_read(instruction):
    """Returns whether the attribute is read in order to be called; earlier Pythons have an instruction for that."""
    return sys.version_info >= (3, 12) and bool(instruction.arg & 1)
