"""VOCDataset: segmentation and detection."""

import numpy as np
import pytest
from image_files import picture, save_picture, source_rows, write_text

from dyad.dataset.image_datasets import VOCDataset


def box_xml(corners):
    tags = zip(("xmin", "ymin", "xmax", "ymax"), corners, strict=True)
    return "<bndbox>" + "".join(f"<{tag}>{value}</{tag}>" for tag, value in tags) + "</bndbox>"


def object_xml(name, corners, flags=""):
    return f"<object><name>{name}</name><pose>Left</pose>{flags}{box_xml(corners)}</object>"


def write_annotation(folder, name, objects):
    write_text(
        folder / "Annotations" / f"{name}.xml", f"<annotation><folder>x</folder>{objects}</annotation>"
    )


@pytest.fixture
def folder(tmp_path):
    for i in range(3):
        save_picture(tmp_path / "JPEGImages" / f"im_{i}.jpg", i)
        save_picture(tmp_path / "SegmentationClass" / f"im_{i}.png", i + 10)
    flags = "<truncated>1</truncated><difficult>1</difficult>"
    part = f"<part><name>head</name>{box_xml((9, 9, 10, 10))}</part>"
    write_annotation(
        tmp_path, "im_0", object_xml("cat", (1, 2, 4, 7), flags) + object_xml("dog", (1.5, 2.75, 3, 4))
    )
    write_annotation(tmp_path, "im_1", object_xml("cat", (1, 1, 2, 2)))
    write_annotation(
        tmp_path, "im_2", object_xml("ant", (1, 1, 2, 2)).replace("</object>", part + "</object>")
    )
    write_text(tmp_path / "ImageSets" / "Segmentation" / "train.txt", "im_0\nim_2\n")
    write_text(tmp_path / "ImageSets" / "Main" / "train.txt", "im_0\nim_1\nim_2\n")
    write_text(tmp_path / "ImageSets" / "Main" / "cat_val.txt", "im_1  1\nim_0 -1\n")
    return tmp_path


def test_voc_segmentation_has_images_and_targets(folder):
    rows = source_rows(VOCDataset(str(folder), shuffle=False))
    assert [[*row] for row in rows] == [["image", "target"]] * 2
    assert rows[1]["image"].tobytes() == (folder / "JPEGImages" / "im_2.jpg").read_bytes()
    assert rows[1]["target"].tobytes() == (folder / "SegmentationClass" / "im_2.png").read_bytes()


def test_segmentation_decoded(folder):
    rows = source_rows(VOCDataset(str(folder), decode=True, shuffle=False))
    assert rows[0]["image"].shape == (5, 4, 3)
    np.testing.assert_array_equal(rows[0]["target"], picture(10))


def test_voc_detection_has_boxes_and_labels(folder):
    dataset = VOCDataset(str(folder), "Detection", shuffle=False)
    rows = source_rows(dataset)
    assert [*rows[0]] == ["image", "bbox", "label", "difficult", "truncate"]
    np.testing.assert_array_equal(rows[0]["bbox"], np.float32([[1, 2, 3, 5], [1.5, 2.75, 1.5, 1.25]]))
    assert rows[0]["bbox"].dtype == np.float32
    assert [row["label"].tolist() for row in rows] == [[[1], [2]], [[1]], [[0]]]
    assert [row["difficult"].tolist() for row in rows] == [[[1], [0]], [[0]], [[0]]]
    assert [row["truncate"].tolist() for row in rows] == [[[1], [0]], [[0]], [[0]]]
    assert {rows[0][name].dtype for name in ("label", "difficult", "truncate")} == {np.dtype(np.uint32)}
    assert dataset.get_class_indexing() == {"ant": 0, "cat": 1, "dog": 2}


def test_the_list_that_usage_names(folder):
    dataset = VOCDataset(str(folder), "Detection", "cat_val", shuffle=False)
    assert [row["label"].tolist() for row in source_rows(dataset)] == [[[0]], [[0], [1]]]
    assert dataset.get_class_indexing() == {"cat": 0, "dog": 1}


def test_class_indexing_leaves_out_other_classes(folder):
    dataset = VOCDataset(str(folder), "Detection", class_indexing={"dog": 5, "ant": 9}, shuffle=False)
    rows = source_rows(dataset)
    assert [row["label"].tolist() for row in rows] == [[[5]], [[9]]]
    np.testing.assert_array_equal(rows[0]["bbox"], np.float32([[1.5, 2.75, 1.5, 1.25]]))
    assert dataset.get_class_indexing() == {"dog": 5, "ant": 9}


def test_names_of_files(folder):
    for task, names in (("Segmentation", ["im_0", "im_2"]), ("Detection", ["im_0", "im_1", "im_2"])):
        rows = source_rows(VOCDataset(str(folder), task, extra_metadata=True, shuffle=False))
        assert [str(row["_meta-filename"]) for row in rows] == names


@pytest.mark.parametrize(
    "options,message",
    [
        ({"task": "Counting"}, "task is 'Counting'; need one of Segmentation, Detection"),
        ({"usage": "missing"}, r"is .*Segmentation/missing\.txt'; the file does not exist"),
        ({"class_indexing": {"a": 1}}, "class_indexing is {'a': 1}; need None for the task Segmentation"),
    ],
)
def test_wrong_arguments(folder, options, message):
    with pytest.raises(ValueError, match=f"VOCDataset: .*{message}"):
        VOCDataset(str(folder), **options)


def test_numbers_of_classes_are_for_detection(folder):
    with pytest.raises(RuntimeError, match="VOCDataset: task is 'Segmentation'; only Detection has"):
        VOCDataset(str(folder)).get_class_indexing()


@pytest.mark.parametrize(
    "objects,message",
    [
        ("", "has no object"),
        (f"<object>{box_xml((1, 1, 2, 2))}</object>", "has no name"),
        ("<object><name>cat</name></object>", "has no bndbox of four numbers"),
        (object_xml("cat", (1, 1, "b", 2)), "has no bndbox of four numbers"),
        (object_xml("cat", (0, 1, 2, 2)), r"a bndbox in .* is \(0.0, 1.0, 2.0, 2.0\); need 0 < xmin < xmax"),
        (object_xml("cat", (1, 3, 2, 2)), "need 0 < xmin < xmax"),
        (object_xml("cat", (1, "nan", 2, 2)), "need 0 < xmin < xmax"),
        (object_xml("cat", (1, 1, 2, "inf")), "need 0 < xmin < xmax"),
        (object_xml("cat", (1, 1, 2, 2), "<difficult>no</difficult>"), "difficult is 'no'"),
        ("<object>", "cannot be read: mismatched tag"),
    ],
)
def test_damaged_annotations_are_named(folder, objects, message):
    write_annotation(folder, "im_1", objects)
    with pytest.raises(RuntimeError, match=r"VOCDataset: .*im_1.xml") as raised:
        VOCDataset(str(folder), "Detection").open_source()
    assert raised.match(message)


def test_missing_files(folder):
    (folder / "SegmentationClass" / "im_2.png").unlink()
    source = VOCDataset(str(folder), shuffle=False).open_source()
    with pytest.raises(
        RuntimeError, match=r"VOCDataset: the file .*SegmentationClass/im_2\.png cannot be opened"
    ):
        source[1]
    (folder / "Annotations" / "im_1.xml").unlink()
    with pytest.raises(RuntimeError, match=r"VOCDataset: the file .*Annotations/im_1\.xml' cannot be read"):
        VOCDataset(str(folder), "Detection").open_source()
    write_text(folder / "ImageSets" / "Segmentation" / "none.txt", "\n")
    with pytest.raises(RuntimeError, match=r"VOCDataset: no data was found in .*none"):
        VOCDataset(str(folder), usage="none").open_source()
