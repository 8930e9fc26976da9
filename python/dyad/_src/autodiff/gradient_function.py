"""The function that computes gradients of another one: what `grad` and its kind return."""

from dyad._src.autodiff.transformed import TransformedFunction


class GradientFunction(TransformedFunction):
    """Runs a transform and brings what it finds into the promised shape.

    `arrange(output, [(position, gradient)], [(Parameter, gradient)])` is what a call gives.
    """

    __slots__ = ("_arrange", "_transform")

    __name__ = "gradient_function"

    def __init__(self, transform, arrange):
        self._transform, self._arrange = transform, arrange

    @property
    def __wrapped__(self):
        return self._transform.fn

    @property
    def parameters(self):
        return self._transform.weights

    def over(self, fn, parameters):
        return type(self)(self._transform.over(fn, parameters), self._arrange)

    def __call__(self, *args, **kwargs):
        return self._arrange(*self._transform.run(args, kwargs))

    def __reduce__(self):
        return type(self), (self._transform, self._arrange)
