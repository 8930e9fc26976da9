"""Names that MindSpore programs import from `utils`."""

from dyad._src.tensor.dlpack import from_dlpack, to_dlpack
from dyad.compat.mindspore.utils.hardware_checks import (
    get_sdc_detect_result,
    sdc_detect_start,
    sdc_detect_stop,
    stress_detect,
)

__all__ = [
    "from_dlpack",
    "get_sdc_detect_result",
    "sdc_detect_start",
    "sdc_detect_stop",
    "stress_detect",
    "to_dlpack",
]
