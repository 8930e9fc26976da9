"""Recovery of clusters from failing devices, which does not apply to one process."""

from dyad.train.callback._callback import Callback

_REASON = (
    "it recovers a cluster of Ascend devices through the package mindio_ttp, and this is one process; "
    "need BackupAndRestore, or ModelCheckpoint with exception_save"
)


class TrainFaultTolerance(Callback):
    """Raises ValueError when constructed: it recovers clusters of Ascend devices."""

    def __init__(self, ckpt_save_path=None, **kwargs):
        raise ValueError(f"TrainFaultTolerance: {_REASON}")


class MindIOTTPAdapter(Callback):
    """Raises ValueError when constructed: it recovers clusters of Ascend devices."""

    def __init__(self, controller_ip, controller_port, ckpt_save_path):
        raise ValueError(f"MindIOTTPAdapter: {_REASON}")
