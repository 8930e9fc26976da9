"""The data that the process trains on, for packages with a training loop of their own, which tell and ask."""

_told: dict[str, object] = {}


def _set_training_dataset(dataset):
    """Tell which data are trained on from here on."""
    _told["dataset"] = dataset


def _get_training_dataset():
    """What was told last; None if nothing was."""
    return _told.get("dataset")
