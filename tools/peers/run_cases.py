"""Runs recorded operator calls in one framework and writes their results.

Usage: run_cases.py FRAMEWORK CASES RESULTS FIRST

FRAMEWORK is dyad, mindspore or torch. CASES is a pickled list of (function, {parameter: value}); from case FIRST on,
the outcome of each is appended to RESULTS before the next one begins, so that a call which ends the process is known.
"""

from __future__ import annotations

import pickle
import sys

import numpy as np

# Words of PyTorch for parameters of ours.
TORCH_NAMES = {"axis": "dim", "keepdims": "keepdim", "keep_dims": "keepdim"}


class Framework:
    """A framework to compare: where its functions are, and how arrays are converted to and from its tensors."""

    def __init__(self, name: str):
        self.name = name
        if name == "torch":
            import torch

            self.package, self.places = torch, (torch, torch.nn.functional, torch.linalg, torch.special)
        else:
            if name == "dyad":
                import dyad

                dyad.install_as_mindspore()
            import mindspore

            self.package, self.places = mindspore, (mindspore.ops,)

    def function(self, name):
        """The function of that name, or None."""
        return next((getattr(place, name) for place in self.places if hasattr(place, name)), None)

    def value(self, given):
        """Converts an argument to the framework's types."""
        if isinstance(given, (list, tuple)) and given and given[0] == "array":
            _, data, dtype = given
            if self.name == "torch":
                return self.package.from_numpy(np.array(data)).to(self._dtype(dtype))
            return self.package.Tensor(np.array(data)).astype(self._dtype(dtype))
        if isinstance(given, tuple) and given and given[0] == "dtype":
            return self._dtype(given[1])
        if isinstance(given, (list, tuple)):
            return type(given)(self.value(member) for member in given)
        return given

    def _dtype(self, name):
        return getattr(self.package, "bool" if self.name == "torch" and name == "bool_" else name)

    def results(self, value) -> list:
        """All tensors and numbers of a result: (element type, array)."""
        if isinstance(value, (list, tuple)):
            return [entry for member in value for entry in self.results(member)]
        if not isinstance(value, self.package.Tensor):
            return [(type(value).__name__, np.asarray(value))]
        dtype = str(value.dtype).replace("torch.", "").lower().replace("bool_", "bool")
        if dtype in ("bfloat16", "float16"):
            value = value.float() if self.name == "torch" else value.astype(self.package.float32)
        array = value.detach().numpy() if self.name == "torch" else value.asnumpy()
        return [(dtype, np.array(array))]


def outcome(framework: Framework, function: str, arguments: dict):
    """("gave", results), ("raised", type, text), or ("missing",)."""
    call = framework.function(function)
    if call is None:
        return ("missing",)
    given = {
        TORCH_NAMES.get(name, name) if framework.name == "torch" else name: framework.value(value)
        for name, value in arguments.items()
    }
    try:
        made = call(*given.values()) if framework.name != "torch" else _torch_call(call, given)
        return ("gave", framework.results(made))
    except Exception as error:
        return ("raised", type(error).__name__, str(error)[:200])


def _torch_call(call, given: dict):
    """Passes settings by name where PyTorch's signature orders them differently."""
    try:
        return call(*given.values())
    except TypeError:
        first, *rest = given
        return call(given[first], **{name: given[name] for name in rest})


def main(name: str, cases: str, results: str, first: int) -> None:
    framework = Framework(name)
    with open(cases, "rb") as file:
        calls = pickle.load(file)
    with open(results, "ab") as file:
        for function, arguments in calls[first:]:
            pickle.dump(outcome(framework, function, arguments), file)
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
