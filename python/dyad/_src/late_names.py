"""Names that programs take from the package itself and that live in modules which few programs need.

They are listed so that a name which nobody has costs no import; a test compares the lists with those of the modules.
"""

from dyad._src.base.lazy_import import load

PACKAGES = (
    "amp", "boost", "communication", "dataset", "device_context", "experimental", "hal", "log", "mindrecord", "mint",
    "multiprocessing", "numpy", "parallel", "profiler", "rewrite", "scipy", "train", "utils",
)  # fmt: skip
NAMES = {
    "_src.interchange.mindir.user_info": "load_mindir save_mindir",
    "common.api": "flops_collection ms_memory_recycle",
    "common.dump": "set_dump",
    "common.file_system": "mindio_preload set_mindio_server_info",
    "common.sparse_tensor": "SparseTensor",
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


def find(name):
    """The package or the object that `dyad.name` means, imported now; None if there is none."""
    if name in PACKAGES:
        return load(f"dyad.{name}")
    home = _HOMES.get(name)
    return None if home is None else getattr(load(f"dyad.{home}"), name)
