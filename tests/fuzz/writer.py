"""Writes a graph statement by statement; each runs at once, so that shapes are known and what fails is left out."""

import random
import warnings

import numpy as np

from dyad import Parameter, Tensor

from .graph import Graph, Statement, namespace
from .values import FLOATS, LAYOUTS, NAMES, Argument, array_of, shape_of

_MOST_ELEMENTS = 200_000


class Writer:
    def __init__(self, seed: str, differentiated: bool = False):
        self.draw = random.Random(seed)
        self.graph = Graph({}, differentiated=differentiated)
        self.space = namespace()
        self._memory: dict[str, set] = {}  # the names that may share memory with each
        self.inexact: set[str] = set()
        self.special = not differentiated and self.draw.random() < 0.3
        self.writes_allowed = not differentiated

    # What a statement is made of

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def number(self, low: int, high: int) -> int:
        return self.draw.randint(low, high)

    def tensors(self, exact=None, floats=None, rank=None, dtype=None, fits=None) -> list[str]:
        """The variables of that kind; `fits` is a further condition on the tensor."""
        found = []
        for name in self.graph.dtypes:
            tensor = self.space[name]
            if exact and name in self.inexact:
                continue
            if floats is not None and (self.graph.dtypes[name] in FLOATS) != floats:
                continue
            if dtype is not None and self.graph.dtypes[name] != dtype:
                continue
            if rank is not None and tensor.ndim < rank:
                continue
            if fits is None or fits(tensor):
                found.append(name)
        return found

    def pick(self, **conditions) -> str | None:
        """A variable of that kind, rather a recent one; None where there is none."""
        found = self.tensors(**conditions)
        if not found:
            return None
        return self.draw.choice(found[-3:] if self.chance(0.6) else found)

    def shape(self, name: str) -> tuple:
        return tuple(self.space[name].shape)

    def is_float(self, name: str) -> bool:
        return self.graph.dtypes[name] in FLOATS

    def argument(self, shape=None, dtype=None, parameter=False, kind=None) -> str:
        """A new argument of the program."""
        shape = shape_of(self.draw) if shape is None else shape
        if dtype is None:
            narrow = ["float16", "bfloat16", "int8", "int32", "int64", "uint8", "bool_", "float64", "int16"]
            dtype = "float32" if self.chance(0.6) else self.draw.choice(narrow)
            if self.graph.differentiated:
                dtype = self.draw.choice(["float32", "float32", "float64"])
        usual = 0.65 if not self.graph.differentiated else 0.8
        layout = "plain" if parameter or self.chance(usual) else self.draw.choice(LAYOUTS)
        kind = kind or ("special" if self.special and self.chance(0.5) else "usual")
        name = f"{'p' if parameter else 'a'}{len(self.graph.arguments)}"
        words = Argument(dtype, tuple(shape), layout, kind, self.number(0, 10**6), parameter=parameter)
        self.graph.arguments[name] = words
        tensor = words.tensor()
        self.space[name] = Parameter(tensor, name=name) if parameter else tensor
        self._bind(name, set(), exact=True)
        return name

    # Adding one

    def add(self, expression: str, reads, exact=True, view=False) -> str | None:
        """`name = expression`; the name, or None where the dynamic graph refuses it or gives nothing of use."""
        name = f"v{len(self.graph.statements)}"
        return self.add_text(f"{name} = {expression}", (name,), reads, exact=exact, view=view)

    def add_text(self, text, targets, reads, writes=(), exact=True, view=False) -> str | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            around = dict(self.space)
            try:
                exec(text, around)
            except (TypeError, ValueError, IndexError, RuntimeError):
                return None
        made = {name: around[name] for name in targets}
        if not all(self._is_of_use(tensor, reads, exact) for tensor in made.values()):
            return None
        self.space |= made
        rounds = not exact or any(name in self.inexact for name in (*reads, *writes))
        for name in targets:
            self._bind(name, set(reads) if view else set(), exact=not rounds)
        for name in writes:
            if rounds:
                self.inexact |= self._memory[name]
        self.graph.statements.append(
            Statement(text, tuple(targets), tuple(reads), tuple(writes), view, exact)
        )
        return targets[0] if targets else writes[0]

    def _bind(self, name, sharing, exact):
        self.graph.dtypes[name] = NAMES[self.space[name].dtype]
        group = {name}.union(*(self._memory[other] for other in sharing if other in self._memory))
        for member in group:
            self._memory[member] = group
        if not exact:
            self.inexact.add(name)
        elif name not in sharing:
            self.inexact.discard(name)

    def _is_of_use(self, tensor, reads, exact) -> bool:
        if not isinstance(tensor, Tensor) or tensor.dtype not in NAMES or tensor.size > _MOST_ELEMENTS:
            return False
        if NAMES[tensor.dtype] not in FLOATS or tensor.size == 0:
            return True
        broken = 1 - np.isfinite(array_of(tensor).astype(np.float64)).mean()
        if broken == 0:
            return True
        if not exact or any(name in self.inexact for name in reads):
            # Where a bounded value overflows is not the same in every form: only what came in broken stays broken.
            return all(_finite(self.space[name]) is False for name in reads[:1]) and broken < 0.5
        return broken < (0.6 if self.special else 0.2)

    def finish(self) -> Graph:
        """Chooses what is returned: what nobody read, and some of the rest."""
        graph = self.graph
        read = {name for statement in graph.statements for name in statement.reads}
        made = [name for statement in graph.statements for name in statement.targets]
        made = list(dict.fromkeys(made))
        if graph.differentiated:
            made = [name for name in made if graph.dtypes[name] in FLOATS]
        left = [name for name in made if name not in read or self.chance(0.15)]
        graph.results = tuple(left or made[-1:] or list(graph.arguments)[:1])
        graph.inexact = frozenset(self.inexact)
        named = read | set(graph.results)
        used = {name: argument for name, argument in graph.arguments.items() if name in named}
        graph.arguments = used or graph.arguments
        return graph


def _finite(tensor):
    return bool(np.isfinite(array_of(tensor).astype(np.float64)).all())
