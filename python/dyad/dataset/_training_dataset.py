"""The dataset that the process trains on, for packages with a training loop of their own."""

_told: dict[str, object] = {}


def _set_training_dataset(dataset):
    """Sets the dataset that is trained on."""
    _told["dataset"] = dataset


def _get_training_dataset():
    """The dataset set last; None if there is none."""
    return _told.get("dataset")
