"""Runs train.py and validate.py of a checkout of mindcv, as they are, on images that it generates; in both modes.

Usage: mindcv_training.py CHECKOUT FOLDER; FOLDER takes the pictures and what is trained. The scripts are not in the
package on PyPI, so CHECKOUT is a clone of its repository at the tag v0.3.0.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

CLASSES = 5
MODEL = "mobilenet_v2_035_96"
MODES = {"dynamic": "1", "static": "0"}
SETTINGS = (
    "--dataset", "", "--model", MODEL, "--batch_size", "20", "--image_resize", "64", "--num_parallel_workers", "1",
)  # fmt: skip
TRAINING = (
    "--epoch_size", "1", "--warmup_epochs", "0", "--decay_epochs", "1", "--log_interval", "1", "--val_while_train",
    "True", "--dataset_sink_mode", "False", "--drop_remainder", "True",
)  # fmt: skip


def make_pictures(folder: Path):
    """Writes 200 small images of five classes, a directory for each: 160 for training and 40 for validation."""
    random = np.random.default_rng(0)
    for split, count in (("train", 160), ("val", 40)):
        for index in range(count):
            label = index % CLASSES
            picture = random.integers(0, 80, (48, 56, 3), dtype=np.uint8)
            picture[..., label % 3] += 60
            picture[: 24 if label > 2 else 0] += 60
            place = folder / split / f"class{label}"
            place.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture).save(place / f"{index}.jpg")


def run(checkout: Path, script: str, arguments: tuple) -> str:
    """The output of a script of the checkout, run on this package; a failure ends the program with its output."""
    # Imported before the checkout is on the path, so that the package is the one that is installed.
    code = f"import mindcv, runpy, sys; sys.path.insert(0, {str(checkout)!r}); "
    code += f"runpy.run_path({script!r}, run_name='__main__')"
    command = [sys.executable, "-m", "dyad", "-c", code, *arguments]
    ended = subprocess.run(command, cwd=checkout / "..", capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{script} {' '.join(arguments)}:\n{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}")
    return ended.stdout + ended.stderr


def main():
    checkout, folder = (Path(argument).resolve() for argument in sys.argv[1:3])
    make_pictures(folder / "pictures")
    for name, mode in MODES.items():
        given = ("--mode", mode, "--data_dir", str(folder / "pictures"), *SETTINGS)
        saved = folder / name
        output = run(checkout, str(checkout / "train.py"), (*given, *TRAINING, "--ckpt_save_dir", str(saved)))
        losses = re.findall(r"loss: ([\d.]+)", output)
        print(f"train.py, {name}: {len(losses)} steps, losses {' '.join(losses)}")
        best = str(saved / f"{MODEL}_best.ckpt")
        output = run(
            checkout,
            str(checkout / "validate.py"),
            (*given, "--num_classes", str(CLASSES), "--ckpt_path", best),
        )
        print(f"validate.py, {name}: {output.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
