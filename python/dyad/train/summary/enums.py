"""Names of plugins and of the phases of a run."""

import enum

__all__ = ["ModeEnum", "PluginEnum"]


class _Listed(enum.Enum):
    @classmethod
    def to_list(cls) -> list:
        """The values of all members."""
        return [member.value for member in cls]


class PluginEnum(_Listed):
    """Types of values: the argument `plugin` of `SummaryRecord.add_value`."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    LANDSCAPE = "landscape"


class ModeEnum(_Listed):
    """Phases of a run."""

    TRAIN = "train"
    EVAL = "eval"
