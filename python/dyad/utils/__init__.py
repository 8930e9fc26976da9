"""Names that MindSpore programs import from `utils`."""

from dyad.utils.hardware_checks import (
    get_sdc_detect_result,
    sdc_detect_start,
    sdc_detect_stop,
    stress_detect,
)

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop", "stress_detect"]
