"""Instructions that read and bind names, attributes and elements."""

import types

from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.bytecode.minors import MINOR
from dyad._src.capture.readers.bytecode.calling import loads_method, push_callable
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.stack import CELL, CLEARED, NULL
from dyad._src.capture.semantics.values import UNBOUND, OneOf


class NameReader(ReaderPart):
    """Variables, globals, attributes, elements, imports."""

    # ---- local variables

    def op_LOAD_FAST(self, instruction, region):
        self.stack.push(self._local(instruction.value, instruction))

    op_LOAD_FAST_CHECK = op_LOAD_FAST

    def _local(self, name, instruction):
        code = self.interpreter.frame.code.code
        if name in code.co_freevars or (
            name in code.co_cellvars and self._is_for_closure(instruction.number)
        ):
            return CELL
        return self.interpreter.variables.read_name(name, instruction.position)

    def _is_for_closure(self, number):
        """Returns whether a variable is read as a cell, for a new function: the compiler has no instruction of its own
        for that since 3.13.
        """
        if MINOR < (3, 13):
            return False
        names = self.interpreter.frame.flow.names
        while names[number] in ("LOAD_FAST", "LOAD_FAST_LOAD_FAST"):
            number += 1
        following = self.interpreter.frame.flow.instructions[number + 1]
        return names[number] == "BUILD_TUPLE" and isinstance(following.value, types.CodeType)

    def op_LOAD_FAST_LOAD_FAST(self, instruction, region):
        for name in instruction.value:
            self.stack.push(self._local(name, instruction))

    def op_LOAD_FAST_AND_CLEAR(self, instruction, region):
        frame = self.interpreter.frame
        value = frame.locals.get(instruction.value, UNBOUND)
        self.stack.push(_exchanged(value, UNBOUND, CLEARED))
        self._store(instruction.value, UNBOUND, instruction)

    def op_STORE_FAST(self, instruction, region):
        self._store(instruction.value, self.stack.pop(), instruction)

    op_STORE_DEREF = op_STORE_FAST
    op_STORE_GLOBAL = op_STORE_FAST

    def op_STORE_FAST_STORE_FAST(self, instruction, region):
        for name in instruction.value:
            self._store(name, self.stack.pop(), instruction)

    def op_STORE_FAST_LOAD_FAST(self, instruction, region):
        stored, loaded = instruction.value
        self._store(stored, self.stack.pop(), instruction)
        self.stack.push(self._local(loaded, instruction))

    def _store(self, name, value, instruction):
        value = _exchanged(value, CLEARED, UNBOUND)
        self.interpreter.variables.write_name(name, value, instruction.position)

    def op_DELETE_FAST(self, instruction, region):
        self.interpreter.variables.delete_name(instruction.value)

    op_DELETE_DEREF = op_DELETE_FAST
    op_DELETE_GLOBAL = op_DELETE_FAST

    def op_LOAD_DEREF(self, instruction, region):
        self.stack.push(self.interpreter.variables.read_name(instruction.value, instruction.position))

    def op_LOAD_CLOSURE(self, instruction, region):
        self.stack.push(CELL)

    def op_MAKE_CELL(self, instruction, region):
        flow = self.interpreter.frame.flow
        if any(name == "RESUME" for name in flow.names[: instruction.number]):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"a comprehension makes functions that keep its own variable {instruction.value!r}",
                "Make them in a function that takes the variable as a parameter.",
            )

    def op_COPY_FREE_VARS(self, instruction, region):
        pass

    # ---- constants and globals

    def op_LOAD_CONST(self, instruction, region):
        self.stack.push(instruction.value)

    def op_LOAD_GLOBAL(self, instruction, region):
        interpreter = self.interpreter
        value = interpreter.host.asked(interpreter.names.read_global, interpreter.frame, instruction.value)
        push_callable(self.stack, value, instruction.arg & 1)

    def op_LOAD_ASSERTION_ERROR(self, instruction, region):
        self.stack.push(AssertionError)

    # ---- attributes

    def op_LOAD_ATTR(self, instruction, region):
        value = self._attribute(instruction)
        is_method = loads_method(instruction)
        push_callable(self.stack, value, is_method)

    def op_LOAD_METHOD(self, instruction, region):
        push_callable(self.stack, self._attribute(instruction), True)

    def _attribute(self, instruction):
        return self.interpreter.attributes.read_attribute(self.stack.pop(), instruction.value)

    def op_LOAD_SUPER_ATTR(self, instruction, region):
        callee, cls, instance = self.stack.pop_many(3)
        interpreter = self.interpreter
        given = (cls, instance) if instruction.arg & 2 else ()
        owner = interpreter.calls.call(callee, given, {})
        value = interpreter.attributes.read_attribute(owner, instruction.value)
        push_callable(self.stack, value, instruction.arg & 1)

    def op_STORE_ATTR(self, instruction, region):
        value, owner = self.stack.pop_many(2)
        self.interpreter.attribute_writes.write_attribute(owner, instruction.value, value)

    def op_DELETE_ATTR(self, instruction, region):
        self.interpreter.attribute_writes.delete_attribute(self.stack.pop(), instruction.value)

    # ---- elements

    def op_BINARY_SUBSCR(self, instruction, region):
        owner, key = self.stack.pop_many(2)
        self.stack.push(self.interpreter.subscripts.read_item(owner, key))

    def op_BINARY_SLICE(self, instruction, region):
        owner, first, last = self.stack.pop_many(3)
        self.stack.push(self.interpreter.subscripts.read_item(owner, slice(first, last)))

    def op_STORE_SUBSCR(self, instruction, region):
        value, owner, key = self.stack.pop_many(3)
        self.interpreter.subscripts.write_item(owner, key, value)

    def op_STORE_SLICE(self, instruction, region):
        value, owner, first, last = self.stack.pop_many(4)
        self.interpreter.subscripts.write_item(owner, slice(first, last), value)

    def op_DELETE_SUBSCR(self, instruction, region):
        owner, key = self.stack.pop_many(2)
        self.interpreter.subscripts.delete_item(owner, key)

    # ---- imports

    def op_IMPORT_NAME(self, instruction, region):
        level, names = self.stack.pop_many(2)
        if names is None and level == 0:
            self.stack.push(self.interpreter.variables.import_module(instruction.value))
        else:
            wanted = list(names or ())
            self.stack.push(self.interpreter.variables.import_module(instruction.value, wanted, level))

    def op_IMPORT_FROM(self, instruction, region):
        module = self.stack.peek()
        self.stack.push(self.interpreter.variables.import_from(module, instruction.value))

    # ---- the stack itself

    def op_POP_TOP(self, instruction, region):
        self.stack.pop()

    def op_COPY(self, instruction, region):
        self.stack.push(self.stack.peek(instruction.arg))

    def op_SWAP(self, instruction, region):
        top, other = self.stack.peek(), self.stack.peek(instruction.arg)
        self.stack.put(1, other)
        self.stack.put(instruction.arg, top)

    def op_PUSH_NULL(self, instruction, region):
        self.stack.push(NULL)

    def op_NOP(self, instruction, region):
        pass

    op_RESUME = op_NOP
    op_PRECALL = op_NOP


def _exchanged(value, one, other):
    """A value with one mark in place of another, also among several."""
    if type(value) is OneOf:
        ways = value.alternatives.items()
        return OneOf(value.tag, {tag: other if way is one else way for tag, way in ways})
    return other if value is one else value
