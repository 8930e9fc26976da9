"""Declares programs whose gradients are computed in every form.

A gradient program is a function, or a scene, with the transform that is applied to it; without one it is the value and
the gradients by every positional Tensor of floats.
"""

from dataclasses import dataclass

from program import Call, Program, Scene

from dyad import Parameter, Tensor, value_and_grad

GRADIENTS: list["Gradient"] = []


@dataclass(eq=False)
class Gradient(Program):
    """A program with a transform; `smooth` says that central differences tell its gradient."""

    smooth: bool = True


def gradient(*arguments, transform=None, **options):
    """Declares a function as a gradient program; `arguments` are those of its first call."""

    def declare(function):
        _add(function, lambda: Scene(function), arguments, transform, **options)
        return function

    return declare


def gradient_scene(*arguments, transform=None, **options):
    """Declares a function that builds a Scene, or just the callable, as a gradient program."""

    def declare(builder):
        def build():
            built = builder()
            return built if isinstance(built, Scene) else Scene(built)

        _add(builder, build, arguments, transform, **options)
        return builder

    return declare


def float_positions(arguments):
    """The positions of the arguments that are Tensors of floats."""
    return tuple(
        place
        for place, value in enumerate(arguments)
        if isinstance(value, Tensor) and not isinstance(value, Parameter) and value.is_floating_point()
    )


def _add(function, build, arguments, transform, then=(), vary=True, keywords=None, smooth=True, **options):
    first = Call(*arguments, **(keywords or {}))
    positions = float_positions(arguments)

    def by_every_input(chosen):
        return value_and_grad(chosen, positions)

    def build_with_transform():
        scene = build()
        scene.transform = scene.transform or transform or by_every_input
        return scene

    calls = [first, first]
    negated = first.negated() if vary else None
    if negated is not None:
        calls.append(negated)
    calls += [later if isinstance(later, Call) else Call(*later) for later in then]
    topic = function.__module__.rsplit(".", 1)[-1]
    name = options.pop("name", function.__name__)
    smooth = smooth and bool(positions)
    GRADIENTS.append(
        Gradient(name, build_with_transform, calls, topic=topic, same_text=False, smooth=smooth, **options)
    )
