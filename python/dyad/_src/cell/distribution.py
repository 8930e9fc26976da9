"""Settings of a Cell for several devices; one process holds it as a whole."""

from collections.abc import Callable

from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.host_only import host_only
from dyad._src.context.sharding import require_whole


class CellDistribution:
    """Strategies, stages and messages of a Cell in programs for many devices."""

    trainable_params: Callable

    @property
    def pipeline_stage(self):
        """The stage of a pipeline that the Cell belongs to; -1 until it is set. All stages run in this process."""
        return self.__dict__.get("_pipeline_stage", -1)

    @pipeline_stage.setter
    def pipeline_stage(self, value):
        self.__dict__["_pipeline_stage"] = require_int("Cell.pipeline_stage", "value", value, low=0)

    @host_only
    def shard(self, in_strategy, out_strategy=None, parameter_plan=None, device="Ascend", level=0):
        """Returns the Cell itself for strategies that split nothing; others raise ValueError, as there is one
        process.
        """
        require_whole(
            "Cell.shard", in_strategy=in_strategy, out_strategy=out_strategy, parameter_plan=parameter_plan
        )
        return self

    @host_only
    def set_comm_fusion(self, fusion_type, recurse=True):
        """Note with the trainable Parameters which of their gradients are sent together; returns the Cell."""
        require_int("Cell.set_comm_fusion", "fusion_type", fusion_type, low=0)
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    @property
    def parameter_layout_dict(self):
        """The split of each Parameter, by name, as far as a program set it; in one process there is none."""
        return self.__dict__.setdefault("_parameter_layouts", {})

    @parameter_layout_dict.setter
    def parameter_layout_dict(self, value):
        if not isinstance(value, dict):
            raise TypeError(
                f"parameter_layout_dict: value is of type {type(value).__name__}; need a dict from names to layouts"
            )
        self.__dict__["_parameter_layouts"] = value

    @host_only
    def set_broadcast_flag(self, mode=True):
        """Say whether Parameters are sent to all devices before the first step; one process has them."""
        require_bool("Cell.set_broadcast_flag", "mode", mode)
        return self
