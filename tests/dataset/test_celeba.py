"""CelebADataset: images with attributes and partitions."""

import numpy as np
import pytest
from image_files import picture, save_picture, source_rows, write_text

from dyad.dataset.image_datasets import CelebADataset

NAMES = ["000001.png", "000002.jpg", "000003.png", "000004.png"]


def line(name, row):
    return f"{name}  " + " ".join("1" if (row + i) % 3 == 0 else "-1" for i in range(40)) + "\n"


def attribute_text(names=NAMES, count=None):
    head = f"{len(names) if count is None else count}\n" + " ".join(f"Has_{i}" for i in range(40)) + " \n"
    return head + "".join(line(name, row) for row, name in enumerate(names))


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(NAMES):
        save_picture(tmp_path / name, seed)
    write_text(tmp_path / "list_attr_celeba.txt", attribute_text())
    partition = "".join(f"{name} {part}\n" for name, part in zip(NAMES, [0, 1, 2, 0], strict=True))
    write_text(tmp_path / "list_eval_partition.txt", partition)
    return tmp_path


def chosen(folder, **options):
    """The numbers of the images that a dataset has."""
    rows = source_rows(CelebADataset(str(folder), shuffle=False, **options))
    files = [(folder / name).read_bytes() for name in NAMES]
    return [files.index(row["image"].tobytes()) for row in rows]


def test_images_and_attributes(folder):
    rows = source_rows(CelebADataset(str(folder), shuffle=False))
    assert [*rows[0]] == ["image", "attr"]
    for number, row in enumerate(rows):
        assert row["attr"].dtype == np.uint32
        np.testing.assert_array_equal(row["attr"], [(number + i) % 3 == 0 for i in range(40)])
    assert chosen(folder) == [0, 1, 2, 3]


def test_usage_and_extensions(folder):
    assert chosen(folder, usage="train") == [0, 3]
    assert chosen(folder, usage="valid") == [1]
    assert chosen(folder, usage="test") == [2]
    assert chosen(folder, extensions=[".png"]) == [0, 2, 3]
    assert chosen(folder, extensions=[".png"], usage="train") == [0, 3]
    with pytest.raises(RuntimeError, match="CelebADataset: no data was found"):
        chosen(folder, extensions=[".bmp"])
    with pytest.raises(
        ValueError, match="CelebADataset: usage is 'val'; need one of all, train, valid, test"
    ):
        chosen(folder, usage="val")


def test_celeba_decodes_images(folder):
    rows = source_rows(CelebADataset(str(folder), decode=True, extensions=[".png"], shuffle=False))
    np.testing.assert_array_equal(rows[2]["image"], picture(3))


@pytest.mark.parametrize(
    "text,message",
    [
        ("", "does not begin with the number of images"),
        ("x\n" + attribute_text().split("\n", 1)[1], "does not begin with the number of images"),
        ("1\nA B\n", "does not begin with the number of images"),
        (attribute_text(count=9), "has 4 images; its first line says 9"),
        (
            attribute_text(NAMES[:2], 3) + "000003.png 1 1\n",
            "line 5 of .* is '000003.png 1 1'; need a file name and 40",
        ),
        (attribute_text(NAMES[:2]).replace("-1", "7", 1), "line 3 of .* need a file name and 40"),
    ],
)
def test_damaged_attributes(folder, text, message):
    write_text(folder / "list_attr_celeba.txt", text)
    with pytest.raises(
        RuntimeError, match=f"CelebADataset: .*list_attr_celeba.txt.*{message}|CelebADataset: {message}"
    ):
        CelebADataset(str(folder)).open_source()


def test_missing_files(folder):
    (folder / NAMES[1]).unlink()
    source = CelebADataset(str(folder), shuffle=False).open_source()
    with pytest.raises(RuntimeError, match=rf"CelebADataset: the file .*{NAMES[1]} cannot be opened"):
        source[1]
    (folder / "list_eval_partition.txt").unlink()
    with pytest.raises(
        RuntimeError, match=r"CelebADataset: the file .*list_eval_partition\.txt' cannot be read"
    ):
        CelebADataset(str(folder), usage="train").open_source()
