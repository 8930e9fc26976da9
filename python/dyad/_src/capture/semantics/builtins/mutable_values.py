"""`mutable` inside of a graph, and the questions about what a graph knows of a sequence."""

from typing import Any

from dyad import _core
from dyad._core import GraphNumber
from dyad._src.capture.semantics.builtins.registry import asking, builtin
from dyad._src.capture.semantics.outside.containers import guard_open_length
from dyad._src.capture.semantics.values import (
    OneOf,
    RuntimeRange,
    contents_choice_of,
    depends_on_run,
)
from dyad._src.tensor.mutable import (
    Mutable,
    is_dynamic_sequence_element_unknown,
    is_sequence_shape_unknown,
    is_sequence_value_unknown,
    mutable,
    require_dynamic,
    require_one_type,
)
from dyad._src.tensor.type_marks import number_kind


@builtin(mutable)
def _mutable(interpreter, args, kwargs):
    marked = interpreter.calls.call_framework(mutable, args, kwargs)
    interpreter.host.native(require_one_type, "mutable", marked)
    if isinstance(marked, GraphNumber) or number_kind(marked) is not None:
        return interpreter.external.marks.note(_variable(interpreter, marked), marked)
    if isinstance(marked, (list, tuple, dict)):
        return _with_variables(interpreter, marked)
    return marked


def _variable(interpreter, value):
    """The value with each number in it as a number of the graph, which nobody knows while it is compiled."""
    if isinstance(value, GraphNumber):
        return value
    kind = number_kind(value)
    if kind is not None:
        return interpreter.host.native(_core.number_op, kind.__name__, kind(value))
    if isinstance(value, (list, tuple, dict)):
        return _with_variables(interpreter, value)
    return value


def _with_variables(interpreter, container):
    made: Any
    if isinstance(container, dict):
        made = type(container)((key, _variable(interpreter, value)) for key, value in container.items())
    else:
        made = type(container)(_variable(interpreter, value) for value in container)
    if isinstance(container, Mutable):
        made.dynamic_len = container.dynamic_len
    return made if isinstance(made, tuple) else interpreter.heap.note_birth(made)


def _is_open(interpreter, sequence):
    """Returns whether the length of a sequence is known only when the graph runs; None for what is no sequence."""
    if isinstance(sequence, RuntimeRange):
        return True
    if isinstance(sequence, OneOf):
        each = list(sequence.alternatives.values())
        return len(set(map(len, each))) > 1 if all(isinstance(one, (list, tuple)) for one in each) else None
    original = interpreter.external.original_of(sequence)
    if original is not sequence and isinstance(original, Mutable):
        guard_open_length(interpreter.external, original, interpreter.external.node_of(sequence))
        if original.dynamic_len:
            return True  # it is not looked into, as that would ask for its length
    sequence = interpreter.external.look(sequence)
    if isinstance(sequence, (list, tuple)):
        return contents_choice_of(sequence) is not None or interpreter.external.marks.has_open_length(
            sequence
        )
    return None


@asking(is_sequence_shape_unknown)
def _is_shape_unknown(interpreter, sequence):
    known = _is_open(interpreter, sequence)
    return interpreter.host.native(is_sequence_shape_unknown, sequence) if known is None else known


@asking(is_sequence_value_unknown)
def _is_value_unknown(interpreter, sequence):
    is_open = _is_open(interpreter, sequence)
    if is_open is None:
        return interpreter.host.native(is_sequence_value_unknown, sequence)
    return is_open or interpreter.external.marks.is_variable(sequence) or depends_on_run(sequence)


@asking(is_dynamic_sequence_element_unknown)
def _is_element_unknown(interpreter, sequence):
    sequence = interpreter.external.look(sequence)
    interpreter.host.native(require_dynamic, sequence, bool(_is_open(interpreter, sequence)))
    return interpreter.operators.negated(interpreter.operators.truth(sequence))
