"""`vmap` inside a captured program: the function is captured for one slice and written down for all of them."""

import functools

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.autodiff.axes import MappedArguments, MappedOutputs
from dyad._src.autodiff.vmap import is_ensemble, require_one_structure
from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.capture.errors import Dead
from dyad._src.capture.semantics.abstract.abstraction import abstraction_of
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf, contents_choice_of, depends_on_run, kind_of_number
from dyad._src.operators import add, cast, full, stack


class Batching(Part):
    """Calls functions under `vmap`: captured for one slice, the graph for all slices is made of that."""

    def call_batched(self, vectorized, args, kwargs):
        """The call of what `vmap` made."""
        for place, value in enumerate(args):
            if isinstance(value, OneOf):
                return self.interpreter.branches.split(
                    value,
                    lambda chosen, place=place: self.call_batched(
                        vectorized, (*args[:place], chosen, *args[place + 1 :]), kwargs
                    ),
                )
        fn = self.interpreter.attributes.read_attribute(vectorized, "__wrapped__")
        count, replaced = None, ()
        if is_ensemble(fn):
            count, fn, replaced = self._ensemble(fn)
        mapped = self.interpreter.host.native(MappedArguments, vectorized.in_axes, args, kwargs, count)
        function, value, written = self._capture_slice(fn, mapped)
        outputs = self.interpreter.host.native(MappedOutputs, vectorized.out_axes, value)
        leaves = [*outputs.leaves, *written.values()]
        alike = vectorized.randomness == "same"
        given = self.interpreter.host.native(
            self.graph.add_batched, function, leaves, mapped.wholes, mapped.count, alike, replaced
        )
        result = self.interpreter.host.native(outputs.placed, given[: len(outputs.leaves)], mapped.count)
        for place, (slices, _) in zip(written, given[len(outputs.leaves) :], strict=True):
            write = self.interpreter.attributes.read_attribute(mapped.wholes[place], "copy_")
            self.interpreter.calls.call(write, (slices,), {})
        if isinstance(result, (list, dict)):
            self.heap.note_birth(result)
        return result

    def _capture_slice(self, fn, mapped):
        """(the function of the graph for one slice, what it gives, the slices that it writes by their places)."""
        likes = [(whole.dtype, tuple(whole.shape)[1:]) for whole in mapped.wholes]
        written_before = len(self.external.written)
        self.heap.push()
        slices = self.graph.begin("vmap", likes)
        try:
            args, kwargs = mapped.call_with(slices)
            with self.interpreter.completions.sealed():
                value = self._settled(self.interpreter.calls.call(fn, args, kwargs))
        except Dead:
            raise self.interpreter.rejection(
                UNKNOWN,
                "vmap: the function raises an exception whatever it is given",
                "Let it give a value.",
            ) from None
        finally:
            function = self.graph.suspend()
            changes = self.heap.pop()
        if changes:
            raise self.interpreter.rejection(
                UNKNOWN,
                "vmap: the function changes a name, attribute or container from outside of it, which every slice would "
                "do in its own way",
                "Return the new value instead.",
                error=RuntimeError,
            )
        written = self.external.written[written_before:]
        return (
            function,
            value,
            {
                place: part
                for place, part in enumerate(slices)
                if any(_core.shares_storage(part, tensor) for tensor in written)
            },
        )

    def _settled(self, value):
        """The result of a slice with one structure, whatever path the slice takes."""
        if isinstance(value, OneOf):
            return self._settled_choice(value)
        if isinstance(value, (tuple, list, dict)):
            undecided = contents_choice_of(value)
            if undecided is not None:
                return self._settled(undecided.choice)
            return _with_entries(value, [self._settled(entry) for entry in _entries(value)])
        if isinstance(value, (Tensor, GraphNumber)) or not depends_on_run(getattr(value, "__dict__", value)):
            return value
        raise self._unsettled(value)

    def _settled_choice(self, choice):
        alternatives = list(choice.alternatives.values())
        if all(isinstance(value, (Tensor, GraphNumber, bool, int, float)) for value in alternatives):
            dtype = _common_dtype(alternatives)
            return self.interpreter.branches.split(
                choice, lambda chosen: self.interpreter.host.native(_as_tensor, chosen, dtype)
            )
        first = alternatives[0]
        if not isinstance(first, (tuple, list, dict)) or any(
            _outline(a) != _outline(first) for a in alternatives
        ):
            raise self._unsettled(choice)
        entries = zip(*map(_entries, alternatives), strict=True)
        return _with_entries(
            first,
            [
                self._settled(OneOf(choice.tag, dict(zip(choice.alternatives, parts, strict=True))))
                for parts in entries
            ],
        )

    def _unsettled(self, value):
        return self.interpreter.rejection(
            UNKNOWN,
            f"vmap: the function returns {abstraction_of(value).describe()}",
            "Return Tensors and numbers, in tuples, lists and dicts of one structure on every path.",
            error=RuntimeError,
        )

    def _ensemble(self, cells):
        """(number of Cells, the first one, its Parameters as the program sees them with those of all Cells)."""
        external = self.external
        external.tree.check_call(external.node_of(cells), _parameter_identities, _parameter_identities(cells))
        members = list(cells)
        self.interpreter.host.native(require_one_structure, members)
        by_cell = [[external.adopt_fixed(part) for part in cell.get_parameters()] for cell in members]
        replaced = [
            (parameters[0], self.interpreter.host.native(stack, list(parameters), 0))
            for parameters in zip(*by_cell, strict=True)
        ]
        return len(members), members[0], replaced


def _entries(container):
    return list(container.values()) if isinstance(container, dict) else list(container)


def _outline(container):
    """Returns the type, length and keys that containers treated as one have in common."""
    keys = tuple(container) if isinstance(container, dict) else None
    return type(container), len(container) if isinstance(container, (tuple, list, dict)) else None, keys


def _with_entries(container, entries):
    if all(new is old for new, old in zip(entries, _entries(container), strict=True)):
        return container
    if isinstance(container, dict):
        return dict(zip(container, entries, strict=True))
    if hasattr(container, "_fields"):
        return type(container)(*entries)
    return tuple(entries) if isinstance(container, tuple) else entries


def _common_dtype(values):
    """The dtype in which they meet, numbers yielding to Tensors as in an operator."""
    dtypes = {value.dtype for value in values if isinstance(value, Tensor)}
    kinds = {kind_of_number(value) for value in values if not isinstance(value, Tensor)}
    number = next((kind(0) for kind in (float, int, bool) if kind in kinds), False)
    if not dtypes:
        return full((), number).dtype
    dtype = functools.reduce(lambda one, other: add(full((), 0, one), full((), 0, other)).dtype, dtypes)
    return dtype if isinstance(number, bool) else add(full((), 0, dtype), number).dtype


def _as_tensor(value, dtype):
    if isinstance(value, Tensor):
        return value if value.dtype == dtype else cast(value, dtype)
    return _core.as_tensor(value, dtype) if isinstance(value, GraphNumber) else full((), value, dtype)


def _parameter_identities(cells):
    return tuple(tuple(map(id, cell.get_parameters())) for cell in cells)
