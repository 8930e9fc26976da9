"""CocoDataset: all tasks."""

import numpy as np
import pytest
from image_files import picture, save_picture, source_rows, write_json

from dyad.dataset.image_datasets import CocoDataset

IMAGES = [
    {"id": 10 + i, "file_name": f"{name}.png", "height": 5, "width": 4} for i, name in enumerate("dbca")
]
CATEGORIES = [
    {"id": 3, "name": "cat", "supercategory": "animal", "isthing": 1},
    {"id": 1, "name": "sky", "supercategory": "sky", "isthing": 0},
]
FIRST = {
    "id": 1,
    "image_id": 12,
    "category_id": 3,
    "bbox": [1, 2, 3.5, 4],
    "iscrowd": 0,
    "segmentation": [[1, 2, 3, 4, 5, 6.5], [1, 1, 2, 2]],
}
CROWD = {
    "id": 2,
    "image_id": 10,
    "category_id": 1,
    "bbox": [0, 0, 1, 1],
    "iscrowd": 1,
    "segmentation": {"counts": [1, 2, 3], "size": [5, 4]},
}
SECOND = {"id": 3, "image_id": 12, "category_id": 1, "bbox": [2, 2, 1, 1], "segmentation": [[9, 9, 8, 8]]}


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate("dbca"):
        save_picture(tmp_path / "images" / f"{name}.png", seed)
    return tmp_path


def dataset(folder, annotations, task="Detection", contents=None, **options):
    document = {"images": IMAGES, "categories": CATEGORIES, "annotations": annotations, **(contents or {})}
    path = write_json(folder / "annotations.json", document)
    return CocoDataset(str(folder / "images"), path, task, shuffle=False, **options)


def test_coco_detection_has_boxes_and_categories(folder):
    made = dataset(folder, [FIRST, CROWD, SECOND])
    rows = source_rows(made)
    assert [[*row] for row in rows] == [["image", "bbox", "category_id", "iscrowd"]] * 2
    assert rows[0]["image"].tobytes() == (folder / "images" / "d.png").read_bytes()
    assert rows[1]["image"].tobytes() == (folder / "images" / "c.png").read_bytes()
    np.testing.assert_array_equal(rows[0]["bbox"], np.float32([[0, 0, 1, 1]]))
    np.testing.assert_array_equal(rows[1]["bbox"], np.float32([[1, 2, 3.5, 4], [2, 2, 1, 1]]))
    assert [row["category_id"].tolist() for row in rows] == [[[1]], [[3], [1]]]
    assert [row["iscrowd"].tolist() for row in rows] == [[[1]], [[0], [0]]]
    assert [rows[0][name].dtype for name in ("bbox", "category_id", "iscrowd")] == [
        np.float32,
        np.uint32,
        np.uint32,
    ]
    assert made.get_class_indexing() == {"cat": [3], "sky": [1]}


def test_decode_and_names_of_files(folder):
    rows = source_rows(dataset(folder, [FIRST, CROWD], decode=True, extra_metadata=True))
    np.testing.assert_array_equal(rows[0]["image"], picture(0))
    assert [str(row["_meta-filename"]) for row in rows] == ["d.png", "c.png"]


def test_coco_stuff_has_padded_polygons(folder):
    rows = source_rows(dataset(folder, [FIRST, CROWD, SECOND], "Stuff"))
    assert [*rows[0]] == ["image", "segmentation", "iscrowd"]
    np.testing.assert_array_equal(rows[0]["segmentation"], np.float32([[1, 2, 3]]))
    expected = [[1, 2, 3, 4, 5, 6.5], [1, 1, 2, 2, -1, -1], [9, 9, 8, 8, -1, -1]]
    np.testing.assert_array_equal(rows[1]["segmentation"], np.float32(expected))
    assert rows[1]["iscrowd"].tolist() == [[0], [0]]


def test_coco_keypoints_are_padded(folder):
    annotations = [
        {"image_id": 11, "category_id": 3, "keypoints": [1, 2, 2], "num_keypoints": 1},
        {"image_id": 11, "category_id": 3, "keypoints": [1, 2, 2, 3, 4, 1], "num_keypoints": 2},
    ]
    (row,) = source_rows(dataset(folder, annotations, "Keypoint"))
    assert [*row] == ["image", "keypoints", "num_keypoints"]
    np.testing.assert_array_equal(row["keypoints"], np.float32([[1, 2, 2, -1, -1, -1], [1, 2, 2, 3, 4, 1]]))
    assert row["num_keypoints"].tolist() == [[1], [2]] and row["num_keypoints"].dtype == np.uint32


def segment(**changes):
    return {"id": 7, "category_id": 3, "bbox": [1, 2, 3, 4], "area": 5, "iscrowd": 0, **changes}


def test_coco_panoptic_has_segments(folder):
    save_picture(folder / "images" / "c.jpg", 5)
    segments = [segment(), segment(category_id=1, area=70000, iscrowd=1)]
    made = dataset(folder, [{"image_id": 12, "file_name": "c.png", "segments_info": segments}], "Panoptic")
    (row,) = source_rows(made)
    assert [*row] == ["image", "bbox", "category_id", "iscrowd", "area"]
    assert row["image"].tobytes() == (folder / "images" / "c.jpg").read_bytes()
    np.testing.assert_array_equal(row["bbox"], np.float32([[1, 2, 3, 4]] * 2))
    columns = [row[name].tolist() for name in ("category_id", "iscrowd", "area")]
    assert columns == [[[3], [1]], [[0], [1]], [[5], [70000]]]
    assert made.get_class_indexing() == {"cat": [3, 1], "sky": [1, 0]}


def test_coco_captioning_has_the_captions_of_each_image(folder):
    annotations = [{"image_id": i, "caption": text} for i, text in [(13, "f"), (11, "a b"), (11, "c d é")]]
    rows = source_rows(dataset(folder, annotations, "Captioning", {"categories": None}))
    assert [row["captions"].tolist() for row in rows] == [[["a b"], ["c d é"]], [["f"]]]


@pytest.mark.parametrize("task", ["Stuff", "Keypoint", "Captioning"])
def test_numbers_of_classes_of_other_tasks(folder, task):
    with pytest.raises(RuntimeError, match=f"CocoDataset: task is '{task}'; only Detection and Panoptic"):
        dataset(folder, [FIRST], task).get_class_indexing()


def without(name):
    return {key: value for key, value in FIRST.items() if key != name}


@pytest.mark.parametrize(
    "task,annotations,contents,message",
    [
        ("Detection", [], {}, "no data was found"),
        ("Detection", [without("bbox")], {}, "has no 'bbox'"),
        ("Detection", [without("image_id")], {}, "has no 'image_id'"),
        ("Detection", [without("category_id")], {}, "has no 'category_id'"),
        ("Detection", [{**FIRST, "bbox": [1, 2, 3]}], {}, "has a bbox of 3 numbers; need 4"),
        ("Detection", [{**FIRST, "bbox": [1, 2, 3, "x"]}], {}, "in 'bbox'; need numbers"),
        ("Detection", [{**FIRST, "category_id": 99}], {}, "the category_id 99, which is not in 'categories'"),
        ("Detection", [{**FIRST, "image_id": 99}], {}, "of image 99, which is not in 'images'"),
        ("Detection", [{**FIRST, "iscrowd": -1}], {}, "has -1 for 'iscrowd'; need a number from 0"),
        ("Detection", [3], {}, "has '3' in 'annotations'; need objects"),
        ("Detection", {}, {}, "has '{}' for 'annotations'; need list"),
        ("Detection", [FIRST], {"images": [{"id": 12}]}, "has no 'file_name'"),
        ("Detection", [FIRST], {"images": None}, "has 'None' for 'images'; need list"),
        ("Stuff", [{**FIRST, "segmentation": [3]}], {}, "in 'segmentation'; need lists of numbers"),
        ("Stuff", [{**FIRST, "segmentation": {"counts": "abc"}}], {}, "has 'abc' for 'counts'; need list"),
        ("Stuff", [without("segmentation")], {}, "has no 'segmentation'"),
        ("Keypoint", [FIRST], {}, "has no 'keypoints'"),
        ("Panoptic", [FIRST], {}, "has no 'file_name'"),
        ("Panoptic", [{"image_id": 12, "file_name": "c.png", "segments_info": [3]}], {}, "need objects"),
        ("Captioning", [FIRST], {}, "has no 'caption'"),
    ],
)
def test_damaged_annotations(folder, task, annotations, contents, message):
    with pytest.raises(RuntimeError, match=r"CocoDataset: .*annotations\.json") as raised:
        dataset(folder, annotations, task, contents).open_source()
    assert message in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"images": [', "\x00", "[" * 100000])
def test_a_file_that_is_not_annotations_is_rejected(folder, text):
    made = dataset(folder, [FIRST])
    (folder / "annotations.json").write_text(text)
    with pytest.raises(
        RuntimeError, match=r"CocoDataset: the annotation file .*annotations\.json' (cannot be|holds list)"
    ):
        made.open_source()


def test_wrong_arguments(folder):
    with pytest.raises(ValueError, match="CocoDataset: task is 'Counting'; need one of Detection, Stuff"):
        dataset(folder, [FIRST], "Counting")
    with pytest.raises(ValueError, match=r"CocoDataset: annotation_file is .*; the file does not exist"):
        CocoDataset(str(folder), str(folder / "none.json"))


def test_a_missing_image(folder):
    (folder / "images" / "c.png").unlink()
    source = dataset(folder, [FIRST]).open_source()
    with pytest.raises(RuntimeError, match=r"CocoDataset: the file .*images/c\.png cannot be opened"):
        source[0]
