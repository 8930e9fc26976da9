"""Functions with a backward of their own where the tape cannot keep them: inside the functions of a graph.

Such a call is a node with two functions of the graph, the forward and its gradient. The gradient is captured with the
forward. Where it acts on Python objects, or cannot be captured, it is Python code that runs with the graph.
"""

from dyad import _core
from dyad._src.autodiff.structures import map_tensors, tensors_in, with_tensors
from dyad._src.base.break_reasons import CONDITION, FUNCTION, UNKNOWN
from dyad._src.capture.errors import Dead, Rejected, Thrown
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import depends_on_run
from dyad._src.operators import zeros_like


class CustomFunctions(Part):
    """Calls with a forward and a backward of their own, as one node of the graph."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self._transforms = _core.state("transforms")  # how many gradients are being recorded around this call
        self._is_used = False

    def require_one_step(self):
        """Refuses a graph that a tape cannot have as one step, nor each operator of it by itself."""
        if not self._is_used or not self.interpreter.own_backward.recording:
            return
        self.external.tree.check_state("transforms", self._transforms)
        if self._transforms > 1 and self.graph.decides:
            rejected = self.interpreter.rejection(
                UNKNOWN,
                "a higher derivative is taken through branches or loops, beside functions with a backward of their own",
                "Take the gradient inside of the compiled function, or take the jit away.",
            )
            rejected.whole = True
            raise rejected

    def call_custom(self, name, tensors, forward, backward=None, on_host=None):
        """`forward(tensors)` as a node whose gradient is `backward(tensors, results, gradients)`.

        `forward` gives any structure. `backward` gives, for each of `tensors`, its gradient or None; `on_host` does so
        for the Tensors of the running graph. There is one of them at least; the first is taken if it can be captured.
        """
        given = {}

        def run_forward(params):
            given["output"] = forward(params)
            return tensors_in(given["output"])

        function, params, outs = self._captured_function(name, tensors, run_forward, self._refuse_changes)
        output = given["output"]
        if depends_on_run(map_tensors(_nothing, output)):
            raise self._refused(name, "returns a number that is known only when the graph runs", CONDITION)
        likes = [*tensors, *outs, *outs]

        def run_backward(params):
            if backward is None:
                raise _Changes
            found = self.interpreter.host.native(backward, *_parted(params, len(tensors), len(outs)))
            return self.interpreter.host.native(_checked, name, tensors, found)

        def call_host(params):
            payload = _HostBackward(name, len(tensors), len(outs), on_host)
            return self.graph.add_host(f"backward of {name}", payload, params, tensors)

        try:
            gradient, _, gradients = self._captured_function(
                f"{name}_backward", likes, self._raising(run_backward, tensors), _note_changes
            )
        except (Rejected, _Changes) as reason:
            if on_host is None:
                raise self._refused(name, "has a backward that acts on Python objects") from reason
            gradient, _, gradients = self._captured_function(
                f"{name}_backward", likes, call_host, _note_changes
            )
        results = self.graph.add_custom(function, outs, gradient, gradients, tensors)
        self._is_used = True
        self.interpreter.aliases.link_function(params, outs, tensors, results)
        return self.interpreter.gradients.note_births(with_tensors(output, results))

    def _captured_function(self, name, likes, run, see_changes):
        """(function of the graph, its parameters, its results); `run(params)` writes it."""
        self.heap.push()
        params = self.graph.begin(name, likes)
        try:
            with self.interpreter.completions.sealed():
                outs = run(list(params))
        except BaseException:
            self.graph.suspend()
            self.heap.pop()
            raise
        function = self.graph.suspend()
        see_changes(name, self.heap.pop())
        return function, params, list(outs)

    def _raising(self, run, tensors):
        """Wraps a backward: what it raises is raised when the running graph gets there."""

        def raising(params):
            try:
                return run(params)
            except Thrown as thrown:
                self.interpreter.throwing.raise_in_graph(thrown)
            except Dead:
                pass
            # What comes after depends on it: nothing takes it for a gradient that is not there.
            return self.graph.add_host("raised before", _never, params, tensors)

        return raising

    def _refuse_changes(self, name, changes):
        if changes:
            raise self._refused(name, "changes Python objects")

    def _refused(self, name, what, kind=FUNCTION):
        return self.interpreter.rejection(
            kind,
            f"{name}: inside a function of the graph it {what}, which is not captured for a function with a backward "
            "of its own",
            "Take it out of the branch or loop, or take the jit away where the gradient is needed.",
        )

    def runs_outside(self, function):
        """Returns whether Python itself can call a function of the program: not one that the program defines inside."""
        function = getattr(function, "__wrapped__", function)
        return not isinstance(getattr(function, "__func__", function), (ClosureFunction, Bound))


class _Changes(Exception):
    """The function acts on Python objects."""


def _note_changes(name, changes):
    if changes:
        raise _Changes


class _HostBackward:
    """The gradient of a function, computed by Python when the graph runs."""

    def __init__(self, name, inputs, outputs, run):
        self._name, self._inputs, self._outputs, self._run = name, inputs, outputs, run

    def __call__(self, *tensors):
        inputs, outputs, gradients = _parted(tensors, self._inputs, self._outputs)
        return tuple(_checked(self._name, inputs, self._run(inputs, outputs, gradients)))


def _parted(tensors, inputs, outputs):
    """Arguments, results, gradients of the results."""
    return tensors[:inputs], tensors[inputs : inputs + outputs], tensors[inputs + outputs :]


def _checked(name, inputs, gradients):
    """One gradient for each input, in its shape and dtype; zeros where there is none."""
    return [
        zeros_like(tensor) if gradient is None else _fitting(name, number, tensor, gradient)
        for number, (tensor, gradient) in enumerate(zip(inputs, gradients, strict=False))
    ]


def _fitting(name, number, tensor, gradient):
    if gradient.shape != tensor.shape:
        raise RuntimeError(
            f"{name}: the gradient for input {number} has shape {gradient.shape}; the input has shape {tensor.shape}"
        )
    return gradient if gradient.dtype == tensor.dtype else gradient.astype(tensor.dtype)


def _never(*tensors):
    raise AssertionError("a path that raised went on")


def _nothing(tensor):
    return None
