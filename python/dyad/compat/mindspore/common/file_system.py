"""`dyad.common.file_system`: checkpoints are read from and written to the system's files, with no server between."""

from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect

__all__ = ["mindio_preload", "set_mindio_server_info"]


@host_only
def set_mindio_server_info(data_block_pool_capacity_in_gb=100):
    """Memory limit of a file server; there is none."""
    say_no_effect("mindspore.common.file_system.set_mindio_server_info", "set_mindio_server_info")


@host_only
def mindio_preload(ckpt_file_name):
    """True if a checkpoint was read ahead of its use. Always False, it is read when it is loaded."""
    return False
