"""`vmap` inside a captured program: the function is captured for one slice and written down for all of them."""

from dyad import _core
from dyad._src.autodiff.axes import MappedArguments, MappedOutputs
from dyad._src.autodiff.vmap import is_ensemble, require_one_structure
from dyad._src.capture.errors import Dead, rejection
from dyad._src.capture.values import OneOf

_stack = _core.named_op("stack")


class Batching:
    def call_batched(self, vectorized, args, kwargs):
        """The call of what `vmap` made."""
        for place, value in enumerate(args):
            if isinstance(value, OneOf):
                return self.split(
                    value,
                    lambda chosen, place=place: self.call_batched(
                        vectorized, (*args[:place], chosen, *args[place + 1 :]), kwargs
                    ),
                )
        fn = self.read_attribute(vectorized, "__wrapped__")
        count, replaced = None, ()
        if is_ensemble(fn):
            count, fn, replaced = self._ensemble(fn)
        mapped = self.native(MappedArguments, vectorized.in_axes, args, kwargs, count)
        function, value = self._capture_slice(fn, mapped)
        outputs = self.native(MappedOutputs, vectorized.out_axes, value)
        alike = vectorized.randomness == "same"
        given = self.native(
            self.graph.add_batched, function, outputs.leaves, mapped.wholes, mapped.count, alike, replaced
        )
        result = self.native(outputs.placed, given, mapped.count)
        if isinstance(result, (list, dict)):
            self.heap.note_birth(result)
        return result

    def _capture_slice(self, fn, mapped):
        """(the function of the graph for one slice, what it gives)."""
        likes = [(whole.dtype, tuple(whole.shape)[1:]) for whole in mapped.wholes]
        self.heap.push()
        slices = self.graph.begin("vmap", likes)
        try:
            args, kwargs = mapped.call_with(slices)
            value = self.call(fn, args, kwargs)
        except Dead:
            raise rejection(
                self.place,
                "vmap: the function raises an exception whatever it is given",
                "Let it give a value.",
            ) from None
        finally:
            function = self.graph.suspend()
            changes = self.heap.pop()
        if changes:
            raise rejection(
                self.place,
                "vmap: the function changes a name, attribute or container from outside of it, which every slice would "
                "do in its own way",
                "Return the new value instead.",
                kind=RuntimeError,
            )
        return function, value

    def _ensemble(self, cells):
        """(number of Cells, the first one, its Parameters as the program sees them with those of all Cells)."""
        world = self.world
        world.tree.check_call(world.node_of(cells), _parameter_identities, _parameter_identities(cells))
        members = list(cells)
        self.native(require_one_structure, members)
        by_cell = [[world.adopt_fixed(part) for part in cell.get_parameters()] for cell in members]
        replaced = [
            (parameters[0], self.native(_stack, list(parameters), 0))
            for parameters in zip(*by_cell, strict=True)
        ]
        return len(members), members[0], replaced


def _parameter_identities(cells):
    return tuple(tuple(map(id, cell.get_parameters())) for cell in cells)
