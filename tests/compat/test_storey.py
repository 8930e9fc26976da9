"""The package that holds MindSpore's spellings: when it is imported, and that each module in it is one object."""

import importlib
import pickle
import subprocess
import sys

import pytest

import dyad

ONE_MODULE = {
    "boost": "compat.mindspore.boost",
    "boost.grad_freeze": "compat.mindspore.boost.grad_freeze",
    "common": "compat.mindspore.common",
    "common.dtype": "dtype",
    "common.initializer": "nn.initializer",
    "common.sparse_tensor": "sparse",
    "context": "compat.mindspore.context",
    "hal": "compat.mindspore.hal",
    "nn.metrics": "compat.mindspore.nn.metrics",
    "ops.auto_generate": "compat.mindspore.ops.auto_generate",
    "ops.functional": "compat.mindspore.ops.functional",
    "parallel.algo_parameter_config": "compat.mindspore.parallel.algo_parameter_config",
    "rewrite.symbol_tree": "compat.mindspore.rewrite.symbol_tree",
    "utils.dlpack": "_src.tensor.dlpack",
}

# Classes and functions as pickles of earlier versions name them.
PICKLED = [
    ("dyad.boost.boost", "AutoBoost"),
    ("dyad.boost.boost_cell_wrapper", "BoostTrainOneStepCell"),
    ("dyad.boost.grad_freeze", "GradientFreeze"),
    ("dyad.common.dtype", "QuantDtype"),
    ("dyad.common.initializer", "HeUniform"),
    ("dyad.common.initializer", "Normal"),
    ("dyad.common.sparse_tensor", "COOTensor"),
    ("dyad.common.sparse_tensor", "RowTensor"),
    ("dyad.experimental.optim.adam", "AdamW"),
    ("dyad.experimental.optim.lr_scheduler.factors", "StepLR"),
    ("dyad.experimental.optim.sgd", "SGD"),
    ("dyad.nn.metrics", "Accuracy"),
    ("dyad.ops", "Einsum"),
    ("dyad.ops", "StopGradient"),
    ("dyad.ops.auto_generate", "ReluGrad"),
    ("dyad.ops.float_status", "NPUGetFloatStatus"),
    ("dyad.ops.function_primitives", "mirror_pad"),
    ("dyad.ops.gradient_operators", "ReluGrad"),
    ("dyad.rewrite.node", "Node"),
]


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_a_program_without_older_names_does_not_import_the_storey():
    program = """
import sys
import numpy as np
import dyad
from dyad import Tensor, nn, ops
from dyad.mint.nn import functional

assert not hasattr(dyad, "__wrapped__") and not hasattr(dyad.nn, "__origin__")
net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
step(Tensor(np.ones((5, 3), np.float32)), Tensor(np.zeros((5, 2), np.float32)))
dyad.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
print(dyad.jit(lambda x: ops.relu(x).sum() + functional.relu(x).mean())(Tensor([1.0, -1.0])))
print([name for name in sys.modules if name.startswith("dyad.compat")])
"""
    assert run(program).splitlines() == ["1.5", "[]"]


def test_the_first_older_name_imports_the_storey():
    assert (
        run("""
import sys, dyad
print("dyad.compat.mindspore" in sys.modules)
dyad.ops.StopGradient
print("dyad.compat.mindspore" in sys.modules)
""")
        == "False\nTrue\n"
    )


@pytest.mark.parametrize(("path", "own"), ONE_MODULE.items())
def test_a_module_is_one_object_under_both_paths(path, own):
    assert importlib.import_module(f"dyad.{path}") is importlib.import_module(f"dyad.{own}")


@pytest.mark.parametrize("first", ["dyad.boost.adasum", "dyad.compat.mindspore.boost.adasum"])
def test_a_module_is_one_object_whichever_path_is_imported_first(first):
    assert (
        run(f"""
import {first}
import dyad.boost.adasum, dyad.compat.mindspore.boost.adasum
print(dyad.boost.adasum is dyad.compat.mindspore.boost.adasum)
print(dyad.boost.AdaSum is dyad.compat.mindspore.boost.AdaSum)
""")
        == "True\nTrue\n"
    )


@pytest.mark.parametrize(("module", "name"), PICKLED)
def test_a_pickle_of_an_earlier_version_finds_its_class(module, name):
    found = pickle.loads(f"c{module}\n{name}\n.".encode())
    assert found is getattr(importlib.import_module(module), name)
    assert found.__name__ == name
    assert pickle.loads(pickle.dumps(found)) is found


def test_an_initializer_of_an_earlier_version_is_loaded_with_its_settings():
    written = pickle.dumps(dyad.nn.initializer.Normal(0.5, 2.0), protocol=0)
    assert b"dyad.nn.initializer" in written
    loaded = pickle.loads(written.replace(b"dyad.nn.initializer", b"dyad.common.initializer"))
    assert type(loaded) is dyad.common.initializer.Normal
    assert vars(loaded) == vars(dyad.nn.initializer.Normal(0.5, 2.0))


def test_element_types_survive_a_pickle():
    for dtype in (dyad.float32, dyad.int8, dyad.bool_, dyad.bfloat16):
        assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_what_is_replaced_under_one_path_is_replaced_under_the_other(monkeypatch):
    other = object()
    monkeypatch.setattr("dyad.common.initializer.Zero", other)
    assert dyad.nn.initializer.Zero is other


def test_a_folder_without_source_does_not_hide_a_module_of_the_storey(tmp_path):
    (tmp_path / "boost" / "__pycache__").mkdir(parents=True)
    assert (
        run(f"""
import dyad
dyad.__path__.insert(0, {str(tmp_path)!r})
import dyad.boost
print(dyad.boost.__name__)
""")
        == "dyad.compat.mindspore.boost\n"
    )
