"""Distribution of a program over devices, for packages that read it."""

from dyad._src.context.parallel_settings import ParallelMode, parallel_settings
from dyad._src.context.process_groups import ranks_of

__all__ = [
    "_device_number_check",
    "_get_device_num",
    "_get_enable_parallel_optimizer",
    "_get_full_batch",
    "_get_global_rank",
    "_get_gradients_mean",
    "_get_parallel_mode",
    "_get_parameter_broadcast",
    "_get_pipeline_stages",
    "_get_stage_device_num",
    "_is_in_auto_parallel_mode",
    "_is_in_data_parallel_mode",
    "_is_in_hybrid_parallel_mode",
    "_is_parallel_mode",
    "_is_pynative_parallel",
    "_is_sharding_propagation",
    "_parameter_broadcast_check",
]


def _setting(name):
    return parallel_settings.read("get_auto_parallel_context", name)


def _get_parallel_mode():
    """The setting `parallel_mode`."""
    return _setting("parallel_mode")


def _is_in_auto_parallel_mode():
    """Returns whether the mode is one in which the framework would share out the work."""
    return _get_parallel_mode() in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _is_in_data_parallel_mode():
    """Returns whether each device has its own part of the data."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _is_in_hybrid_parallel_mode():
    """Returns whether the program shares out the work itself."""
    return _get_parallel_mode() == ParallelMode.HYBRID_PARALLEL


def _is_parallel_mode():
    """Returns whether there is any mode but 'stand_alone'."""
    return _get_parallel_mode() != ParallelMode.STAND_ALONE


def _is_pynative_parallel():
    """Returns whether the dynamic graph shares out work: it does not."""
    return False


def _is_sharding_propagation():
    """Returns whether the setting of the search says that strategies spread from operator to operator."""
    return _setting("search_mode") == "sharding_propagation"


def _get_full_batch():
    """The setting `full_batch`."""
    return _setting("full_batch")


def _get_pipeline_stages():
    """The setting `pipeline_stages`."""
    return _setting("pipeline_stages")


def _get_gradients_mean():
    """The setting `gradients_mean`."""
    return _setting("gradients_mean")


def _get_parameter_broadcast():
    """The setting `parameter_broadcast`."""
    return _setting("parameter_broadcast")


def _get_enable_parallel_optimizer():
    """The setting `enable_parallel_optimizer`."""
    return _setting("enable_parallel_optimizer")


def _get_device_num():
    """Number of devices: 1."""
    return len(ranks_of("_get_device_num", None))


def _get_stage_device_num():
    """Number of devices of a pipeline stage: 1."""
    return _get_device_num() // _get_pipeline_stages()


def _get_global_rank():
    """The number of this process: 0."""
    return ranks_of("_get_global_rank", None)[0]


def _device_number_check(parallel_mode, device_number):
    """ValueError if a program that runs alone has more than one device."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(
            f"_device_number_check: device_number is {device_number}; need 1 for {parallel_mode!r}"
        )


def _parameter_broadcast_check(parallel_mode, parameter_broadcast):
    """ValueError if a program that runs alone has its Parameters sent to other processes."""
    if parallel_mode == ParallelMode.STAND_ALONE and parameter_broadcast:
        raise ValueError(
            f"_parameter_broadcast_check: parameter_broadcast is True; need False for {parallel_mode!r}"
        )
