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
        if method == "bilinear_v2":
            first, last = int(low * size), int(high * size)
            length = max(last - first + 1, 1)
            inside = [min(max((i + 0.5) * length / count - 0.5, 0), length - 1) for i in range(count)]
            return [min(first + place, size - 1) for place in inside]
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
                    result[box, row, column] = picture[int(np.floor(y + 0.5)), int(np.floor(x + 0.5))]
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


def _feature_at(plane, y, x):
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    down, across = y - top, x - left
    upper = plane[top, left] * (1 - across) + plane[top, right] * across
    lower = plane[bottom, left] * (1 - across) + plane[bottom, right] * across
    return upper * (1 - down) + lower * down


def roi_align(features, rois, pooled_height, pooled_width, spatial_scale, sample_num, roi_end_mode):
    result = np.zeros((len(rois), features.shape[1], pooled_height, pooled_width), features.dtype)
    for box, row in enumerate(rois):
        picture = features[int(row[0])] if len(row) == 5 else features[0]
        left, top, right, bottom = row[-4:].astype("float64")
        left, top = left * spatial_scale, top * spatial_scale
        width = (right + roi_end_mode) * spatial_scale - left
        height = (bottom + roi_end_mode) * spatial_scale - top
        if roi_end_mode == 0:
            width, height = max(width, 1.0), max(height, 1.0)
        down, across = (
            sample_num if sample_num > 0 else max(int(np.floor(extent / bins)), 1)
            for extent, bins in ((height, pooled_height), (width, pooled_width))
        )
        for c, i, j in np.ndindex(*result.shape[1:]):
            ys = top + height * (i + (np.arange(down) + 0.5) / down) / pooled_height
            xs = left + width * (j + (np.arange(across) + 0.5) / across) / pooled_width
            result[box, c, i, j] = np.mean([_feature_at(picture[c], y, x) for y in ys for x in xs])
    return result


def ps_roi_pooling(features, rois, spatial_scale, group_size, output_dim):
    boxes = rois.transpose(0, 2, 1).reshape(-1, 5)
    result = np.zeros((len(boxes), output_dim, group_size, group_size), features.dtype)
    size = np.array(features.shape[2:])
    for (box, k, i, j), _ in np.ndenumerate(result):
        left, top, right, bottom = np.floor(
            boxes[box, 1:].astype("float32") * np.float32(spatial_scale) + 0.5
        )
        start = np.array([top, left])
        step = np.maximum(np.array([bottom, right]) - start, 0.1) / group_size
        place = np.array([i, j])
        (y0, x0), (y1, x1) = (
            np.clip(edge + start, 0, size).astype(int)
            for edge in (np.floor(place * step), np.ceil((place + 1) * step))
        )
        bin_ = features[int(boxes[box, 0]), (k * group_size + i) * group_size + j, y0:y1, x0:x1]
        result[box, k, i, j] = bin_.mean() if bin_.size else 0
    return result


def adjust_saturation(image, scale):
    hsv = rgb_to_hsv(image)
    hsv[..., 1] = np.clip(hsv[..., 1] * scale, 0, 1)
    return hsv_to_rgb(hsv)


def adjust_hue(image, delta):
    hsv = rgb_to_hsv(image)
    hsv[..., 0] = (hsv[..., 0] + delta) % 1
    return hsv_to_rgb(hsv)


def _overlaps(size, count, corners):
    step = (size - 1) / (count - 1) if corners and count > 1 else size / count
    weights = np.zeros((count, size))
    for i, j in np.ndindex(count, size):
        weights[i, j] = max(min((i + 1) * step, j + 1) - max(i * step, j), 0) / step
    return weights


def resize_area(images, size, corners):
    rows = _overlaps(images.shape[1], size[0], corners)
    columns = _overlaps(images.shape[2], size[1], corners)
    return np.einsum("ih,jw,nhwc->nijc", rows, columns, images).astype("float32")
