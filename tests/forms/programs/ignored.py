"""Functions under `jit_ignore`: of known values a graph has what Python gives, also after a change; STRICT refuses."""

from program import Scene, program, scene

from dyad import Tensor, jit_ignore

X = Tensor([1.0, -2.0])
SIZE = 3
SEEN = []


@jit_ignore
def multiples(n):
    return [n * k for k in range(SIZE)]


@jit_ignore
def doubled(n):
    return n * 2


@jit_ignore
def told(text, *, end="!"):
    print(text + end)
    SEEN.append(text)
    return len(SEEN)


class Holder:
    def __init__(self):
        self.factor = 2

    @jit_ignore
    def scaled(self, n):
        return self.factor * n


@program(X, strict=ValueError, expect=[5.0, 2.0])
def known_values(x):
    return x + abs(doubled(-2))


@scene(X, strict=ValueError, changed=[4.0, 1.0])
def what_it_reads_is_guarded():
    global SIZE
    SIZE = 3

    def change():
        global SIZE
        SIZE = 2

    return Scene(lambda x: x + sum(multiples(3)), change=change)


@scene(X, strict=ValueError)
def what_it_does_is_done_at_every_call():
    SEEN.clear()

    def told_twice(x):
        return x * told("a") + told("b", end="?")

    return Scene(told_twice, watch=lambda: list(SEEN))


@scene(X, strict=ValueError)
def method():
    holder = Holder()

    def change():
        holder.factor = 5

    return Scene(lambda x: x * holder.scaled(3), change=change)


@scene(X, strict=ValueError)
def in_a_branch():
    def chosen(x):
        if x.sum() > 0:
            return x * doubled(2)
        return x - doubled(3)

    return chosen
