"""Functions as their code objects tell of them."""

import inspect
import linecache
import types

from dyad._src.bytecode.flow import Flow
from dyad._src.bytecode.instructions import Position, instructions_of, per_code
from dyad._src.bytecode.minors import MINOR
from dyad._src.capture.semantics.code import Code, Parameters, Scope

COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")
_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_HAS_DOCSTRING = 0x4000000  # a flag since 3.13


class CodeText:
    """The file that code comes from, where there is one."""

    def __init__(self, filename, namespace=None):
        self.filename = filename
        self._namespace = namespace

    def line(self, number):
        """One line by its number, without its end; empty if there is no text."""
        return linecache.getline(self.filename, number, self._namespace).rstrip("\r\n")


class CodeObject(Code):
    """A code object; `text` is the file it comes from."""

    __slots__ = ("code", "text")

    def __init__(self, code, text):
        self.code = code
        self.text = text

    @property
    def name(self):
        return self.code.co_name

    @property
    def identity(self):
        return self.code

    @property
    def position(self):
        line = self.code.co_firstlineno
        return Position(line, line, 0, 0)

    @property
    def parameters(self):
        return _parameters(self.code)

    @property
    def scope(self):
        return _scope(self.code)

    @property
    def is_generator(self):
        return bool(self.code.co_flags & _SUSPENDS)

    @property
    def keeps_names(self):
        return self.is_generator or any(isinstance(each, types.CodeType) for each in self.code.co_consts)

    @property
    def doc(self):
        first = self.code.co_consts[0] if self.code.co_consts and self.name != "<lambda>" else None
        has_one = MINOR < (3, 13) or self.code.co_flags & _HAS_DOCSTRING
        return first if has_one and isinstance(first, str) else None

    @property
    def may_recur(self):
        return self.name in self.code.co_names or self.name in self.code.co_freevars

    @property
    def flow(self):
        """Its instructions and how control flows through them."""
        return _flow(self.code)

    def run(self, reader):
        """Executes the instructions from the first one on."""
        return reader.run_frame(self)


@per_code
def _flow(code):
    return Flow(instructions_of(code))


@per_code
def _parameters(code):
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    names = list(code.co_varnames)
    further = names[count + keywords :]
    rest = further.pop(0) if code.co_flags & inspect.CO_VARARGS else None
    mapping = further.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else None
    return Parameters(
        tuple(names[:count]), code.co_posonlyargcount, tuple(names[count : count + keywords]), rest, mapping
    )


@per_code
def _scope(code):
    scope = Scope()
    scope.bound.update(code.co_varnames, code.co_cellvars)
    scope.is_comprehension = code.co_name in COMPREHENSIONS
    for instruction in instructions_of(code).all:
        if instruction.name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            scope.global_names.add(instruction.value)
        elif instruction.name in ("STORE_DEREF", "DELETE_DEREF") and instruction.value in code.co_freevars:
            scope.nonlocal_names.add(instruction.value)
    scope.bound -= scope.global_names
    return scope
