"""LFW and WIDER FACE."""

import numpy as np
import pytest
from image_files import save_picture, source_rows, write_text

from dyad.dataset.image_datasets import LFWDataset, WIDERFaceDataset


@pytest.fixture
def lfw(tmp_path):
    for folder, base in (("lfw_funneled", 0), ("lfw", 10)):
        for seed, name in enumerate(["Al_A_0001", "Al_A_0002", "Bo_B_0001"]):
            save_picture(tmp_path / folder / name[:-5] / f"{name}.jpg", base + seed)
    write_text(tmp_path / "lfw-names.txt", "Al_A\t2\nBo_B\t1\n")
    write_text(tmp_path / "peopleDevTrain.txt", "1\nBo_B\t1\n")
    write_text(tmp_path / "peopleDevTest.txt", "1\nAl_A\t2\n")
    write_text(tmp_path / "people.txt", "2\n1\nAl_A\t1\n1\nBo_B\t1\n")
    write_text(tmp_path / "pairsDevTrain.txt", "1\nAl_A\t1\t2\nAl_A\t2\tBo_B\t1\n")
    write_text(tmp_path / "pairsDevTest.txt", "1\nAl_A\t2\t1\nBo_B\t1\tAl_A\t1\n")
    write_text(tmp_path / "pairs.txt", "2\t1\nAl_A\t1\t1\nBo_B\t1\tAl_A\t2\n")
    return tmp_path


def names(folder, rows, *columns):
    known = {path.read_bytes(): path.stem for path in folder.rglob("*.jpg")}
    return [tuple(known[row[column].tobytes()] for column in columns) + (int(row["label"]),) for row in rows]


def test_lfw_people(lfw):
    def people(*options):
        return names(lfw, source_rows(LFWDataset(str(lfw), "people", *options, shuffle=False)), "image")

    assert people("train") == [("Bo_B_0001", 1)]
    assert people("test") == [("Al_A_0001", 0), ("Al_A_0002", 0)]
    assert people("10fold") == [("Al_A_0001", 0), ("Bo_B_0001", 1)]
    assert people() == people("all") == people("train") + people("test")
    assert people("train", "original") == [("Bo_B_0001", 1)]


def test_lfw_pairs(lfw):
    def pairs(*options):
        return names(
            lfw, source_rows(LFWDataset(str(lfw), "pairs", *options, shuffle=False)), "image1", "image2"
        )

    assert pairs("train") == [("Al_A_0001", "Al_A_0002", 1), ("Al_A_0002", "Bo_B_0001", 0)]
    assert pairs("10fold") == [("Al_A_0001", "Al_A_0001", 1), ("Bo_B_0001", "Al_A_0002", 0)]
    assert pairs() == pairs("train") + pairs("test")


@pytest.mark.parametrize(
    "task,text,message",
    [
        ("people", "1\nZed_Z\t1\n", r"has the line 'Zed_Z\\t1'; need a name of lfw-names.txt"),
        ("people", "1\nAl_A\tmany\n", "need a name of lfw-names.txt"),
        ("people", "1\nAl_A\t999999999999\n", "need a name of lfw-names.txt"),
        ("pairs", "1\nAl_A\t1\tx\n", "has 'x' for the number of an image"),
        ("pairs", "1\na\tb\tc\td\te\n", "need a pair of images"),
        ("people", "1\n", "no data was found"),
    ],
)
def test_damaged_lfw(lfw, task, text, message):
    write_text(lfw / f"{task}DevTrain.txt", text)
    with pytest.raises(RuntimeError, match=f"LFWDataset: .*{message}"):
        LFWDataset(str(lfw), task, "train").open_source()


@pytest.fixture
def wider(tmp_path):
    for part in ("train", "val", "test"):
        for seed, name in enumerate("ab"):
            save_picture(tmp_path / f"WIDER_{part}" / "images" / "0--Parade" / f"{name}.jpg", seed)
    text = "0--Parade/a.jpg\n2\n1 2 3 4 0 1 0 1 0 0 \n5 6 7 8 2 0 1 0 1 1 \n0--Parade/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n"
    for part in ("train", "val"):
        write_text(tmp_path / "wider_face_split" / f"wider_face_{part}_bbx_gt.txt", text)
    write_text(
        tmp_path / "wider_face_split" / "wider_face_test_filelist.txt", "0--Parade/b.jpg\n0--Parade/a.jpg\n"
    )
    return tmp_path


def test_wider_face(wider):
    rows = source_rows(WIDERFaceDataset(str(wider), "train", shuffle=False))
    flags = ["blur", "expression", "illumination", "occlusion", "pose", "invalid"]
    assert [*rows[0]] == ["image", "bbox", *flags]
    assert rows[0]["bbox"].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]] and rows[0]["bbox"].dtype == np.int32
    assert [rows[0][flag].tolist() for flag in flags] == [[0, 2], [1, 0], [0, 1], [1, 0], [0, 1], [0, 1]]
    assert rows[1]["bbox"].tolist() == [[0, 0, 0, 0]] and rows[1]["blur"].tolist() == [0]
    assert len(source_rows(WIDERFaceDataset(str(wider)))) == 4
    assert len(source_rows(WIDERFaceDataset(str(wider), "valid"))) == 2


def test_wider_face_test_images(wider):
    rows = source_rows(WIDERFaceDataset(str(wider), "test", shuffle=False))
    folder = wider / "WIDER_test" / "images" / "0--Parade"
    assert [[*row] for row in rows] == [["image"]] * 2
    assert [row["image"].tobytes() for row in rows] == [
        (folder / f"{name}.jpg").read_bytes() for name in "ba"
    ]


@pytest.mark.parametrize(
    "text,message",
    [
        ("a.jpg\n", "has '' after 'a.jpg'; need a number of faces"),
        ("a.jpg\nb.jpg\n", "has 'b.jpg' after 'a.jpg'; need a number of faces"),
        ("a.jpg\n2\n1 2 3 4 0 1 0 1 0 0\n", "has the line '' for 'a.jpg'; need ten numbers"),
        ("a.jpg\n1\n1 2 3 4\n", "need ten numbers"),
        ("a.jpg\n1\n1 2 3 4 0 1 0 1 0 99999999999\n", "need ten numbers"),
        ("", "no data was found"),
    ],
)
def test_damaged_wider_face(wider, text, message):
    write_text(wider / "wider_face_split" / "wider_face_train_bbx_gt.txt", text)
    with pytest.raises(RuntimeError, match=f"WIDERFaceDataset: .*{message}"):
        WIDERFaceDataset(str(wider), "train").open_source()
