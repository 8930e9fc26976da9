"""Loss landscapes, which are not drawn here."""

__all__ = ["SummaryLandscape"]


class SummaryLandscape:
    """Cannot be made: drawing the loss around saved Parameters is not offered. Raises ValueError."""

    def __init__(self, summary_dir):
        raise ValueError(
            "SummaryLandscape: loss landscapes are not drawn here; need SummaryCollector, "
            "which records the loss, gradient norms and weights of every step for TensorBoard and `dyad watch`"
        )
