"""The package that holds MindSpore's spellings: when it is imported, and that each module in it is one object."""

import importlib
import operator
import pickle
import subprocess
import sys

import pytest
from pickled_names import PICKLED_NAMES

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


@pytest.mark.parametrize("module", PICKLED_NAMES)
def test_every_name_in_pickles_of_an_earlier_version_is_found(module):
    for name in PICKLED_NAMES[module].split():
        assert operator.attrgetter(name)(importlib.import_module(module)) is not None


def test_a_module_under_its_earlier_path_is_not_made_a_second_time():
    program = "import dyad._src.events.histogram as a, dyad._src.observe.events.histogram as b; print(a is b)"
    assert run(program) == "True\n"
    program = "import dyad, dyad._src.parameter as p; print(p.Parameter is dyad.Parameter)"
    assert run(program) == "True\n"


def test_a_tensor_and_a_parameter_pickled_by_an_earlier_version_load():
    tensor, parameter = dyad.Tensor([0.0, 1.0]), dyad.Parameter(dyad.Tensor([2.0]), name="w")
    for value, module in ((tensor, "tensor.tensor"), (parameter, "tensor.parameter")):
        today = pickle.dumps(value, protocol=0)
        earlier = today.replace(f"dyad._src.{module}".encode(), f"dyad._src.{module.split('.')[1]}".encode())
        assert earlier != today
        loaded = pickle.loads(earlier)
        assert type(loaded) is type(value) and (loaded.asnumpy() == value.asnumpy()).all()


def test_a_missing_name_of_a_package_under_a_second_path_is_an_attribute_error():
    assert not hasattr(dyad.experimental.optim, "AdamNew")
    assert not hasattr(dyad.nn, "a.b")
    assert not hasattr(importlib.import_module("dyad.compat.mindspore.boost"), "nothing")


def test_a_late_name_is_looked_up_each_time(monkeypatch):
    assert dyad.Model is dyad.train.Model
    monkeypatch.setattr(dyad.train, "Model", "replaced")
    assert dyad.Model == "replaced"


def test_an_error_names_the_path_that_the_program_wrote():
    program = """
import dyad
dyad.install_as_mindspore()
try:
    from mindspore.context import set_contxt
except ImportError as error:
    print(error)
"""
    expected = "dyad.context has no 'set_contxt' (imported as mindspore.context.set_contxt); nearest is "
    assert run(program) == f"{expected}dyad.context.set_context\n"
