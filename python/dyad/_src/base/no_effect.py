"""Names that programs may use and that change nothing here, each with the reason.

The first use of one is logged, and the page of coverage (`./dev docs`) tells these names from those that work: both
read this table.
"""

import os

_INLINED = "every call is captured where it stands, so there is no graph of its own that could be kept"
_SYNCHRONOUS = "an operator on the CPU has finished when it returns, so this is always so"
_ONE_BY_ONE = "operators run one after another, each on all threads"
_PLANNED = "the memory of a compiled graph is always planned, and freed memory is always used again"
_CODE_IS_KEPT = "generated code is always kept on disk (DYAD_CACHE_DIR); graphs are captured in each process"
_OTHER_BACKEND = "it steers a back end of another device"
_MEASURED = "the algorithm of a convolution is measured when it is first used"
_LINES_ARE_KEPT = "every node keeps its file and line"
_ALWAYS_DONE = "this is always done, for every graph"
_PATHS_ARE_WHOLE = "guards have the whole path to what they check"
_ON_THE_CPU = "the data pipeline runs on the CPU, and batches are copied to a device ahead of their use"
_ANY_THREAD = (
    "a row is made by whichever thread is free, so that no stage of a pipeline has threads of its own"
)
_ON_ANOTHER_DEVICE = "it is measured on another device"
_KERNELS_TELL = "every kernel is recorded with its line, its operands and the bytes that it moves"
_NO_SERVERS = "there are no parameter servers"
_BOUNDED = "graphs are kept with their function, and the least used go first"

NO_EFFECT = {
    "build_train_network(boost_level=)": "a step is optimized as a whole already, and its mathematics stays",
    "context:compile_cache_path": _CODE_IS_KEPT,
    "context:debug_level": _LINES_ARE_KEPT,
    "context:device_id": "the CPU is one device",
    "context:enable_compile_cache": _CODE_IS_KEPT,
    "context:graph_kernel_flags": "which operators are computed together is decided for each graph",
    "context:inter_op_parallel_num": _ONE_BY_ONE,
    "context:memory_optimize_level": _PLANNED,
    "context:pynative_synchronize": _SYNCHRONOUS,
    "context:reserve_class_name_in_scope": "nodes are named after their line, not after scopes",
    "jit(auto_clean_cache=)": _BOUNDED,
    "jit(disable_format_transform=)": _OTHER_BACKEND,
    "jit(eliminate_redundant_args=)": _ALWAYS_DONE,
    "jit(exec_order=)": _OTHER_BACKEND,
    "jit(expand_graph_input=)": _ALWAYS_DONE,
    "jit(expand_graph_output=)": _ALWAYS_DONE,
    "jit(ge_options=)": _OTHER_BACKEND,
    "jit(infer_boost=)": _OTHER_BACKEND,
    "jit(infer_only=)": _ALWAYS_DONE,
    "jit(infer_primitive=)": _ALWAYS_DONE,
    "jit(prune_case=)": _ALWAYS_DONE,
    "jit(reuse_graph=)": _BOUNDED,
    "jit(strict_trace=)": _PATHS_ARE_WHOLE,
    "jit(subgraph_break_opt=)": "a function that needs Python where it is called is split by itself",
    "JitConfig(debug_level=)": _LINES_ARE_KEPT,
    "JitConfig(exc_mode=)": "a graph always runs as a whole on its device",
    "JitConfig(infer_boost=)": _OTHER_BACKEND,
    "Model(dataset_sink_mode=)": "batches are copied to a device ahead of their use; on the CPU they are there",
    "Model(boost_level=)": "every step computes all there is to compute; nothing is left out to save time",
    "Model.predict(backend=)": "the network runs itself; there is no engine of its own for inference",
    "mindspore.common.jit_begin_end._jit_begin": "Python runs the statements of a section in every call, so their "
    'operators run where they stand; jit(capture_mode="trace") compiles a function',
    "mindspore.common.file_system.set_mindio_server_info": "files are read and written without a server",
    "mindspore.dataset.DatasetCache": "there is no cache server; rows are made anew in every epoch",
    "mindspore.dataset.config.set_auto_offload": _ON_THE_CPU,
    "mindspore.dataset.config.set_autotune_interval": _ANY_THREAD,
    "mindspore.dataset.config.set_dynamic_shape": "every batch has the shape that it has",
    "mindspore.dataset.config.set_enable_autotune": _ANY_THREAD,
    "mindspore.dataset.config.set_fast_recovery": "an iterator cannot start in the middle of a run",
    "mindspore.dataset.config.set_monitor_sampling_interval": "Dataset.explain counts all the time",
    "mindspore.dataset.config.set_numa_enable": "threads run where the system puts them",
    "mindspore.dataset.config.set_sending_batches": _ON_THE_CPU,
    "mindspore.device_context.ascend.op_debug.aclinit_config": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_debug.debug_option": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_debug.execute_timeout": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_precision.conv_allow_hf32": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_precision.matmul_allow_hf32": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_precision.op_precision_mode": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_precision.precision_mode": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_tuning.aclnn_cache": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_tuning.aoe_job_type": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_tuning.aoe_tune_mode": _OTHER_BACKEND,
    "mindspore.device_context.ascend.op_tuning.op_compile": _OTHER_BACKEND,
    "mindspore.device_context.gpu.op_tuning.conv_dgrad_algo": _MEASURED,
    "mindspore.device_context.gpu.op_tuning.conv_fprop_algo": _MEASURED,
    "mindspore.device_context.gpu.op_tuning.conv_wgrad_algo": _MEASURED,
    "mindspore.lazy_inline": _INLINED,
    "mindspore.no_inline": _INLINED,
    "mindspore.parallel.set_op_strategy_config": "one process computes every operator as a whole",
    "mindspore.parallel.strategy.enable_save_strategy_online": "one process slices no parameter",
    "mindspore.runtime.dispatch_threads_num": _ONE_BY_ONE,
    "mindspore.runtime.launch_blocking": _SYNCHRONOUS,
    "mindspore.runtime.StreamLimitCtx": _OTHER_BACKEND,
    "mindspore.runtime.reset_stream_limit": _OTHER_BACKEND,
    "mindspore.runtime.set_device_limit": _OTHER_BACKEND,
    "mindspore.runtime.set_kernel_launch_capture": "a compiled graph has all its launches already",
    "mindspore.runtime.set_kernel_launch_group": _ONE_BY_ONE,
    "mindspore.runtime.set_stream_limit": _OTHER_BACKEND,
    "mindspore.runtime.set_memory": _PLANNED,
    "mindspore.set_dump": "only other devices write tensors by themselves; hooks and summary operators record them",
    "profile(activities=)": "kernels are recorded on whichever device runs them",
    "profile(aic_metrics=)": _ON_ANOTHER_DEVICE,
    "profile(data_process=)": "Dataset.explain tells what the data pipeline does",
    "profile(data_simplification=)": "there are no files but those that are meant to be read",
    "profile(export_type=)": "the files are a trace and tables, as text",
    "profile(hbm_ddr=)": _ON_ANOTHER_DEVICE,
    "profile(host_stack=)": _KERNELS_TELL,
    "profile(host_sys=)": _ON_ANOTHER_DEVICE,
    "profile(l2_cache=)": _ON_ANOTHER_DEVICE,
    "profile(op_time=)": _KERNELS_TELL,
    "profile(parallel_strategy=)": _ON_ANOTHER_DEVICE,
    "profile(pcie=)": _ON_ANOTHER_DEVICE,
    "profile(profile_communication=)": _ON_ANOTHER_DEVICE,
    "profile(profile_framework=)": _KERNELS_TELL,
    "profile(profile_memory=)": _KERNELS_TELL,
    "profile(profiler_level=)": _ON_ANOTHER_DEVICE,
    "profile(record_shapes=)": _KERNELS_TELL,
    "profile(sync_enable=)": _SYNCHRONOUS,
    "profile(sys_interconnection=)": _ON_ANOTHER_DEVICE,
    "profile(sys_io=)": _ON_ANOTHER_DEVICE,
    "profile(timeline_limit=)": "the trace has everything that was recorded",
    "profile(with_stack=)": _KERNELS_TELL,
    "set_ps_context(client_password=)": _NO_SERVERS,
    "set_ps_context(config_file_path=)": _NO_SERVERS,
    "set_ps_context(enable_ssl=)": _NO_SERVERS,
    "set_ps_context(scheduler_manage_port=)": _NO_SERVERS,
    "set_ps_context(server_password=)": _NO_SERVERS,
    "tensorboard_trace_handler(async_mode=)": "the tables are written at once",
    "MS_COMPILER_CACHE_ENABLE": _CODE_IS_KEPT,
    "MS_COMPILER_CACHE_PATH": _CODE_IS_KEPT,
    "MS_DEV_FORCE_USE_COMPILE_CACHE": _CODE_IS_KEPT,
}

_READ_ON_A_GPU = frozenset(("context:device_id", "context:pynative_synchronize"))
_VARIABLES = tuple(name for name in NO_EFFECT if name.startswith("MS_"))
_said: set = set()


def say_no_effect(name, shown):
    """Log, once in a process, that `shown`, which the table knows as `name`, changes nothing here."""
    reason = NO_EFFECT[name]
    if name in _said:
        return
    _said.add(name)
    from dyad import log

    log.warning("%s has no effect: %s", shown, reason)


def say_unread_settings(given, defaults, target):
    """The same for keys of `set_context` that were given another value than their default."""
    for key, value in given.items():
        name = f"context:{key}"
        read = target == "GPU" and name in _READ_ON_A_GPU
        if name in NO_EFFECT and value != defaults[key] and not read:
            say_no_effect(name, f"set_context: {key}")


def say_unread_variables():
    """The same for variables of the environment."""
    for name in _VARIABLES:
        if name in os.environ:
            say_no_effect(name, f"the environment variable {name}")
