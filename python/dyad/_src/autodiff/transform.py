"""One differentiated call: the function runs with recording on, then the tape runs backward."""

import enum

from dyad._core import detach, differentiate
from dyad._src.autodiff.arguments import CallForm, Leaves
from dyad._src.autodiff.recording import Recording, require_recording_allowed
from dyad._src.autodiff.seeds import require_seeds
from dyad._src.autodiff.structures import as_tuple, detached, map_tensors, ones_in, tensors_in


class Wanted(enum.Enum):
    """Arguments to differentiate by, as far as the call has them."""

    FIRST = enum.auto()
    EVERY = enum.auto()


class Transform:
    """A differentiation request for a function; `run` computes it for the arguments of a call.

    `positions` are the arguments to differentiate by: a tuple of numbers, or one of `Wanted`. `weights` are the
    Parameters. With `has_aux` only output 0 is differentiated. With `takes_sens` the last argument of a call is the
    gradient of its output.
    """

    __slots__ = (
        "_form",
        "_last_position",
        "fn",
        "has_aux",
        "out_of_range",
        "owner",
        "positions",
        "takes_sens",
        "weights",
    )

    def __init__(
        self, owner, fn, positions, weights, has_aux=False, takes_sens=False, out_of_range=IndexError
    ):
        self.owner, self.fn = owner, fn
        self.positions, self.weights = positions or (), weights or ()
        self.has_aux, self.takes_sens = has_aux, takes_sens
        self.out_of_range = out_of_range
        self._form = None
        self._last_position = max(self.positions, default=-1) if isinstance(self.positions, tuple) else -1

    def over(self, fn, weights):
        """The same question about another function and other Parameters."""
        return Transform(
            self.owner, fn, self.positions, weights, self.has_aux, self.takes_sens, self.out_of_range
        )

    def request(self):
        """The request without function and Parameters, in constants."""
        return self.owner, self.positions, self.has_aux, self.takes_sens, self.out_of_range

    def __reduce__(self):
        given = (self.owner, self.fn, self.positions, self.weights, self.has_aux, self.takes_sens)
        return Transform, (*given, self.out_of_range)

    def run(self, args, kwargs):
        """(output, [(position, gradient)] by the arguments that have one, [(Parameter, gradient)])."""
        require_recording_allowed(self.owner)
        sens = None
        if self.takes_sens:
            args, kwargs, sens = self._split_sens(args, kwargs)
        with Recording() as recording:
            leaves, output, outputs = self.forward(recording, args, kwargs)
            seeds = self._seeds(output, outputs, sens)
            output = self.handed_out(recording, output)
            recording.begin_backward()
            gradients = differentiate(outputs, seeds, [*leaves.tensors, *self.weights], recording.mark, False)
        inputs = len(leaves.tensors)
        by_weight = list(zip(self.weights, gradients[inputs:], strict=True))
        return output, leaves.gradients_by_position(gradients[:inputs]), by_weight

    def forward(self, recording, args, kwargs):
        """Calls the function: (what it is differentiated by, its output, the Tensors to differentiate)."""
        leaves = Leaves()
        if self.positions:
            args, kwargs = self._take_leaves(leaves, args, kwargs)
        recording.track(leaves.parameters)
        recording.track(self.weights)
        output = self.fn(*args, **kwargs)
        if self.has_aux:
            output = as_tuple(output)
        return leaves, output, tensors_in(self.seeded_part(output))

    def _seeds(self, output, outputs, sens):
        if sens is not None:
            return require_seeds(self.owner, sens[0], self.seeded_part(output), outputs)
        return ones_in(self.seeded_part(output))

    def handed_out(self, recording, output):
        """The output that the caller receives; read before the backward pass starts."""
        if self.has_aux:
            output = (output[0], *map_tensors(detach, output[1:]))
        return detached(output) if recording.is_final else output

    def seeded_part(self, output):
        """The part of the output that is differentiated."""
        if not self.has_aux:
            return output
        if not isinstance(output, tuple) or len(output) < 2:
            shown = f"a tuple of {len(output)}" if isinstance(output, tuple) else type(output).__name__
            raise ValueError(
                f"{self.owner}: with has_aux the function returned {shown}; need a tuple of two or more outputs"
            )
        return output[0]

    def _take_leaves(self, leaves, args, kwargs):
        args = list(args)
        if not kwargs and type(self.positions) is tuple and self._last_position < len(args):
            for position in self.positions:
                args[position] = leaves.take(position, args[position])
            return args, kwargs
        places = self.places(args, kwargs)
        kwargs = dict(kwargs)
        for position in self._wanted(places):
            place = places[position]
            holder = args if isinstance(place, int) else kwargs
            holder[place] = leaves.take(position, holder[place])
        return args, kwargs

    def _wanted(self, places):
        """The positions to differentiate by, all of which the call has."""
        given = [position for position, place in enumerate(places) if place is not None]
        if self.positions is Wanted.EVERY:
            return given
        if self.positions is Wanted.FIRST:
            return given[:1] if given[:1] == [0] else ()
        for position in self.positions:
            if position not in given:
                raise self.out_of_range(
                    f"{self.owner}: grad_position is {position}; the call gives arguments at {given or 'none'}"
                )
        return self.positions

    def places(self, args, kwargs):
        """The location of the argument at each position; see `CallForm.places`."""
        if not kwargs:
            return range(len(args))
        if self._form is None:
            self._form = CallForm(self.fn)
        return self._form.places(args, kwargs)

    def _split_sens(self, args, kwargs):
        if "sens" in kwargs:
            kwargs = dict(kwargs)
            return args, kwargs, (kwargs.pop("sens"),)
        if not args:
            raise IndexError(
                f"{self.owner}: sens is missing; give the gradient of the output as the last argument"
            )
        return args[:-1], kwargs, args[-1:]
