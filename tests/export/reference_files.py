"""The files that MindSpore wrote, with what it gave for them."""

import json
import pathlib

import numpy as np

from dyad import Tensor

FOLDER = pathlib.Path(__file__).parent / "data"
NAMES = sorted(path.stem for path in FOLDER.glob("*.mindir"))


class Expectation:
    """Inputs of a file, and the value that they give."""

    def __init__(self, name):
        self.path = str(FOLDER / f"{name}.mindir")
        self._arrays = np.load(FOLDER / f"{name}.npz")
        self._structure = json.loads(str(self._arrays["structure"]))

    def inputs(self):
        """New Tensors with the inputs."""
        count = sum(name.startswith("in") for name in self._arrays.files)
        return [Tensor(self._arrays[f"in{place}"]) for place in range(count)]

    def check(self, value):
        """Fails where the value is another one."""
        _check(self._structure, value, self._arrays)


def _check(expected, value, arrays):
    kind = next(iter(expected))
    if kind == "tensor":
        wanted = arrays[f"out{expected['tensor']}"]
        assert isinstance(value, Tensor)
        assert str(value.dtype) == expected["dtype"]
        assert tuple(value.shape) == wanted.shape
        np.testing.assert_allclose(value.asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    elif kind == "value":
        assert value == expected["value"]
        assert type(value) is type(expected["value"])
    else:
        assert type(value).__name__ == kind
        assert len(value) == len(expected[kind])
        for member, wanted in zip(value, expected[kind], strict=True):
            _check(wanted, member, arrays)
