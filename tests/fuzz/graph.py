"""A random graph: its arguments, its statements and what it returns, as a Python program."""

import functools
import itertools
import linecache
from dataclasses import dataclass, field

import numpy as np

from dyad import Parameter, Tensor, _core, ops

from .values import DTYPES, FLOATS, Argument

_files = itertools.count()

# Half of the distance between 1 and the next number.
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
SMALLEST = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 0.0}


@dataclass(frozen=True)
class Statement:
    """One statement. `exact`: every form must compute what it gives to the bit."""

    text: str
    targets: tuple = ()  # the variables it binds
    reads: tuple = ()
    writes: tuple = ()  # variables whose memory it changes
    view: bool = False  # what it gives may lie in the memory of what it reads
    exact: bool = True


@dataclass
class Graph:
    arguments: dict[str, Argument]
    statements: list[Statement] = field(default_factory=list)
    results: tuple = ()
    dtypes: dict[str, str] = field(default_factory=dict)  # of the variables that are tensors
    inexact: frozenset = frozenset()  # the variables that are bounded only
    differentiated: bool = False

    @property
    def inputs(self) -> list[str]:
        return [name for name, argument in self.arguments.items() if not argument.parameter]

    @property
    def parameters(self) -> list[str]:
        return [name for name, argument in self.arguments.items() if argument.parameter]

    @property
    def has_branches(self) -> bool:
        """True if data decides which statements run."""
        return any(statement.text.startswith("if ") for statement in self.statements)

    @property
    def differentiable(self) -> tuple:
        """Positions of the inputs by which the graph can be differentiated."""
        return tuple(at for at, name in enumerate(self.inputs) if self.arguments[name].dtype in FLOATS)

    def source(self) -> str:
        body = [line for statement in self.statements for line in statement.text.splitlines()]
        lines = [f"def build({', '.join(self.parameters)}):", f"    def program({', '.join(self.inputs)}):"]
        lines += [f"        {line}" for line in [*body, f"return ({', '.join(self.results)},)"]]
        return "\n".join([*lines, "    return program", ""])

    def script(self) -> str:
        """A program that a person can run: it prints what the dynamic graph gives and what a static one gives."""
        listed = [f"    {name}={argument!r}," for name, argument in self.arguments.items()]
        parameters = ", ".join(f"Parameter(words[{name!r}].tensor())" for name in self.parameters)
        inputs = ", ".join(f"words[{name!r}].tensor()" for name in self.inputs)
        wrap = f"dyad.value_and_grad(program, {self.differentiable})" if self.differentiated else "program"
        lines = ["import dyad", "from dyad import Parameter, Tensor, ops", "from dyad.common.dtype import *"]
        lines += ["from tests.fuzz.values import Argument", "", self.source(), "words = dict(", *listed, ")"]
        for form in ("transformed", "dyad.jit(transformed, jit_level='O1')"):
            lines += [f"program = build({parameters})", f"transformed = {wrap}", f"print({form}({inputs}))"]
        return "\n".join([*lines, ""])

    def function(self, parameters: list):
        """The program as a function of the inputs, closed over these Parameters."""
        source = self.source()
        path = f"<graph {next(_files)}>"
        linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
        space = namespace()
        exec(compile(source, path, "exec"), space)
        return space["build"](*parameters)

    def tensors(self, wide: bool = False) -> tuple[list, list]:
        """New inputs and new Parameters."""
        inputs = [self.arguments[name].tensor(wide) for name in self.inputs]
        return inputs, [Parameter(self.arguments[name].tensor(wide), name=name) for name in self.parameters]


def parsed(text: str) -> Graph:
    """The graph of which this is the repr."""
    numbers = {"nan": float("nan"), "inf": float("inf")}
    return eval(text, {"Graph": Graph, "Statement": Statement, "Argument": Argument, **numbers})


@functools.cache
def _names(wide: bool) -> dict:
    dtypes = {name: getattr(_core, "float64" if wide and name in FLOATS else name) for name in DTYPES}
    return {"Tensor": Tensor, "ops": ops, "__name__": "random_graph", **dtypes}


def namespace(wide: bool = False) -> dict:
    """Names for the source of a statement; `wide` replaces every float dtype by float64."""
    return dict(_names(wide))


class Noise:
    """Changes values by a few units in the last place of the dtype that they have in the program."""

    def __init__(self, seed: int):
        self._numbers = np.random.default_rng(seed)

    def on(self, tensor, dtype: str, added: int = 1, largest: float = 0):
        """The tensor with noise.

        `added`: of how many numbers each is one that are added up; their partial sums are rounded in float32.
        `largest`: what leads to a small element may have been as large as this.
        """
        if dtype not in FLOATS or not isinstance(tensor, Tensor) or tensor.dtype != _core.float64:
            return tensor
        unit = 2 * ROUNDING[dtype] + added**0.5 / 8 * min(ROUNDING[dtype], ROUNDING["float32"])
        factor = 1 + unit * self._numbers.uniform(-1, 1, tuple(tensor.shape))
        size = SMALLEST[dtype] + ROUNDING[dtype] * largest
        shift = 2 * size * self._numbers.uniform(-1, 1, tuple(tensor.shape))
        return tensor * Tensor(np.asarray(factor)) + Tensor(np.asarray(shift))


def wide_function(graph: Graph, parameters: list, noise: Noise | None):
    """The program in float64, statement by statement, each inexact value changed by the noise."""
    codes = [compile(statement.text, "<statement>", "exec") for statement in graph.statements]

    def program(*inputs):
        space = namespace(wide=True)
        space |= dict(zip(graph.inputs, inputs, strict=True))
        space |= dict(zip(graph.parameters, parameters, strict=True))
        for statement, code in zip(graph.statements, codes, strict=True):
            rounds = noise is not None and not statement.view
            around = space
            if rounds and not statement.exact and not statement.writes:
                read = {name: space[name] for name in statement.reads}
                most = max(tensor.size for tensor in read.values())
                changed = {name: noise.on(tensor, graph.dtypes[name], most) for name, tensor in read.items()}
                around = {**space, **changed}
            exec(code, around)
            for name in statement.targets:
                noisy = rounds and name in graph.inexact and name not in statement.writes
                made = around[name]
                if made.dtype == _core.float32 and name not in statement.writes:  # what integers become
                    made = made.astype(_core.float64)
                largest = (
                    0
                    if statement.exact
                    else max(map(_largest, (made, *(around[n] for n in statement.reads))))
                )
                space[name] = noise.on(made, graph.dtypes[name], largest=largest) if noisy else made
        return tuple(space[name] for name in graph.results)

    return program


def _largest(tensor):
    values = np.abs(tensor.asnumpy().astype(np.float64))
    return np.max(values, initial=0, where=np.isfinite(values))
