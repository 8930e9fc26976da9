"""Expands the samples of the op table into cases: arguments by parameter name.

Grammar, as entries write it:
  unary(lo, hi, only, exclude)            one tensor over dtypes, shapes and layouts
  binary(...), ternary(...)               operands over broadcast shapes, mixed dtypes, tensors and numbers
  call(T(2, 3), axis=1, dtypes='real')    the arguments as written, for each of the dtypes
In `call`: T random tensor of the walked dtype, F float32, I int64 indices, B bool, V given values, strided(…).
"""

import zlib
from dataclasses import dataclass
from itertools import product

import numpy as np
from arrays import Array, dtype_object, random_array, round_to
from promotion import ALL, APART, COMPLEX, FLOAT, SIGNED, UNSIGNED, kind, promote, promote_all

import dyad

GROUPS = {
    "bool": ["bool_"],
    "int": SIGNED + UNSIGNED,
    "float": FLOAT,
    "complex": COMPLEX,
    "real": SIGNED + UNSIGNED + FLOAT,
    "numeric": SIGNED + UNSIGNED + FLOAT + COMPLEX,
    "all": ALL,
}

# The most common dtype walks every shape and layout; the others show that their kernels exist and are right.
SHAPES = [(), (1,), (5,), (3, 4), (2, 3, 4), (0,), (2, 0, 3), (1, 1, 1), (257,), (33, 65)]
LAYOUTS = [
    ((4, 6), "strided"),
    ((1025,), "strided"),
    ((3, 5), "transposed"),
    ((2, 3, 4), "transposed"),
    ((7, 33), "strided"),
]
REPEATED = [((4, 6), "repeated"), ((1, 9), "repeated")]
OTHER = [((), "contiguous"), ((3, 37), "contiguous"), ((4, 6), "strided")]
BROADCAST = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((4, 1, 3), (2, 1)),
    ((), (2, 2)),
    ((0, 3), (1, 3)),
    ((5, 1), (5, 67)),
    ((33, 65), (33, 65)),
]


@dataclass
class Case:
    arguments: dict
    meets: bool = False  # the operands are converted to their common dtype before anything is computed

    def __repr__(self):
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())

    def operand_dtypes(self):
        return [operand_key(value) for value in self.arguments.values() if is_operand(value)]

    def arrays(self):
        for value in self.arguments.values():
            yield from (
                item
                for item in (value if isinstance(value, list | tuple) else [value])
                if isinstance(item, Array)
            )


def is_operand(value):
    return isinstance(value, Array | bool | int | float | complex)


def operand_key(value):
    return value.dtype if isinstance(value, Array) else value


def selected(only=None, exclude=None) -> list[str]:
    names = _listed(only or "all")
    left_out = _listed(exclude) if exclude else []
    return [name for name in names if name not in left_out]


def _listed(groups: str) -> list[str]:
    names = [name for group in groups.split("+") for name in GROUPS.get(group.strip(), [group.strip()])]
    unknown = [name for name in names if name not in ALL]
    assert not unknown, (
        f"sample names the dtype or group {unknown[0]!r}; there are {', '.join([*GROUPS, *ALL])}"
    )
    return names


class Expansion:
    """One sample of one operator under expansion. `dtypes` replaces what the sample would walk."""

    def __init__(self, op: dict, text: str, dtypes: list[str] | None = None):
        self.op = op
        self.text = text
        self.dtypes = dtypes
        self.params = [param["name"] for param in op["params"]]
        self.rng = np.random.default_rng(zlib.crc32(f"{op['name']} {text}".encode()))

    def cases(self) -> list[Case]:
        names = {
            "unary": self.unary,
            "binary": self.binary,
            "ternary": self.ternary,
            "call": lambda *a, **k: (a, k),
        }
        made = eval(self.text, {**names, **self.call_names("float32")})
        return self.calls() if isinstance(made, tuple) else made

    def walk(self, only, exclude) -> list[str]:
        names = selected(only, exclude)
        return names if self.dtypes is None else [name for name in self.dtypes if name in names]

    def unary(self, lo=-3, hi=3, only=None, exclude=None):
        cases = []
        for dtype in self.walk(only, exclude):
            full = dtype == "float32" or self.dtypes is not None
            shapes = [*((s, "contiguous") for s in SHAPES), *LAYOUTS] if full else OTHER
            for shape, layout in shapes:
                array = random_array(self.rng, shape, dtype, lo, hi)
                cases.append(Case({self.params[0]: Array(array.data, dtype, layout)}, meets=True))
            for shape, layout in REPEATED if self.dtypes is None else []:
                column = random_array(self.rng, (*shape[:-1], 1), dtype, lo, hi).data
                repeated = Array(np.repeat(column, shape[-1], axis=-1), dtype, layout)
                cases.append(Case({self.params[0]: repeated}, meets=True))
        return cases

    def binary(self, lo=-3, hi=3, only=None, exclude=None):
        return self._operands(2, lo, hi, only, exclude)

    def ternary(self, lo=-3, hi=3, only=None, exclude=None):
        return self._operands(3, lo, hi, only, exclude)

    def _operands(self, count, lo, hi, only, exclude):
        names = self.walk(only, exclude)
        names_of_operands = self.params[:count]

        def array(shape, dtype, layout="contiguous"):
            return Array(random_array(self.rng, shape, dtype, lo, hi).data, dtype, layout)

        rows = []
        for dtype in names:
            pairs = (
                BROADCAST
                if dtype == "float32" or self.dtypes is not None
                else BROADCAST[2:3] + BROADCAST[-1:]
            )
            rows += [
                [array(left, dtype), *(array(right, dtype) for _ in range(count - 1))]
                for left, right in pairs
            ]
            rows.append(
                [
                    array((4, 6), dtype, "strided"),
                    *(array((4, 6), dtype, "transposed") for _ in range(count - 1)),
                ]
            )
            rows += self._with_numbers(count, array, dtype, lo, hi, names)
        if self.dtypes is None:
            for left, right in product(names, names):
                if left != right and promote(left, right) in names:
                    rows.append([array((2, 3), left), *(array((3,), right) for _ in range(count - 1))])
        cases = [Case(dict(zip(names_of_operands, row, strict=False)), meets=True) for row in rows]
        return [case for case in cases if promote_all(case.operand_dtypes())]

    def _with_numbers(self, count, array, dtype, lo, hi, names):
        """A number in the place of each parameter that takes one."""
        kinds = [param["kind"] for param in self.op["params"]]
        numbers = [] if dtype in APART else [int(np.floor(hi))]
        if "float32" in names:
            numbers.append(round(lo + 0.71 * (hi - lo), 2))
        if "bool_" in names:
            numbers.append(True)
        rows = []
        for at, number in product(range(count), numbers):
            if kinds[at] in ("Operand", "Number"):
                rows.append([number if i == at else array((2, 3), dtype) for i in range(count)])
        allowed = set(names) if self.dtypes is None else set(self.dtypes)
        return [row for row in rows if promote_all([operand_key(v) for v in row]) in allowed]

    def calls(self):
        # A sample without dtypes serves float32; a walk over given dtypes (gradients) takes it in any float.
        usual = "float32" if self.dtypes is None else "float"
        everything = {"call": lambda *a, dtypes=usual, **k: dtypes}
        walked = eval(self.text, {**everything, **self.call_names("float32")})
        cases = []
        for dtype in self.walk(walked, None):
            names = {"call": self._call, **self.call_names(dtype)}
            cases.append(eval(self.text, names))
        return cases

    def _call(self, *args, dtypes=None, **kwargs):
        assert len(args) <= len(self.params), (
            f"sample {self.text} gives more arguments than there are parameters"
        )
        unknown = [name for name in kwargs if name not in self.params]
        assert not unknown, (
            f"sample {self.text}: no parameter {unknown[0]!r}; there are {', '.join(self.params)}"
        )
        return Case({**dict(zip(self.params, args, strict=False)), **kwargs})

    def call_names(self, dtype):
        """Functions for samples. In a walk over given dtypes F and V follow the walk, so that gradients are exact."""
        single = dtype if self.dtypes is not None and kind(dtype) == "f" else "float32"

        def tensor(*shape, lo=-3, hi=3):
            return random_array(self.rng, shape, dtype, lo, hi)

        def single_float(*shape, lo=-3, hi=3):
            return random_array(self.rng, shape, single, lo, hi)

        def indices(*shape, lo=0, hi=4):
            return random_array(self.rng, shape, "int64", lo, hi - 1)

        def given(values, name=None):
            name = {"bool": "bool_", "float32": single}.get(name, name)
            if name is None:
                name = {"b": "bool_", "i": "int64", "f": single, "c": "complex64"}[
                    np.asarray(values).dtype.kind
                ]
            return Array(round_to(np.asarray(values), name), name)

        return {
            "T": tensor,
            "F": single_float,
            "I": indices,
            "B": lambda *shape: random_array(self.rng, shape, "bool_"),
            "V": given,
            "strided": lambda array: Array(array.data, array.dtype, "strided"),
            "transposed": lambda array: Array(array.data, array.dtype, "transposed"),
            "np": np,
            "dyad": dyad,
            "inf": np.inf,
            "nan": np.nan,
            **{name: dtype_object(name) for name in ALL},
        }


def expand(op: dict, text: str, dtypes: list[str] | None = None) -> list[Case]:
    return Expansion(op, text, dtypes).cases()
