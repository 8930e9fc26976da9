"""NumPy statements of operators on pictures and boxes."""

import colorsys

import numpy as np


def rgb_to_hsv(images):
    return np.apply_along_axis(lambda pixel: np.array(colorsys.rgb_to_hsv(*pixel)), -1, images)


def hsv_to_rgb(images):
    return np.apply_along_axis(lambda pixel: np.array(colorsys.hsv_to_rgb(*pixel)), -1, images)


def _extent(boxes):
    left, top, right, bottom = boxes.T
    return (left + right) / 2, (top + bottom) / 2, right - left + 1, bottom - top + 1


def iou(anchor_boxes, gt_boxes, mode):
    result = np.zeros((len(gt_boxes), len(anchor_boxes)), anchor_boxes.dtype)
    for row, truth in enumerate(gt_boxes):
        for column, anchor in enumerate(anchor_boxes):
            width = min(truth[2], anchor[2]) - max(truth[0], anchor[0]) + 1
            height = min(truth[3], anchor[3]) - max(truth[1], anchor[1]) + 1
            shared = max(width, 0) * max(height, 0)
            own, other = ((b[2] - b[0] + 1) * (b[3] - b[1] + 1) for b in (truth, anchor))
            result[row, column] = shared / (own if mode == "iof" else own + other - shared)
    return result


def bounding_box_encode(anchor_box, groundtruth_box, means, stds):
    x, y, width, height = _extent(anchor_box)
    to_x, to_y, to_width, to_height = _extent(groundtruth_box)
    deltas = [(to_x - x) / width, (to_y - y) / height, np.log(to_width / width), np.log(to_height / height)]
    return ((np.stack(deltas, 1) - np.array(means)) / np.array(stds)).astype(anchor_box.dtype)


def bounding_box_decode(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip):
    x, y, width, height = _extent(anchor_box)
    dx, dy, dw, dh = (deltas * np.array(stds) + np.array(means)).T
    most = abs(np.log(wh_ratio_clip))
    x, y = x + width * dx, y + height * dy
    width, height = width * np.exp(np.clip(dw, -most, most)), height * np.exp(np.clip(dh, -most, most))
    edges = np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], 1)
    edges += np.array([0.5, 0.5, -0.5, -0.5])
    limits = np.array([max_shape[1], max_shape[0]] * 2) - 1
    return np.clip(edges, 0, limits).astype(anchor_box.dtype)


def check_valid(bboxes, img_metas):
    height, width = img_metas[:2] * img_metas[2]
    left, top, right, bottom = bboxes.T
    return (left >= 0) & (top >= 0) & (right <= width - 1) & (bottom <= height - 1)


def crop_and_resize(image, boxes, box_indices, crop_size, method, extrapolation_value):
    height, width = image.shape[1:3]
    result = np.full((len(boxes), *crop_size, image.shape[3]), extrapolation_value, np.float32)

    def places(low, high, count, size):
        if count == 1:
            return [(low + high) / 2 * (size - 1)]
        return [low * (size - 1) + i * (high - low) * (size - 1) / (count - 1) for i in range(count)]

    for box, (top, left, bottom, right) in enumerate(boxes):
        picture = image[box_indices[box]]
        for row, y in enumerate(places(top, bottom, crop_size[0], height)):
            for column, x in enumerate(places(left, right, crop_size[1], width)):
                if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
                    continue
                if method == "nearest":
                    result[box, row, column] = picture[round(float(y)), round(float(x))]
                    continue
                y0, x0 = int(np.floor(y)), int(np.floor(x))
                y1, x1 = min(y0 + 1, height - 1), min(x0 + 1, width - 1)
                upper = picture[y0, x0] + (x - x0) * (picture[y0, x1] - picture[y0, x0])
                lower = picture[y1, x0] + (x - x0) * (picture[y1, x1] - picture[y1, x0])
                result[box, row, column] = upper + (y - y0) * (lower - upper)
    return result


def suppress_overlaps(bboxes, iou_threshold):
    order = np.argsort(-bboxes[:, 4], kind="stable")
    boxes = bboxes[order]
    kept = np.ones(len(boxes), bool)
    for i, better in enumerate(boxes):
        for j in range(i + 1, len(boxes)) if kept[i] else ():
            low, high = np.maximum(better[:2], boxes[j, :2]), np.minimum(better[2:4], boxes[j, 2:4])
            shared = np.prod(np.clip(high - low, 0, None))
            together = sum(np.prod(box[2:4] - box[:2]) for box in (better, boxes[j])) - shared
            if together > 0 and shared / together > iou_threshold:
                kept[j] = False
    return order, kept


def nms_with_mask(bboxes, iou_threshold):
    order, kept = suppress_overlaps(bboxes, iou_threshold)
    return bboxes[order], np.arange(len(order), dtype=np.int32), kept
