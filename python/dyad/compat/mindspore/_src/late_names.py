"""Names of the package itself that are defined in rarely used modules, imported at first use.

They are listed so that a name which nobody has costs no import; a test compares the lists with those of the modules.
"""

import dyad
from dyad import runtime
from dyad._src.base.lazy_import import load

NAMES = {
    "compat.mindspore._src.alias": "install_as_mindspore",
    "_src.interchange.mindir.user_info": "load_mindir save_mindir",
    "common.api": "flops_collection ms_memory_recycle",
    "common.dump": "set_dump",
    "common.file_system": "mindio_preload set_mindio_server_info",
    "sparse": "SparseTensor",
    "common.storage": "swap_tensors",
    "log": "get_level get_log_config",
    "mindrecord": """
        Cifar100ToMR Cifar10ToMR CsvToMR FAILED FileReader FileWriter ImageNetToMR MindPage MnistToMR SUCCESS
        TFRecordToMR set_dec_mode set_enc_key set_enc_mode
    """,
    "parallel": """
        convert_checkpoint_by_rank convert_checkpoints get_algo_parameters merge_pipeline_strategys
        parameter_broadcast rank_list_for_convert reset_algo_parameters set_algo_parameters
        set_op_strategy_config sync_pipeline_shared_parameters
    """,
    "profiler": "EnvProfiler Profiler",
    "rewrite": "Node NodeType PatternEngine PatternNode Replacement ScopedValue SymbolTree ValueType VarNode",
    "train": """
        Accuracy BackupAndRestore BleuScore Callback CheckpointConfig ConfusionMatrix ConfusionMatrixMetric
        ConvertModelUtils ConvertNetUtils
        CosineSimilarity DatasetHelper Dice DynamicLossScaleManager EarlyStopping EvaluationBase F1 Fbeta
        FixedLossScaleManager FlopsUtilizationCollector HausdorffDistance History LambdaCallback
        LearningRateScheduler Loss LossMonitor LossScaleManager MAE MSE MeanSurfaceDistance Metric
        MindIOTTPAdapter Model ModelCheckpoint OcclusionSensitivity OnRequestExit Perplexity Precision
        ProgressBar ROC Recall ReduceLROnPlateau RootMeanSquareDistance RunContext SummaryCollector
        SummaryLandscape SummaryRecord TimeMonitor Top1CategoricalAccuracy Top5CategoricalAccuracy
        TopKCategoricalAccuracy TrainFaultTolerance async_ckpt_thread_status auc build_searched_strategy
        build_train_network check_checkpoint ckpt_to_safetensors connect_network_with_dataset data_sink
        get_ckpt_path_with_strategy get_metric_fn get_metrics load_checkpoint_async load_distributed_checkpoint
        load_segmented_checkpoints merge_sliced_parameter names parse_print rank_list_for_transform
        rearrange_inputs restore_group_info_list safetensors_to_ckpt transform_checkpoint_by_rank
        transform_checkpoints unified_safetensors
    """,
    "utils": "get_sdc_detect_result sdc_detect_start sdc_detect_stop stress_detect",
}
_HOMES = {name: module for module, names in NAMES.items() for name in names.split()}


def _of_package(name):
    """The object that `dyad.name` means, imported now."""
    home = _HOMES.get(name)
    if home is not None:
        return getattr(load(f"dyad.{home}"), name)
    return getattr(runtime, name) if name in runtime.__all__ else None


# What `dyad` has and programs take from `dyad.common` as well.
_ALSO_IN_COMMON = """
    DeviceCtx Generator SparseTensor Symbol default_generator enable_dynamic flops_collection
    from_numpy frombuffer get_rng_state initial_seed is_tensor lazy_inline load_mindir manual_seed
    mindio_preload ms_memory_recycle no_inline save_mindir set_dump set_mindio_server_info
    set_recursion_limit set_rng_state swap_tensors
"""


def _of_common(name):
    return getattr(dyad, name) if name in _ALSO_IN_COMMON.split() else None


def _of_layers(name):
    """The layer or the metric that `dyad.nn.name` means: `nameExt` is the layer `name` of `dyad.mint.nn`."""
    if name.endswith("Ext") and name.removesuffix("Ext") in load("dyad.mint.nn").__all__:
        return getattr(load("dyad.mint.nn"), name.removesuffix("Ext"))
    for home in ("dyad.nn.metrics", "dyad.nn.of_mint") if not name.startswith("_") else ():
        if name in load(home).__all__:
            return getattr(load(home), name)
    return None


def _of_operators(name):
    return load("dyad.compat.mindspore.ops").find(name)


def _of_precision(name):
    names = load("dyad.amp.reference_names")
    return getattr(names, name) if name in names.__all__ else None


def _of_parallel(name):
    for home in ("algo_parameter_config", "operator_strategies"):
        module = load(f"dyad.parallel.{home}")
        if name in module.__all__:
            return getattr(module, name)
    return None


_FINDERS = {
    "dyad": _of_package,
    "dyad.common": _of_common,
    "dyad.nn": _of_layers,
    "dyad.ops": _of_operators,
    "dyad.parallel": _of_parallel,
    "dyad.amp": _of_precision,
}


def find(path, name):
    """Finds a name that a module imports from another one; None if there is none."""
    finder = _FINDERS.get(path)
    return None if finder is None else finder(name)
