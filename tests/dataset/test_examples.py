"""The example of a data pipeline runs and tells what it did."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/data_pipeline.py"


def test_a_folder_of_images_becomes_batches():
    told = subprocess.run([sys.executable, EXAMPLE, "20"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("2 batches of ['image', 'label']")
    assert [line.split(",")[0] for line in told.splitlines()[1:3]] == [
        "epoch 0: 20 pictures",
        "epoch 1: 20 pictures",
    ]
    assert all(stage in told for stage in ("batched", "mapped", "sampled"))
