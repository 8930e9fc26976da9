"""Instructions that make, fill and take apart containers."""

from dyad._src.capture.readers.bytecode.calling import CALLABLE_BELOW_KEYWORDS
from dyad._src.capture.readers.bytecode.part import ReaderPart


class ContainerReader(ReaderPart):
    """Displays of lists, tuples, dicts, sets and slices, unpacking, and what comprehensions collect."""

    def _push_new(self, container):
        self.stack.push(self.interpreter.heap.note_birth(container))

    def op_BUILD_TUPLE(self, instruction, region):
        self.stack.push(tuple(self.stack.pop_many(instruction.arg)))

    def op_BUILD_LIST(self, instruction, region):
        self._push_new(self.stack.pop_many(instruction.arg))

    def op_BUILD_SET(self, instruction, region):
        values = self.stack.pop_many(instruction.arg)
        self.interpreter.subscripts.require_known(values, "set")
        self._push_new(set(values))

    def op_BUILD_MAP(self, instruction, region):
        given = self.stack.pop_many(2 * instruction.arg)
        for key in given[::2]:
            self.interpreter.subscripts.require_key(key)
        self._push_new(dict(zip(given[::2], given[1::2], strict=True)))

    def op_BUILD_CONST_KEY_MAP(self, instruction, region):
        keys = self.stack.pop()
        self._push_new(dict(zip(keys, self.stack.pop_many(instruction.arg), strict=True)))

    def op_BUILD_SLICE(self, instruction, region):
        self.stack.push(slice(*self.stack.pop_many(instruction.arg)))

    def op_LIST_TO_TUPLE(self, instruction, region):
        self.stack.push(tuple(self.stack.pop()))

    # ---- filling

    def op_LIST_APPEND(self, instruction, region):
        item = self.stack.pop()
        self.interpreter.iteration.append(self.stack.peek(instruction.arg), item)

    def op_LIST_EXTEND(self, instruction, region):
        items = self.interpreter.iteration.items_of(self.stack.pop())
        made = self._touched(instruction)
        made.extend(items)

    def op_SET_ADD(self, instruction, region):
        item = self.stack.pop()
        self.interpreter.iteration.add_member(self.stack.peek(instruction.arg), item)

    def op_SET_UPDATE(self, instruction, region):
        items = self.interpreter.iteration.items_of(self.stack.pop())
        self.interpreter.subscripts.require_known(items, "set")
        self._touched(instruction).update(items)

    def op_MAP_ADD(self, instruction, region):
        key, value = self.stack.pop_many(2)
        self.interpreter.iteration.add_entry(self.stack.peek(instruction.arg), key, value)

    def op_DICT_UPDATE(self, instruction, region):
        further = self.interpreter.iteration.known_mapping(self.stack.pop())
        self._touched(instruction).update(further)

    def op_DICT_MERGE(self, instruction, region):
        further = self.stack.pop()
        made = self._touched(instruction)
        called = self.stack.peek(instruction.arg + CALLABLE_BELOW_KEYWORDS)
        self.interpreter.calls.merge_keywords(called, made, further)

    def _touched(self, instruction):
        """The container at the place that an instruction names, about to be changed."""
        made = self.stack.peek(instruction.arg)
        self.interpreter.heap.touch(made)
        return made

    # ---- taking apart

    def op_UNPACK_SEQUENCE(self, instruction, region):
        self._unpack(instruction, instruction.arg, None)

    def op_UNPACK_EX(self, instruction, region):
        before, after = instruction.arg & 0xFF, instruction.arg >> 8
        self._unpack(instruction, before + 1 + after, before)

    def _unpack(self, instruction, count, starred):
        def push_all(items):
            self.stack.settle(depth)
            for item in reversed(items):
                self.stack.push(item)

        value = self.stack.pop()
        depth = self.stack.top
        self.interpreter.iteration.unpack(value, count, starred, push_all, instruction.position)
        self.stack.top = depth + count
