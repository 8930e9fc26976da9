"""Training with `Model`: metrics, validation, checkpoints and an early end, without writing a loop.

Points on two spirals are made here, so nothing is downloaded; a small network learns which spiral a point is on.
`Model.fit` trains it and evaluates it after every epoch; callbacks print the loss, show a progress bar on a terminal,
write checkpoints, and end training with the best weights when accuracy has stopped to rise. Then a fresh network takes
over the last checkpoint and answers alike.

    python examples/model_with_callbacks.py [--mode graph|pynative] [--epochs 60]
"""

import argparse
import tempfile

import numpy as np

import dyad
from dyad import Tensor, dataset, nn
from dyad.train import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    History,
    LossMonitor,
    Model,
    ModelCheckpoint,
    ProgressBar,
    TimeMonitor,
)

POINTS = 4000
BATCH = 50
EPOCHS = 60
LEAST_ACCURACY = 0.95
MODES = {"graph": dyad.GRAPH_MODE, "pynative": dyad.PYNATIVE_MODE}


def spirals(count, seed):
    """(points, which of two spirals each is on)."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    angle = 1.0 + 2.5 * np.pi * np.sqrt(random.random(count))
    direction = angle + np.pi * labels
    points = np.stack([angle * np.cos(direction), angle * np.sin(direction)], 1) / 5
    points += 0.04 * random.standard_normal(points.shape)
    return points.astype(np.float32), labels.astype(np.int32)


def batches(count, seed, shuffle):
    points, labels = spirals(count, seed)
    return dataset.NumpySlicesDataset({"point": points, "label": labels}, shuffle=shuffle).batch(BATCH)


def make_network():
    return nn.SequentialCell(
        nn.Dense(2, 64, activation="relu"), nn.Dense(64, 64, activation="relu"), nn.Dense(64, 2)
    )


class LearningCurve(Callback):
    """A callback of one's own: the accuracy after each epoch, as a bar."""

    def on_train_epoch_end(self, run_context):
        """Prints one bar."""
        run = run_context.original_args()
        accuracy = run.metrics["accuracy"]
        print(f"epoch {run.cur_epoch_num:2d}  {'#' * round(40 * accuracy):40s} {accuracy:6.1%}")


def train(folder, epochs, points=POINTS):
    """Trains a network; (the Model, its History, the callback that wrote the checkpoints)."""
    dyad.set_seed(7)
    dataset.config.set_seed(7)
    network = make_network()
    model = Model(
        network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.003), metrics={"accuracy"}
    )
    training = batches(points, 1, shuffle=True)
    history = History()
    saving = ModelCheckpoint(
        "spirals", folder, CheckpointConfig(training.get_dataset_size(), keep_checkpoint_max=3)
    )
    model.fit(
        epochs,
        training,
        batches(points // 4, 2, shuffle=False),
        callbacks=[
            LossMonitor(5 * training.get_dataset_size()),
            ProgressBar(),
            LearningCurve(),
            EarlyStopping("accuracy", patience=4, min_delta=1e-3, verbose=True, restore_best_weights=True),
            TimeMonitor(),
            history,
            saving,
        ],
    )
    return model, history, saving


def restored(path):
    """A fresh network with the weights of a checkpoint."""
    network = make_network()
    dyad.load_param_into_net(network, dyad.load_checkpoint(path))
    return network


def main():
    parser = argparse.ArgumentParser(description="train with Model and callbacks")
    parser.add_argument("--mode", choices=MODES, default="graph", help="static or dynamic graph")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="epochs at most")
    options = parser.parse_args()
    dyad.set_context(mode=MODES[options.mode])
    with tempfile.TemporaryDirectory() as folder:
        model, history, saving = train(folder, options.epochs)
        network = restored(saving.latest_ckpt_file_name)
    points, labels = spirals(1000, 3)
    answers = model.predict(Tensor(points)).asnumpy().argmax(1)
    agree = (network(Tensor(points)).asnumpy().argmax(1) == answers).mean()
    accuracy = (answers == labels).mean()
    print(f"{len(history.epoch['epoch'])} epochs, accuracy on new points {accuracy:.1%}")
    print(f"the last checkpoint answers alike on {agree:.1%} of them")
    if accuracy < LEAST_ACCURACY:
        raise SystemExit(f"accuracy is below {LEAST_ACCURACY:.0%}")


if __name__ == "__main__":
    main()
