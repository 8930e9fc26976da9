"""The function that computes gradients of another one: what `grad` and its kind return."""

from dyad._src.autodiff.transformed import TransformedFunction


class GradientFunction(TransformedFunction):
    """Runs a transform and brings what it finds into the promised shape.

    `arrange(output, [(position, gradient)], [(Parameter, gradient)])` is what a call gives; it is a dataclass of
    constants, with slots.
    """

    __name__ = "gradient_function"

    def __init__(self, transform, arrange):
        arranged = tuple(getattr(arrange, name) for name in arrange.__slots__)
        super().__init__(transform.fn, transform.weights, (transform.request(), arranged))
        self._transform, self._arrange = transform, arrange

    def over(self, fn, parameters):
        return type(self)(self._transform.over(fn, parameters), self._arrange)

    def run(self, args, kwargs):
        return self._arrange(*self._transform.run(args, kwargs))
