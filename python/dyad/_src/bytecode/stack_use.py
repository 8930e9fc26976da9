"""Stack effects of instructions: how deep they read, how many values they pop and how many they push."""

import dis
from typing import NamedTuple

from dyad._src.bytecode.minors import facts


class StackUse(NamedTuple):
    """`reach` values are looked at, of which `pops` on top go, then `pushes` come."""

    reach: int
    pops: int
    pushes: int


def stack_use(name, argument, jumps=False):
    """The StackUse of an instruction, for the edge on which it jumps or for the other one.

    Names of jumps have no direction, as those of an Op. For instructions that suspend a function only the number of
    values is right. KeyError for an unknown instruction.
    """
    if name in _FIXED:
        return _FIXED[name]
    if name in _BY_ARGUMENT:
        return StackUse(*_BY_ARGUMENT[name](argument))
    if name in ("FOR_ITER", "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"):
        return _branch(name, jumps)
    if name in _SUSPENDING:
        number = dis.opmap[name]
        effect = dis.stack_effect(number, argument, jump=jumps)
        return StackUse(2, max(0, -effect), max(0, effect))
    raise KeyError(name)


def _branch(name, jumps):
    if name == "FOR_ITER":
        if not jumps:
            return StackUse(1, 0, 1)
        # Where the loop ends in instructions of its own, they pop both values.
        return StackUse(1, 0, 1) if facts().END_OF_LOOP else StackUse(1, 1, 0)
    return StackUse(1, 0, 0) if jumps else StackUse(1, 1, 0)


def _table(groups):
    return {name: StackUse(*use) for use, names in groups.items() for name in names.split()}


_FIXED = _table(
    {
        (0, 0, 0): "NOP RESUME COPY_FREE_VARS MAKE_CELL KW_NAMES PRECALL JUMP JUMP_NO_INTERRUPT"
        " DELETE_FAST DELETE_DEREF"
        " DELETE_GLOBAL DELETE_NAME RETURN_CONST SETUP_ANNOTATIONS",
        (0, 0, 1): "LOAD_CONST LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_DEREF LOAD_CLOSURE"
        " LOAD_CLASSDEREF"
        " LOAD_NAME PUSH_NULL LOAD_ASSERTION_ERROR LOAD_BUILD_CLASS LOAD_LOCALS",
        (0, 0, 2): "LOAD_FAST_LOAD_FAST",
        (1, 1, 0): "POP_TOP STORE_FAST STORE_DEREF STORE_GLOBAL STORE_NAME DELETE_ATTR RETURN_VALUE"
        " POP_EXCEPT IMPORT_STAR"
        " POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE",
        (1, 1, 1): "STORE_FAST_LOAD_FAST UNARY_POSITIVE UNARY_NEGATIVE UNARY_NOT UNARY_INVERT TO_BOOL"
        " GET_ITER LIST_TO_TUPLE CONVERT_VALUE"
        " FORMAT_SIMPLE CALL_INTRINSIC_1 LOAD_FROM_DICT_OR_GLOBALS LOAD_FROM_DICT_OR_DEREF",
        (2, 2, 1): "BINARY_OP BINARY_SUBSCR COMPARE_OP IS_OP CONTAINS_OP IMPORT_NAME FORMAT_WITH_SPEC"
        " CALL_INTRINSIC_2"
        " SET_FUNCTION_ATTRIBUTE PREP_RERAISE_STAR",
        (2, 2, 0): "STORE_FAST_STORE_FAST STORE_ATTR DELETE_SUBSCR",
        (3, 3, 0): "STORE_SUBSCR",
        (3, 3, 1): "BINARY_SLICE MATCH_CLASS",
        (4, 4, 0): "STORE_SLICE",
        (1, 0, 1): "GET_LEN MATCH_MAPPING MATCH_SEQUENCE IMPORT_FROM",
        (2, 0, 1): "MATCH_KEYS",
        (1, 1, 2): "PUSH_EXC_INFO BEFORE_WITH BEFORE_ASYNC_WITH LOAD_METHOD",
        (2, 1, 1): "CHECK_EXC_MATCH",
        (2, 2, 2): "CHECK_EG_MATCH",
        (4, 0, 1): "WITH_EXCEPT_START",
    }
)
_FIXED["END_ASYNC_FOR"] = StackUse(2, 2, 0)
_FIXED["END_FOR"] = StackUse(2, 2, 0) if facts().END_OF_LOOP == 1 else StackUse(1, 1, 0)


def _takes(count, pushes=1):
    return count, count, pushes


_MERGE_REACH = 3 if facts().NULL_IS_BELOW else 4  # an error of DICT_MERGE names the callable below
_BY_ARGUMENT = {
    "SWAP": lambda n: (n, 0, 0),
    "COPY": lambda n: (n, 0, 1),
    "CALL": lambda n: _takes(n + 2),
    "CALL_KW": lambda n: _takes(n + 3),
    "CALL_FUNCTION_EX": lambda n: _takes(3 + (n & 1)),
    "LOAD_GLOBAL": lambda n: (0, 0, 1 + (n & 1)),
    "LOAD_ATTR": lambda n: _takes(1, 1 + (n & facts().METHOD_BIT)),
    "LOAD_SUPER_ATTR": lambda n: _takes(3, 1 + (n & 1)),
    "MAKE_FUNCTION": lambda n: _takes(1 + ((n or 0) & 15).bit_count()),
    "FORMAT_VALUE": lambda n: _takes(2 if n & 4 else 1),
    "BUILD_TUPLE": _takes,
    "BUILD_LIST": _takes,
    "BUILD_SET": _takes,
    "BUILD_STRING": _takes,
    "BUILD_SLICE": _takes,
    "BUILD_MAP": lambda n: _takes(2 * n),
    "BUILD_CONST_KEY_MAP": lambda n: _takes(n + 1),
    "LIST_APPEND": lambda n: (n + 1, 1, 0),
    "SET_ADD": lambda n: (n + 1, 1, 0),
    "MAP_ADD": lambda n: (n + 2, 2, 0),
    "LIST_EXTEND": lambda n: (n + 1, 1, 0),
    "SET_UPDATE": lambda n: (n + 1, 1, 0),
    "DICT_UPDATE": lambda n: (n + 1, 1, 0),
    "DICT_MERGE": lambda n: (n + _MERGE_REACH, 1, 0),
    "UNPACK_SEQUENCE": lambda n: (1, 1, n),
    "UNPACK_EX": lambda n: (1, 1, (n & 255) + (n >> 8) + 1),
    "RAISE_VARARGS": lambda n: (n, n, 0),
    "RERAISE": lambda n: (n + 1, 1, 0),
}
_SUSPENDING = frozenset(
    (
        *(
            "RETURN_GENERATOR",
            "YIELD_VALUE",
            "SEND",
            "GET_AWAITABLE",
            "GET_AITER",
            "GET_ANEXT",
            "CLEANUP_THROW",
        ),
        *("END_SEND", "GET_YIELD_FROM_ITER", "ASYNC_GEN_WRAP"),
    )
)
