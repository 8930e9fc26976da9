"""Settings of programs for many devices, kept for one process."""

import pytest

import dyad
from dyad import ParallelMode, context, parallel
from dyad.parallel import _utils
from dyad.parallel._auto_parallel_context import auto_parallel_context


@pytest.fixture(autouse=True)
def defaults():
    dyad.reset_auto_parallel_context()
    parallel.reset_algo_parameters()
    yield
    dyad.reset_auto_parallel_context()
    parallel.reset_algo_parameters()


def test_parallel_settings_have_defaults_for_one_process():
    read = dyad.get_auto_parallel_context
    assert (read("device_num"), read("global_rank"), read("parallel_mode")) == (1, 0, "stand_alone")
    assert (read("gradients_mean"), read("pipeline_stages"), read("dataset_strategy")) == (
        False,
        1,
        "data_parallel",
    )


@pytest.mark.parametrize("mode", ParallelMode.MODE_LIST)
def test_settings_are_kept_until_reset(mode):
    dyad.set_auto_parallel_context(parallel_mode=mode, gradients_mean=True, device_num=1)
    assert context.get_auto_parallel_context("parallel_mode") == mode
    assert auto_parallel_context().get_parallel_mode() == mode
    assert auto_parallel_context().get_gradients_mean() and _utils._get_gradients_mean()
    assert auto_parallel_context().get_device_num_is_set()
    context.reset_auto_parallel_context()
    assert _utils._get_parallel_mode() == "stand_alone"
    assert not auto_parallel_context().get_device_num_is_set()


def test_the_indices_of_fused_gradients_are_kept():
    dyad.set_auto_parallel_context(all_reduce_fusion_config=[2, 5])
    assert dyad.get_auto_parallel_context("all_reduce_fusion_config") == [2, 5]
    dyad.reset_auto_parallel_context()
    assert dyad.get_auto_parallel_context("all_reduce_fusion_config") == []


def test_questions_about_the_mode():
    assert (_utils._get_device_num(), _utils._get_stage_device_num(), _utils._get_global_rank()) == (1, 1, 0)
    assert not _utils._is_parallel_mode()
    dyad.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)
    assert _utils._is_parallel_mode() and _utils._is_in_data_parallel_mode()
    auto_parallel_context().set_parallel_mode("semi_auto_parallel")
    assert _utils._is_in_auto_parallel_mode() and not _utils._is_in_hybrid_parallel_mode()


@pytest.mark.parametrize(
    "given, kind, message",
    [
        ({"device_num": 8}, ValueError, "device_num is 8; need 1, there is one process"),
        ({"device_num": 0}, ValueError, "device_num is 0"),
        ({"device_num": "8"}, TypeError, "device_num is '8'"),
        ({"global_rank": 3}, ValueError, "global_rank is 3; need 0"),
        ({"pipeline_stages": 2}, ValueError, "pipeline_stages is 2; need 1"),
        ({"parallel_mode": "both"}, ValueError, "parallel_mode is 'both'; need one of stand_alone"),
        ({"gradients_mean": 1}, TypeError, "gradients_mean is 1"),
        ({"gradient_mean": True}, ValueError, "unknown key 'gradient_mean'; nearest is 'gradients_mean'"),
    ],
)
def test_wrong_settings_are_refused(given, kind, message):
    with pytest.raises(kind, match=f"set_auto_parallel_context: {message}"):
        dyad.set_auto_parallel_context(full_batch=True, **given)
    assert not dyad.get_auto_parallel_context("full_batch")  # nothing is set unless all is right


def test_unknown_setting_is_refused():
    with pytest.raises(ValueError, match="get_auto_parallel_context: unknown key 'device'"):
        dyad.get_auto_parallel_context("device")


def test_there_are_no_parameter_servers():
    assert dyad.get_ps_context("enable_ps") is False
    dyad.set_ps_context(enable_ps=False)
    with pytest.raises(ValueError, match="set_ps_context: enable_ps is True; need False"):
        dyad.set_ps_context(enable_ps=True)
    with pytest.raises(ValueError, match="get_ps_context: unknown key 'port'"):
        dyad.get_ps_context("port")


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (
            {"port": 1},
            ValueError,
            "unknown key 'port'; known keys are client_password, config_file_path, enable_ps",
        ),
        ({"enable_ssl": 1}, TypeError, "enable_ssl is of type int; need a value of type bool"),
        ({"scheduler_manage_port": True}, TypeError, "scheduler_manage_port is of type bool"),
        ({"client_password": 5}, TypeError, "client_password is of type int; need a value of type str"),
    ],
)
def test_wrong_settings_of_parameter_servers(given, kind, message):
    with pytest.raises(kind, match=f"set_ps_context: {message}"):
        dyad.set_ps_context(**given)


def test_settings_of_the_search():
    assert parallel.get_algo_parameters("tensor_slice_align_size") == 16
    parallel.set_algo_parameters(fully_use_devices=True, algo_approxi_epsilon=0.5)
    assert parallel.get_algo_parameters("fully_use_devices")
    assert parallel.get_algo_parameters("algo_approxi_epsilon") == 0.5
    with pytest.raises(ValueError, match="set_algo_parameters: unknown key 'size'"):
        parallel.set_algo_parameters(size=3)
    with pytest.raises(TypeError, match="fully_use_devices is 1"):
        parallel.set_algo_parameters(fully_use_devices=1)
