"""Module paths of the reference that have no file here."""

import importlib
import subprocess
import sys
import textwrap

import pytest

import dyad
from dyad.compat.mindspore._src.module_paths import HOME_OF


@pytest.mark.parametrize("path", HOME_OF)
def test_a_path_leads_to_the_names_of_its_home(path):
    module = importlib.import_module(f"dyad.{path}")
    home = importlib.import_module(f"dyad.{HOME_OF[path]}".rstrip("."))
    assert module is not home
    for name in home.__all__:
        assert getattr(module, name) is getattr(home, name)


def test_names_can_be_taken_from_a_path():
    from dyad.nn.layer import conv
    from dyad.nn.layer.basic import Dense
    from dyad.ops.operations.nn_ops import Conv2D
    from dyad.ops.primitive import Primitive

    assert conv.Conv2d is dyad.nn.Conv2d
    assert Dense is dyad.nn.Dense
    assert Conv2D is dyad.ops.Conv2D and issubclass(Conv2D, Primitive)


def test_bases_of_layers_are_found_where_packages_look():
    from dyad.nn.layer.normalization import _BatchNorm
    from dyad.nn.layer.pooling import _PoolNd
    from dyad.nn.loss.loss import _Loss

    assert issubclass(dyad.nn.BatchNorm2d, _BatchNorm) and not issubclass(dyad.nn.LayerNorm, _BatchNorm)
    assert issubclass(dyad.nn.AvgPool2d, _PoolNd)
    assert _Loss is dyad.nn.LossBase


def test_deprecated_warns_once(monkeypatch):
    from dyad import log
    from dyad.common._decorator import deprecated

    said = []
    monkeypatch.setattr(log, "warning", lambda text, *values: said.append(text % values))

    @deprecated("1.2", "new_one", use_substitute_name=True)
    def old_one(x):
        return x + 1

    assert [old_one(1), old_one(x=2)] == [2, 3] and old_one.__name__ == "new_one"
    assert said == ["'old_one' is deprecated from version 1.2 and will be removed; use 'new_one' instead"]


def test_a_path_does_not_hide_the_function_of_its_name():
    code = """
        from mindspore.common.mutable import mutable
        from mindspore.common.recompute import recompute
        import mindspore.common as common
        assert common.mutable is mutable and common.recompute is recompute
        assert common.mutable(3) == 3
    """
    program = "import dyad; dyad.install_as_mindspore()\n" + textwrap.dedent(code)
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_missing_name_of_a_path_names_the_nearest():
    from dyad.nn.layer import pooling

    with pytest.raises(AttributeError, match=r"dyad.nn has no 'Maxpool2d'; nearest is dyad.nn.MaxPool2d"):
        _ = pooling.Maxpool2d
    with pytest.raises(ImportError, match="Dens"):
        from dyad.nn.layer.basic import Dens  # noqa: F401


def test_a_path_that_the_reference_lacks_is_missing():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("dyad.nn.layer.nothing")


def test_one_letter_names_are_modules():
    from dyad.ops import C, F, P

    assert P.ReLU is dyad.ops.ReLU and F.relu is dyad.ops.relu and C.HyperMap is dyad.ops.HyperMap


def test_running_operators_can_be_waited_for():
    from dyad.common.api import _pynative_executor

    assert _pynative_executor.sync() is None


def test_names_of_element_types():
    assert dyad.bool is dyad.bool_ and dyad.int is dyad.int32 and dyad.float is dyad.float32
    assert dyad.byte is dyad.int8 and dyad.uintp is dyad.uint64 and dyad.cfloat is dyad.complex64
    assert "bool" not in dyad.__all__ and "int" not in dyad.__all__ and "float" not in dyad.__all__


def test_run_check_says_that_the_installation_computes(capsys):
    dyad.run_check()
    assert "is correct" in capsys.readouterr().out


def test_modules_and_names_that_programs_reach_without_an_import():
    assert dyad.ops.operations.MatMul is dyad.ops.MatMul
    assert dyad.ops.functional.relu is dyad.ops.relu
    assert dyad.FixedLossScaleManager is dyad.amp.FixedLossScaleManager
    assert dyad.DynamicLossScaleManager is dyad.amp.DynamicLossScaleManager


@pytest.mark.parametrize(
    "name", ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network"]
)
def test_names_of_amp_in_train(name):
    assert getattr(dyad.amp, name) is getattr(dyad.train, name) is getattr(dyad, name)


@pytest.mark.parametrize(
    "name",
    [
        "load_distributed_checkpoint",
        "rank_list_for_transform",
        "transform_checkpoints",
        "unified_safetensors",
    ],
)
def test_checkpoints_of_many_processes_in_parallel(name):
    assert getattr(dyad.parallel, name) is getattr(dyad, name)


def test_landscapes_are_callbacks_of_train():
    assert dyad.train.callback.SummaryLandscape is dyad.train.SummaryLandscape is dyad.SummaryLandscape


def test_names_that_a_module_of_the_reference_imports_are_found_in_it():
    from dyad.common.api import Tensor
    from dyad.dataset.engine.datasets_audio import YesNoDataset
    from dyad.experimental.optim.lr_scheduler import Optimizer as ExperimentalOptimizer
    from dyad.nn.cell import Parameter, Primitive
    from dyad.nn.layer.conv import initializer
    from dyad.nn.optim.sgd import jit
    from dyad.nn.wrap.grad_reducer import AllReduce, get_group_size
    from dyad.train.metrics.recall import EvaluationBase

    assert Tensor is dyad.Tensor and Parameter is dyad.Parameter and jit is dyad.jit
    assert Primitive is dyad.ops.Primitive and AllReduce is dyad.ops.AllReduce
    assert initializer is dyad.common.initializer.initializer
    assert get_group_size is dyad.communication.get_group_size
    assert EvaluationBase is dyad.train.EvaluationBase and YesNoDataset is dyad.dataset.YesNoDataset
    assert ExperimentalOptimizer is dyad.experimental.optim.Optimizer


def test_a_borrowed_name_that_nobody_has_is_missing():
    from dyad.nn.optim import sgd

    with pytest.raises(AttributeError, match=r"dyad.nn.optim.sgd has no 'no_such_name'"):
        _ = sgd.no_such_name
    with pytest.raises(AttributeError, match=r"dyad.nn.optim.sgd has no 'relu'"):
        _ = sgd.relu  # a function of another package may be another one
    assert not hasattr(sgd, "__wrapped__")


def test_layers_of_mint_are_found_in_nn_by_their_older_names():
    assert dyad.nn.LayerNormExt is dyad.mint.nn.LayerNorm and dyad.nn.L1LossExt is dyad.mint.nn.L1Loss
    assert not hasattr(dyad.nn, "NothingExt")


def test_names_of_topics_are_found_in_their_package():
    from dyad.dataset.text.transforms import JiebaMode
    from dyad.device_context.cpu import threads_num
    from dyad.device_context.gpu import conv_fprop_algo
    from dyad.utils import from_dlpack

    assert JiebaMode is dyad.dataset.text.JiebaMode and from_dlpack is dyad.from_dlpack
    assert threads_num is dyad.device_context.cpu.op_tuning.threads_num
    assert conv_fprop_algo is dyad.device_context.gpu.op_tuning.conv_fprop_algo


def test_names_called_like_files_are_what_programs_call():
    import numpy as np

    from dyad import common, nn
    from dyad.common import parameter, seed, tensor
    from dyad.common.initializer import initializer
    from dyad.nn.layer import CosineSimilarity
    from dyad.nn.layer import math as layers

    assert tensor is dyad.tensor and common.tensor([1.0]).shape == (1,)
    assert seed is dyad.seed
    assert parameter.initializer is initializer
    assert common.initializer.initializer is initializer  # the file
    assert layers.CosineSimilarity is CosineSimilarity is not nn.CosineSimilarity
    a, b = np.array([[1.0, 2.0], [3.0, 0.0]], np.float32), np.array([[2.0, 1.0], [0.0, 4.0]], np.float32)
    for layer in (CosineSimilarity(), dyad.jit(CosineSimilarity(dim=-1))):
        np.testing.assert_allclose(layer(dyad.Tensor(a), dyad.Tensor(b)), [0.8, 0.0], atol=1e-6)


def test_operators_do_not_take_layers_for_what_they_import():
    inner = importlib.import_module("dyad.ops.operations._inner_ops")
    assert importlib.import_module("dyad.ops.function.clip_func").Cell is dyad.nn.Cell
    for name in ("Lamb", "SyncBatchNorm", "Accuracy"):
        with pytest.raises(AttributeError, match=name):
            getattr(inner, name)


def test_types_of_numpy_are_those_of_32_bits():
    import dyad.numpy as mnp
    from dyad.numpy import dtypes

    for module in (mnp, dtypes):
        assert (module.int_, module.float_, module.uint) == (dyad.int32, dyad.float32, dyad.uint32)
        assert module.PINF == -module.NINF == float("inf")


@pytest.mark.parametrize(
    "path",
    [
        "common.generator",
        "dataset.engine.datasets",
        "dataset.text.transforms",
        "experimental.optim.adamw",
        "hal.device",
        "mint.nn.layer.conv",
        "mint.optim.adamw",
        "nn.loss.loss",
        "nn.optim.lars",
        "nn.probability.distribution.normal",
        "nn.wrap.grad_reducer",
        "numpy.array_creations",
        "ops.auto_generate.gen_ops_prim",
        "ops.composite.base",
        "ops.operations.image_ops",
        "ops.primitive",
        "version",
    ],
)
def test_a_module_is_an_attribute_of_its_package_without_an_import(path):
    program = f"import types, dyad; found = dyad.{path}; print(type(found).__name__, found.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    kind, name = done.stdout.split()
    assert kind in ("module", "_PathModule") and name in (f"dyad.{path}", f"dyad.compat.mindspore.{path}")


def test_a_name_that_is_not_a_module_is_still_an_error_with_a_hint():
    with pytest.raises(AttributeError, match=r"dyad.nn has no 'Convolution2d'; nearest is"):
        _ = dyad.nn.Convolution2d
    assert not hasattr(dyad.hal, "nothing") and not hasattr(dyad, "nothing")
