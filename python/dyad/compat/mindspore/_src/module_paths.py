"""Module paths of MindSpore for names that Dyad defines elsewhere.

`from dyad.nn.layer.conv import Conv2d` gives `dyad.nn.Conv2d`. Such a path has no file: it is a module whose names are
those of its home, so nothing is listed twice. The paths are made when a program first imports them.

The loaders are classes without a base: those of importlib.abc take 11 ms to import.
"""

import functools
import importlib
import importlib.machinery
import sys
import types
from typing import Any, cast

from dyad.compat.mindspore._src import borrowed_names

PACKAGE = "dyad"

# The module that holds the names, and the paths below the package that lead to it.
_HOMES = {
    "": [
        "common.mutable", "common.recompute", "common.lazy_inline", "common.no_inline", "common.generator",
        "common.jit_config", "common.symbol", "common.device", "device_manager",
        *(
            f"{package}.{topic}"
            for package in ("common", "graph")
            for topic in (
                "dynamic_shape", "dynamic_shape.auto_dynamic_shape", "dynamic_shape.enable_dynamic", "jit_context",
                "jit_trace", "mindir_util",
            )
        ),
        *(f"graph.{topic}" for topic in ("jit_config", "lazy_inline", "mutable", "no_inline", "symbol")),
        "default_config", "onnx", "onnx.onnx_export", "run_check", "run_check.run_check",
    ],
    "common": ["common._grad_function"],
    "dtype": ["_c_expression.typing"],
    "common.api": ["graph", "graph.api"],
    "common.jit_begin_end": ["graph.jit_begin_end"],
    "compat.mindspore._src.contiguous_tensors": ["hal.contiguous_tensors_handle"],
    "hal": [f"hal.{topic}" for topic in ("device", "event", "memory", "stream")],
    "runtime": [
        f"runtime.{topic}"
        for topic in (
            "device", "device_limit", "event", "executor", "memory", "stream", "stream_limit", "thread_bind_core",
        )
    ],
    "compat.mindspore._src.init_arguments": ["_extends"],
    "compat.mindspore._src.standard_methods": ["_extends.parse", "_extends.parse.standard_method"],
    "_src.tensor.amp_strategy": ["_c_expression.amp"],
    "_src.cell.hooks": ["common.hook_handle"],
    "_src.checkpoint.messages": ["train.checkpoint_pb2"],
    "_src.checkpoint.strategy_messages": ["train.node_strategy_pb2"],
    "compat.mindspore._src.deprecation": ["common._decorator"],
    "train.summary": ["train.callback._landscape"],
    "train.metrics": ["nn.metrics.metric"],
    "profiler": ["profiler.envprofiler", "profiler.profiling"],
    "context": ["dataset.context", "train.serialization.context"],
    "_src.context.process_groups": ["communication._comm_helper"],
    "nn": [
        "nn.layer",
        *(
            f"nn.layer.{topic}"
            for topic in (
                "activation", "basic", "channel_shuffle", "combined", "container", "conv", "dense", "embedding",
                "image", "math", "normalization", "padding", "pooling", "rnns", "thor_layer", "timedistributed",
                "transformer",
            )
        ),
        "nn.grad",
        "nn.grad.cell_grad",
        "nn.utils",
        "nn.utils.init",
        "nn.wrap.grad_reducer",
    ],
    "nn.sparse": ["nn.sparse.sparse"],
    "nn.probability.bijector": [
        f"nn.probability.bijector.{topic}"
        for topic in ("exp", "gumbel_cdf", "invert", "power_transform", "scalar_affine", "softplus")
    ],
    "nn.probability.distribution": [
        f"nn.probability.distribution.{topic}"
        for topic in (
            "bernoulli", "beta", "categorical", "cauchy", "exponential", "gamma", "geometric", "gumbel", "half_normal",
            "laplace", "log_normal", "logistic", "normal", "poisson", "student_t", "transformed_distribution",
            "uniform",
        )
    ],
    "nn.probability.checks": ["nn.probability.distribution._utils", "nn.probability.distribution._utils.utils"],
    "nn.recurrent_cells": ["nn.layer.rnn_cells"],
    "nn.loss": ["nn.loss.loss"],
    "nn.optim": [
        f"nn.optim.{topic}"
        for topic in ("ada_grad", "adasum", "ftrl", "lars", "lazyadam", "proximal_ada_grad", "tft_wrapper")
    ],
    "nn.optim.second_order": ["nn.optim.thor"],
    "dataset": [
        "dataset.engine", "dataset.engine.datasets", "dataset.engine.datasets_user_defined",
        "dataset.engine.datasets_vision", "dataset.engine.datasets_text", "dataset.engine.datasets_standard_format",
        "dataset.engine.iterators", "dataset.engine.samplers", "dataset.engine.serializer_deserializer",
        "dataset.engine.cache_client", "dataset.engine.datasets_audio", "dataset.engine.queue", "dataset.utils",
        "dataset.utils.line_reader",
    ],
    "dataset.callback": ["dataset.callback.ds_callback"],
    "dataset.dataloader": [
        f"dataset.dataloader.{topic}" for topic in ("dataloader", "dataset", "distributed", "sampler")
    ],
    "dataset.debug": ["dataset.debug.debug_hook", "dataset.debug.pre_defined_hook"],
    "dataset.vision": ["dataset.utils.browse_dataset"],
    "dataset.vision.color": ["dataset.vision.colour"],
    "mint.functions": [f"mint.{topic}" for topic in ("creation", "fused", "scaled", "triangular")],
    "dataset.transforms": ["dataset.transforms.py_transforms_util"],
    "dataset.config": ["dataset.core", "dataset.core.config"],
    "dataset._datatypes": ["dataset.core.datatypes"],
    "dataset.audio": ["dataset.audio.transforms", "dataset.audio.utils"],
    "dataset.text": ["dataset.text.utils"],
    "_src.observe.events.event_messages": ["train.summary_pb2"],
    "_src.observe.events.histogram": ["train.summary._summary_adapter"],
    "amp": ["train.amp", "train.loss_scale_manager"],
    "ops.auto_generate": [
        *(f"ops.auto_generate.{topic}" for topic in ("gen_ops_def", "gen_ops_prim", "pyboost_inner_prim")),
        "ops.operations._embedding_cache_ops",
        *(
            f"ops.operations._{topic}_ops"
            for topic in (
                "cache", "grad", "infer", "inner", "quant", "rl_inner", "scalar", "sequence", "sparse_grad", "thor",
            )
        ),
        *(
            f"ops.operations.{topic}_ops"
            for topic in (
                "array", "control", "custom", "debug", "image", "inner", "linalg", "math", "nn", "other", "random",
                "sparse", "spectral",
            )
        ),
        "ops.manually_defined",
        "ops.manually_defined.ops_def",
        "ops.operations.manually_defined",
        "ops.operations.manually_defined.ops_def",
        *(
            f"ops.function.{topic}_func"
            for topic in (
                "array", "clip", "debug", "fft", "image", "linalg", "math", "nn", "other", "parameter", "random",
                "spectral", "sparse", "vmap",
            )
        ),
    ],
    "ops": [
        "ops.function",
        "ops.function.grad",
        "ops.function.grad.grad_func",
        "ops.functional_overload",
        "ops.primitive",
        *(
            f"ops.{module}"
            for module in (
                "arrangement", "box_suppression", "candidate_sampling", "channel_dropout", "checks", "clipping",
                "contraction", "differentiation", "embedding_rows", "flash_attention", "fractional_windows",
                "gated_sequences", "image_windows", "label_alignment", "loops", "morph", "packed_recurrent",
                "precision", "ragged", "ranges", "routing", "segments", "sets", "shifting", "sparse_arithmetic",
                "sparse_coordinates", "sparse_functions", "sparse_rows", "triangular_factors", "user_primitive",
                "varying_results", "windows",
            )
        ),  # modules of Dyad that pickles name
    ],
    "ops.argument_handlers": [
        "ops._utils", *(f"ops._utils.{topic}" for topic in ("arg_dtype_cast", "arg_handler", "utils"))
    ],
    "ops.collectives": ["ops.operations.comm_ops", "ops._grad_experimental", "ops._grad_experimental.grad_comm_ops"],
    "ops.sparse.compressed_rows": ["ops.compressed_rows", "ops.operations._csr_ops"],
    "experimental.optim": [
        f"experimental.optim.{topic}"
        for topic in (
            "adadelta", "adagrad", "adamax", "adamw", "asgd", "nadam", "radam", "rmsprop", "rprop",
        )
    ],
    "mindrecord": [
        *(f"mindrecord.tools.{topic}" for topic in ("cifar10", "cifar100", "cifar10_to_mr", "cifar100_to_mr")),
        *(f"mindrecord.core{topic}" for topic in ("", ".shardheader", ".shardreader", ".shardsegment", ".shardwriter")),
        "mindrecord.config",
    ],
    "mint.nn": [
        "mint.nn.layer",
        *(
            f"mint.nn.layer.{topic}"
            for topic in ("activation", "basic", "conv", "normalization", "padding", "pooling")
        ),
    ],
    "mint.optim": [f"mint.optim.{topic}" for topic in ("adamw", "fused_adamw")],
    "rewrite": [
        "rewrite.api",
        *(f"rewrite.api.{topic}" for topic in ("node", "node_type", "pattern_engine", "scoped_value", "symbol_tree")),
    ],
    "mint.distributed": ["mint.distributed.distributed"],
    "mint.distributed.communication": ["ops.communication"],
    "ops.composite": ["ops.composite.base", "ops.composite.math_ops"],
    "parallel": [
        "parallel.checkpoint_convert", "parallel.checkpoint_transform", "parallel.function",
        "parallel.function.reshard_func", "parallel.transform_safetensors",
    ],
    "parallel.nn": ["parallel.nn.parallel_cell_wrapper", "parallel.nn.parallel_grad_reducer"],
    "profiler.options": ["profiler.common", "profiler.common.constant", "profiler.experimental_config"],
    "train.train_thor": [
        f"train.train_thor.{topic}" for topic in ("convert_utils", "dataset_helper", "model_thor")
    ],
    "numpy.borrowed_parts": ["numpy.utils", "numpy.utils_const"],
    "numpy": ["numpy.array_creations", "numpy.array_ops", "numpy.logic_ops", "numpy.math_ops"],
}  # fmt: skip

# Where the private names of a home are that packages take from its paths.
_PRIVATE = {
    "dyad.compat.mindspore.ops.auto_generate": "dyad.ops.function_parts",
    "dyad.nn": "dyad.nn.layer_bases",
}

# Modules of a home that MindSpore keeps elsewhere: a path has what it imports from them.
_ELSEWHERE_THERE = ("dyad.nn.initializer",)

HOME_OF = {path: home for home, paths in _HOMES.items() for path in paths}


class _PathModule(types.ModuleType):
    """A path under which names are found. A path below it that is called as one of the names does not hide it."""

    def __setattr__(self, name, value):
        if not (isinstance(value, types.ModuleType) and self._holds(name)):
            super().__setattr__(name, value)

    def _holds(self, name):
        held = vars(self)
        return name in held.get("_home_names", ()) or not isinstance(held.get(name, self), types.ModuleType)


class _PathLoader:
    """Makes a module whose attributes are looked up in its home each time they are asked for."""

    def __init__(self, home):
        self._home = home

    def create_module(self, spec):
        return _PathModule(spec.name)

    def exec_module(self, module):
        home = importlib.import_module(self._home)
        module.__dict__["_home_names"] = frozenset(getattr(home, "__all__", ()))
        module.__doc__ = f"The names of {self._home}, under a module path that programs import."
        module.__getattr__ = functools.partial(_look_up, module.__name__, home)
        module.__dir__ = lambda: dir(home)
        parent_name, _, name = module.__name__.rpartition(".")
        parent = sys.modules[parent_name]
        if callable(vars(parent).get(name)):
            parent.__class__ = _PathModule  # it keeps its name: the import system would put this module there


def _look_up(path, home, name):
    """A name of the home. A path below this one comes before a file of the home that is called alike."""
    below = f"{path}.{name}"
    if not is_path(below):
        private = _PRIVATE.get(home.__name__)
        if private and _has(importlib.import_module(private), name):
            home = importlib.import_module(private)
        found = getattr(home, name, None)
        is_elsewhere = getattr(found, "__name__", None) in _ELSEWHERE_THERE and name not in home.__all__
        if found is None or is_elsewhere:
            found = borrowed_names.find(path, name)
        return getattr(home, name) if found is None else found
    found = vars(home).get(name)
    return importlib.import_module(below) if found is None or isinstance(found, types.ModuleType) else found


def _has(module, name):
    """True if a module of parts has the name: one with an underscore, or one that it lists."""
    return hasattr(module, name) if name.startswith("_") else name in vars(module).get("__all__", ())


def is_path(fullname):
    """True if a module path provides the names of another module."""
    return fullname.removeprefix(f"{PACKAGE}.") in HOME_OF


def find_spec(fullname):
    """Returns the import spec of such a path; None for any other."""
    home = HOME_OF.get(fullname.removeprefix(f"{PACKAGE}."))
    if home is None:
        return None
    return importlib.machinery.ModuleSpec(
        fullname, cast(Any, _PathLoader(f"{PACKAGE}.{home}".rstrip("."))), is_package=True
    )


class SecondName:
    """The loader of an existing module under a second name; it leaves the module's own identity alone."""

    def __init__(self, target):
        self._target = target

    def create_module(self, spec):
        module = importlib.import_module(self._target)
        # The import system writes the second name's spec into the module; exec_module puts the real one back.
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._own_spec
