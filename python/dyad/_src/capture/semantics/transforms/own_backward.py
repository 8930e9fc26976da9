"""Functions of the program that say themselves what their gradient is, and functions that watch gradients pass.

The tape keeps them and calls them when the backward pass is written; these calls come back to the interpreter.
"""

import functools
import types

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.backward_hooks import BackwardHooks
from dyad._src.autodiff.custom import call_with_backward, inputs_of, missing_backward
from dyad._src.autodiff.function import FunctionContext, require_outputs, run_function
from dyad._src.autodiff.markers import HookBackward
from dyad._src.autodiff.recompute import require_recomputable
from dyad._src.autodiff.structures import map_tensors, tensors_in, with_tensors
from dyad._src.base.break_reasons import FUNCTION, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.transforms.custom_steps import (
    CustomStep,
    FunctionOutside,
    HooksOutside,
    HookStep,
    MarkerStep,
)
from dyad._src.capture.semantics.values import OneOf
from dyad._src.tensor.parameter import Parameter


class OwnBackward(Part):
    """Functions and Cells that say themselves what their gradient is, hooks of gradients, and recomputation."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.recording = _core.state("recording")  # whether a transform is under way around this call
        self._may_record = _core.state("may_record")  # whether one is, or there are leaves of `backward()`
        self._guards_states = False  # whether both are guarded
        self._hooked = {}  # id of a handle -> (the handle, the Tensor whose gradient its hook sees, where)

    def is_for_leaves(self):
        """Returns whether only `backward()` may take a gradient of what is computed here, no transform."""
        self._guard_states()
        return self._may_record and not self.recording and not self.interpreter.gradients.transforms

    def _guard_states(self):
        if not self._guards_states:
            self._guards_states = True
            self.external.tree.check_state("recording", self.recording)
            self.external.tree.check_state("may_record", self._may_record)

    def with_own_backward(self, what):
        """Chooses how a custom backward enters the gradient: a bool, or None where no gradient is taken.

        True: the tape keeps it, and calls it when the backward pass is written; then every transform under way writes
        into the same function of the graph. False: it has to be a node of the graph, for who differentiates that.
        """
        self._guard_states()
        here = [depth == self.heap.depth for depth in self.interpreter.gradients.transforms]
        # What an outermost transform leaves is a constant for `backward()`.
        if self.recording or (self._may_record and not here):
            here.append(False)
        if not here:
            return None
        if all(here) or not any(here):
            return here[0]
        raise self.interpreter.rejection(
            UNKNOWN,
            f"{what}: it has a backward path of its own, and its gradient is taken in several functions of the graph",
            "Take both gradients inside of the branch or loop, or take the jit away where the gradient is needed.",
        )

    def call_with_own_backward(self, name, forward, backward, args, kwargs, parameters=(), used=None):
        """`forward(*args, **kwargs)`, whose gradient is `backward(*inputs, out, dout)`."""
        on_tape = self.with_own_backward(name)
        if on_tape is None:
            return self.interpreter.calls.call(forward, args, kwargs)
        called = self.interpreter.gradients.callback(forward), self.interpreter.gradients.callback(backward)
        if on_tape:
            return self.interpreter.gradients.note_births(
                self.interpreter.host.native(
                    call_with_backward, name, *called, args, kwargs, parameters, used
                )
            )
        inputs = self.interpreter.host.native(inputs_of, name, *called, args, kwargs)
        tensors = [*tensors_in(inputs), *parameters]
        if not any(tensor.is_floating_point() or tensor.is_complex() for tensor in tensors):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{name}: it has a backward path of its own and is given integers alone, of which a graph that is "
                "differentiated as a whole takes the gradient operator by operator",
                NEEDS_PYTHON,
            )

        def run_forward(params):
            seen = {id(tensor): param for tensor, param in zip(tensors, params, strict=True)}
            given = map_tensors(lambda tensor: seen.get(id(tensor), tensor), (args, kwargs))
            output = self.interpreter.calls.call(forward, *given)
            for step in steps:
                step.note_output(output)
            return output

        steps = [CustomStep(name, called[1], inputs, parameters, used)]
        if self.interpreter.custom_functions.runs_outside(backward):
            originals = [self.external.original_of(parameter) for parameter in parameters]
            steps.append(CustomStep(name, backward, inputs, originals, used))
        return self.interpreter.custom_functions.call_custom(name, tensors, run_forward, *steps)

    # ---- Cells

    def backward_hooks_of(self, cell):
        """Returns a function that runs the backward hooks of one call of a Cell; None if there are none."""
        before, after = (
            self.external.look(self.interpreter.attributes.read_attribute(cell, f"_backward{kind}_hooks"))
            for kind in ("_pre", "")
        )
        if not (before or after):
            return None
        on_tape = self.with_own_backward(f"{type(cell).__name__}, which has backward hooks")
        if on_tape is None:
            return None
        return BackwardHooks(cell, self._call_hook) if on_tape else HooksOutside(self.interpreter, cell)

    def _call_hook(self, function, *args):
        """A hook is given gradients, behind the Cell if it is a Cell's; on paths where it gives None they stay."""
        result = self.interpreter.calls.call(function, args, {})
        if not isinstance(result, OneOf):
            return result
        seen = args[min(1, len(args) - 1)]
        return self.interpreter.branches.split(result, lambda chosen: seen if chosen is None else chosen)

    def as_hook(self, function):
        """A function of the program as the tape calls it with a gradient."""
        if not callable(function):
            return function
        return functools.partial(self._call_hook, function)

    def run_construct(self, cell, args, kwargs):
        """`construct` of a Cell, with what the Cell says of its gradient."""
        construct = self.interpreter.attributes.read_attribute(cell, "construct")
        if hasattr(type(cell), "bprop"):
            return self._run_with_bprop(cell, construct, args, kwargs)
        options = self.interpreter.attributes.read_attribute(cell, "_recompute_options")
        if options is not None:
            return self.run_recomputed(construct, args, kwargs, options["context_fn"])
        return self.interpreter.calls.call(construct, args, kwargs)

    def _run_with_bprop(self, cell, construct, args, kwargs):
        bprop = self.interpreter.attributes.read_attribute(cell, "bprop")
        parameters, used = (
            self.interpreter.calls.call(getattr, (cell, attribute, default), {})
            for attribute, default in (("internal_params", ()), ("used_bprop_inputs", None))
        )
        self.interpreter.host.native(cell._require_bprop, bprop, parameters, used)
        name = type(cell).__name__
        return self.call_with_own_backward(name, construct, bprop, args, kwargs, parameters, used)

    def run_recomputed(self, function, args, kwargs, context_fn=None):
        """`function` of a Cell that asks to be run again for its gradient.

        What a graph keeps is decided where its memory is planned, and computing twice what is known would be undone
        there, so it is written down once.
        """
        if context_fn is None:
            return self.interpreter.calls.call(function, args, kwargs)
        first, _ = self.interpreter.iteration.items_of(self.interpreter.calls.call(context_fn, (), {}))
        self.interpreter.calls.call(self.interpreter.attributes.class_method(first, "__enter__"), (), {})
        output = self.interpreter.calls.call(function, args, kwargs)
        self.interpreter.calls.call(
            self.interpreter.attributes.class_method(first, "__exit__"), (None, None, None), {}
        )
        return output

    def call_recompute(self, block, *args, context_fn=None, **kwargs):
        """`recompute(block, ...)`."""
        self.interpreter.host.native(require_recomputable, block, context_fn)
        for name in ("use_reentrant", "output_recompute", "early_stop"):
            kwargs.pop(name, None)
        return self.run_recomputed(block, args, kwargs, context_fn)

    # ---- functions and objects

    def call_custom_vjp(self, function, args, kwargs):
        """Calls what `custom_vjp` decorates."""
        forward = self.interpreter.attributes.read_attribute(function, "_forward")
        backward = self.interpreter.attributes.read_attribute(function, "_backward")
        name = getattr(forward, "__name__", "custom_vjp")
        if backward is None:
            backward = functools.partial(missing_backward, name)
        return self.call_with_own_backward(name, forward, backward, args, kwargs)

    def call_primitive_with_bprop(self, primitive, forward, args, kwargs):
        """Calls a Primitive of the program that has a `bprop`."""
        bprop = self.interpreter.attributes.read_attribute(primitive, "bprop")
        name = self.interpreter.attributes.read_attribute(primitive, "name")
        forward = types.MethodType(forward, primitive)
        return self.call_with_own_backward(name, forward, bprop, args, kwargs)

    def apply_function_class(self, cls, args, kwargs):
        """`apply` of a class derived from `Function`."""
        name = cls.__name__
        on_tape = self.with_own_backward(name)
        forward = self.interpreter.gradients.callback(
            self.interpreter.attributes.read_attribute(cls, "forward")
        )
        backward = self.interpreter.gradients.callback(
            self.interpreter.attributes.read_attribute(cls, "backward")
        )
        if on_tape is not False:
            return self.interpreter.host.native(
                run_function, name, forward, backward, self._new_context(), args, kwargs
            )
        tensors = [value for value in args if isinstance(value, Tensor)]
        steps = [FunctionOutside(name, backward, args)]
        if self.interpreter.custom_functions.runs_outside(backward):
            steps.append(FunctionOutside(name, cls.backward, args))

        def run_forward(params):
            given = with_tensors([value if isinstance(value, Tensor) else None for value in args], params)
            given = [value if new is None else new for value, new in zip(args, given, strict=True)]
            context = self._new_context()
            context.needs_input_grad = tuple(isinstance(value, Tensor) for value in args)
            output = self.interpreter.host.native(forward, context, *given, **kwargs)
            self.interpreter.host.native(require_outputs, name, context, output)
            self._require_plain(name, context)
            for step in steps:
                step.note(context, output, params)
            return output, context.__dict__

        return self.interpreter.custom_functions.call_custom(name, tensors, run_forward, *steps)[0]

    def _require_plain(self, name, context):
        """A node of the graph changes none of its inputs, and its gradient gets zeros where nothing flows."""
        for unlike, call in (
            (bool(context.dirty_tensors), "mark_dirty"),
            (not context.materialize_grads, "set_materialize_grads(False)"),
        ):
            if unlike:
                raise self.interpreter.rejection(
                    FUNCTION,
                    f"{name}: its forward calls {call}, which is not captured for a graph that is differentiated "
                    "as a whole",
                    NEEDS_PYTHON,
                )

    def _new_context(self):
        context = self.external.note_own(FunctionContext())
        self.heap.note_namespace(context.__dict__)
        return context

    def call_marker(self, marker, args, kwargs):
        """`HookBackward` and `InsertGradientOf`: an identity with a function that gets the gradient."""
        name = type(marker).__name__
        on_tape = self.with_own_backward(name)
        function = self.interpreter.attributes.read_attribute(
            marker, "hook_fn" if isinstance(marker, HookBackward) else "f"
        )
        seen = self.interpreter.host.native(type(marker), self.as_hook(function))
        if on_tape is not False:
            return self.interpreter.host.native(seen, *args, **kwargs)
        outside = type(marker)(function) if self.interpreter.custom_functions.runs_outside(function) else None
        self.interpreter.host.native(seen, *args, **kwargs)  # says if it takes no such arguments
        marked = self.interpreter.custom_functions.call_custom(
            name, list(args), tuple, MarkerStep(seen), None if outside is None else MarkerStep(outside)
        )
        return marked[0] if len(marked) == 1 else marked

    def register_hook(self, method, args, kwargs):
        """`register_hook` of a Tensor that the program has at hand."""
        tensor, on_tape = method.__self__, self.with_own_backward("register_hook")
        if self.interpreter.lax and self._keeps_hooks(tensor, on_tape):
            raise self._late_hook(
                "register_hook: a Tensor from outside keeps the hook when the function is left"
            )
        given = [self.as_hook(value) for value in args]
        named = {name: self.as_hook(value) for name, value in kwargs.items()}
        handle = self.interpreter.host.native(method, *given, **named)
        hooked = None if on_tape is not False else self._see_gradient(tensor, [*args, *kwargs.values()][0])
        self._hooked[id(handle)] = handle, hooked, self.heap.depth
        return handle

    def _keeps_hooks(self, tensor, on_tape):
        """Returns whether a Tensor outlives the call, and its hooks with it. The argument of a transform does not."""
        original = self.external.original_of(tensor)
        return isinstance(original, Parameter) or (original is not tensor and not on_tape)

    def remove_hook(self, handle):
        """`remove()` of what `register_hook` gave."""
        _, hooked, depth = self._hooked.pop(id(handle), (None, None, self.heap.depth))
        if depth != self.heap.depth or (hooked is not None and not self.graph.remove_hook(hooked)):
            raise self._late_hook(
                "remove: a hook is taken from a Tensor in another branch or loop than it was set in"
            )
        return self.interpreter.host.native(handle.remove)

    def _see_gradient(self, tensor, function):
        """The Tensor as a node whose gradient the function sees; all that uses the Tensor, ever, uses that one."""
        inside = self.graph.is_local(tensor)
        if not inside and self.graph.is_used(tensor):
            raise self._late_hook(
                "register_hook: inside a branch or loop a Tensor gets a hook that was used outside of it before"
            )
        outside = HookStep(function) if self.interpreter.custom_functions.runs_outside(function) else None
        (hooked,) = self.interpreter.custom_functions.call_custom(
            "register_hook", [tensor], tuple, HookStep(self.as_hook(function)), outside
        )
        if not self.graph.add_hook(tensor, hooked):
            raise self._late_hook(
                "register_hook: the hook needs what is computed after the first use of its Tensor"
            )
        if not inside:
            self._replace_by_hooked(tensor, hooked)
        return hooked

    def _late_hook(self, what):
        """Python has to run all of the function: a graph hands out no gradient of what it has used itself."""
        rejected = self.interpreter.rejection(UNKNOWN, what, "Set the hook where the Tensor is made.")
        rejected.whole = True
        return rejected

    def _replace_by_hooked(self, tensor, hooked):
        """Inside a function of the graph: what holds the Tensor from now on holds one whose gradient is seen."""
        frame = self.interpreter.frame
        while frame is not None:
            for name, value in list(frame.locals.items()):
                if value is tensor:
                    self.heap.touch(frame.locals)
                    frame.locals[name] = hooked
            frame = frame.enclosing
        if any(held is tensor for held in self.interpreter.reachability.tensors_in_use()):
            raise self._late_hook(
                "register_hook: inside a branch or loop a Tensor gets a hook that not only names of the function "
                "hold"
            )

    def note_hooks(self, tensor):
        """Hooks that were registered outside, on what a Tensor of the program stands for, see its gradient too."""
        original = self.external.original_of(tensor)
        if original is tensor or "_hooks_are_noted" in tensor.__dict__:
            return
        node = self.external.node_of(tensor)
        tree = self.external.tree
        tensor.__dict__["_hooks_are_noted"] = True
        if "_gradient_hooks" not in original.__dict__:
            tree.missing_attribute(node, "_gradient_hooks")
            return
        hooks = original.__dict__["_gradient_hooks"]
        held = tree.attribute(node, "_gradient_hooks")
        tree.check_length(held, len(hooks))
        for number, entry in enumerate(hooks):
            tree.check_identity(tree.element(held, number), entry)
            self.interpreter.host.native(
                _core.add_hook, tensor, self.as_hook(self.external.adopt_fixed(entry.hook))
            )
