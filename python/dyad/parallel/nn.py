"""Cells that run a batch in parts, under the names of the package for many devices."""

from dyad.nn import GradAccumulation, MicroBatchInterleaved, PipelineCell, PipelineGradReducer

Pipeline = PipelineCell

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["GradAccumulation", "MicroBatchInterleaved", "Pipeline", "PipelineCell", "PipelineGradReducer"]
