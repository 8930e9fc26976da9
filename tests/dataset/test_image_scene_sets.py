"""Cityscapes, DIV2K and KITTI."""

import numpy as np
import pytest
from image_files import save_picture, source_rows, write_text

from dyad.dataset.image_datasets import CityscapesDataset, DIV2KDataset, KITTIDataset


@pytest.fixture
def cityscapes(tmp_path):
    for seed, city in enumerate(["bochum", "aachen"]):
        name = f"{city}_000000_000019"
        save_picture(tmp_path / "leftImg8bit" / "train" / city / f"{name}_leftImg8bit.png", seed)
        for kind, kind_seed in (("color", 2), ("instanceIds", 4), ("labelIds", 6)):
            save_picture(tmp_path / "gtFine" / "train" / city / f"{name}_gtFine_{kind}.png", seed + kind_seed)
        write_text(
            tmp_path / "gtFine" / "train" / city / f"{name}_gtFine_polygons.json", f'{{"city": "{city}"}}'
        )
    return tmp_path


@pytest.mark.parametrize(
    "task,kind", [("instance", "instanceIds"), ("semantic", "labelIds"), ("color", "color")]
)
def test_cityscapes_has_the_segments_of_each_image(cityscapes, task, kind):
    rows = source_rows(CityscapesDataset(str(cityscapes), task=task, shuffle=False))
    for row, city in zip(rows, ["aachen", "bochum"], strict=True):
        left = cityscapes / "leftImg8bit" / "train" / city / f"{city}_000000_000019_leftImg8bit.png"
        target = cityscapes / "gtFine" / "train" / city / f"{city}_000000_000019_gtFine_{kind}.png"
        assert row["image"].tobytes() == left.read_bytes() and row["task"].tobytes() == target.read_bytes()


def test_cityscapes_polygons(cityscapes):
    rows = source_rows(CityscapesDataset(str(cityscapes), task="polygon", decode=True, shuffle=False))
    assert [str(row["task"]) for row in rows] == ['{"city": "aachen"}', '{"city": "bochum"}']
    assert rows[0]["image"].shape == (5, 4, 3)


def test_wrong_cityscapes(cityscapes):
    with pytest.raises(ValueError, match="usage is 'train_extra'; need one of train, test, val, all"):
        CityscapesDataset(str(cityscapes), "train_extra")
    with pytest.raises(ValueError, match="usage is 'test'; need one of train, train_extra, val, all"):
        CityscapesDataset(str(cityscapes), "test", "coarse")
    with pytest.raises(
        RuntimeError, match=r"CityscapesDataset: the folder .*leftImg8bit/val' cannot be listed"
    ):
        CityscapesDataset(str(cityscapes), "val").open_source()
    save_picture(cityscapes / "leftImg8bit" / "train" / "aachen" / "other.png")
    with pytest.raises(RuntimeError, match=r"'other.png' in 'aachen' does not end with '_leftImg8bit.png'"):
        CityscapesDataset(str(cityscapes)).open_source()


@pytest.fixture
def div2k(tmp_path):
    for usage in ("train", "valid"):
        for number in ("0001", "0002"):
            save_picture(tmp_path / f"DIV2K_{usage}_HR" / f"{number}.png", int(number))
            save_picture(tmp_path / f"DIV2K_{usage}_LR_bicubic" / "X2" / f"{number}x2.png", int(number) + 2)
            save_picture(tmp_path / f"DIV2K_{usage}_LR_wild" / f"{number}x4w.png", int(number) + 4)
            save_picture(tmp_path / f"DIV2K_{usage}_LR_x8" / f"{number}x8.png", int(number) + 6)
    return tmp_path


@pytest.mark.parametrize(
    "downgrade,scale,low",
    [
        ("bicubic", 2, "LR_bicubic/X2/0002x2.png"),
        ("wild", 4, "LR_wild/0002x4w.png"),
        ("bicubic", 8, "LR_x8/0002x8.png"),
    ],
)
def test_div2k_has_images_in_two_sizes(div2k, downgrade, scale, low):
    rows = source_rows(DIV2KDataset(str(div2k), "train", downgrade, scale, shuffle=False))
    assert [*rows[0]] == ["hr_image", "lr_image"]
    assert rows[1]["hr_image"].tobytes() == (div2k / "DIV2K_train_HR" / "0002.png").read_bytes()
    assert rows[1]["lr_image"].tobytes() == (div2k / f"DIV2K_train_{low}").read_bytes()
    assert len(source_rows(DIV2KDataset(str(div2k), "all", downgrade, scale))) == 4


@pytest.mark.parametrize("downgrade,scale", [("bicubic", 5), ("unknown", 8), ("mild", 2)])
def test_wrong_div2k(div2k, downgrade, scale):
    with pytest.raises(
        ValueError, match=rf"DIV2KDataset: scale is {scale}; need one of .* for the downgrade {downgrade}"
    ):
        DIV2KDataset(str(div2k), "train", downgrade, scale)


LABELS = """Truck 0.00 0 -1.57 599.41 156.40 629.75 189.25 2.85 2.63 12.34 0.47 1.49 69.44 -1.56
DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10
"""


@pytest.fixture
def kitti(tmp_path):
    for number in range(2):
        for usage in ("training", "testing"):
            save_picture(tmp_path / "data_object_image_2" / usage / "image_2" / f"00000{number}.png", number)
    folder = tmp_path / "data_object_label_2" / "training" / "label_2"
    write_text(folder / "000000.txt", LABELS)
    write_text(folder / "000001.txt", LABELS.split("\n")[0].replace("Truck", "Car") + "\n")
    return tmp_path


def test_kitti_has_a_row_per_object(kitti):
    rows = source_rows(KITTIDataset(str(kitti), shuffle=False))
    numbers = np.array([line.split()[1:] for line in LABELS.splitlines()], np.float32)
    columns = {
        "truncated": (0, 1),
        "alpha": (2, 3),
        "bbox": (3, 7),
        "dimensions": (7, 10),
        "location": (10, 13),
    }
    for name, (begin, end) in {**columns, "rotation_y": (13, 14)}.items():
        np.testing.assert_array_equal(rows[0][name], numbers[:, begin:end])
        assert rows[0][name].dtype == np.float32
    assert rows[0]["occluded"].tolist() == [[0], [(1 << 32) - 1]]
    assert [row["label"].tolist() for row in rows] == [[[2], [1]], [[0]]]
    assert rows[0]["label"].dtype == rows[0]["occluded"].dtype == np.uint32


def test_kitti_test_images(kitti):
    rows = source_rows(KITTIDataset(str(kitti), "test", shuffle=False))
    assert [[*row] for row in rows] == [["image"]] * 2


@pytest.mark.parametrize(
    "line", ["Car 1 2 3", LABELS.split("\n")[0].replace("0.47", "x"), LABELS.split("\n")[0] + " 1"]
)
def test_damaged_kitti(kitti, line):
    write_text(kitti / "data_object_label_2" / "training" / "label_2" / "000001.txt", line + "\n")
    with pytest.raises(
        RuntimeError, match=r"KITTIDataset: .*000001.txt' has the line .*; need the name of a class"
    ):
        KITTIDataset(str(kitti)).open_source()
