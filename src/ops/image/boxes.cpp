#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(clamp, concat, exp, expand_dims, greater_equal, less_equal, log, logical_and, maximum, minimum, mul,
         narrow, select_view, squeeze);

bool is_other(Dim size, int64_t wanted) { return size.known() && size.value() != wanted; }

void require_boxes(const Arguments& args, size_t at, std::string_view name) {
  const Shape& shape = args.in(at).shape;
  if (shape.size() != 2 || is_other(shape[1], 4)) {
    value_error(args.op(), ": ", name, " has shape ", shape, "; it must be (boxes, 4)");
  }
}

/// Checks for four numbers, one per edge: `what` is their name.
void require_four(const Arguments& args, size_t at, std::string_view what) {
  if (args.floats(at).size() != 4) {
    value_error(args.op(), ": ", what, " has ", args.floats(at).size(), " numbers; it must have 4");
  }
}

Value edge(const Value& boxes, int64_t which) { return select_view(boxes, 1, which); }
Value column(const Value& x) { return expand_dims(x, 1); }

/// Center and size of a box; the size counts both edge pixels.
struct Extent {
  Value x, y, width, height;
};
Extent extent_of(const Value& boxes) {
  const Value left = edge(boxes, 0), top = edge(boxes, 1), right = edge(boxes, 2), bottom = edge(boxes, 3);
  return {mul(left + right, 0.5), mul(top + bottom, 0.5), right - left + 1.0, bottom - top + 1.0};
}

}  // namespace

DYAD_OP("iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str='iou') -> Tensor")
    .doc(
        "Intersection over union (IoU), or over the foreground (IoF), of every two boxes. Boxes are (left, "
        "top, right, bottom) with inclusive edges, so that a width is right − left + 1.")
    .formula("out[i, j] = |gtᵢ ∩ anchorⱼ| / |gtᵢ ∪ anchorⱼ|", "mode='iou'")
    .formula("out[i, j] = |gtᵢ ∩ anchorⱼ| / |gtᵢ|", "mode='iof'")
    .arg("anchor_boxes", "floats of shape (n, 4).")
    .arg("gt_boxes", "floats of shape (m, 4).")
    .arg("mode", "'iou' or 'iof'.")
    .returns("Tensor of shape (m, n).")
    .see("ops.check_valid")
    .primitive("IOU(mode='iou')(anchor_boxes, gt_boxes)")
    .compose_wide([](const Call& call) -> Value {
      require_boxes(call, 0, "anchor_boxes");
      require_boxes(call, 1, "gt_boxes");
      const std::string& mode = call.text(2);
      if (mode != "iou" && mode != "iof")
        value_error(call.op(), ": mode is '", mode, "'; accepted are 'iou' and 'iof'");
      const Value& a = call.value(0);
      const Value& b = call.value(1);
      auto overlap = [&](int64_t low, int64_t high) {
        const Value end = minimum(edge(a, high), column(edge(b, high)));
        return maximum(end - maximum(edge(a, low), column(edge(b, low))) + 1.0, 0.0);
      };
      const Value shared = overlap(0, 2) * overlap(1, 3);
      const Extent first = extent_of(a), second = extent_of(b);
      const Value own = column(second.width * second.height);
      return shared / (mode == "iof" ? own : first.width * first.height + own - shared);
    })
    .numpy("ref.iou(anchor_boxes, gt_boxes, mode)")
    .samples(
        "call(V([[0, 0, 3, 4], [1, 1, 2, 2.5]], 'float32'), V([[0.2, -0.5, 3.5, 4.5], [0.5, 1.5, 5, 6]], "
        "'float32'))",
        "call(V([[0, 0, 3, 4], [9, 9, 12, 12]], 'float32'), V([[1, 1, 5, 5]], 'float32'), 'iof')")
    .rejects("ops.iou(ones(2, 3), ones(2, 4))", "ValueError", "iou: anchor_boxes has shape (2, 3)")
    .rejects("ops.iou(ones(2, 4), ones(2, 4), 'giou')", "ValueError", "iou: mode is 'giou'");

DYAD_OP(
    "bounding_box_encode(anchor_box: Tensor, groundtruth_box: Tensor, means: floats=(0.0, 0.0, 0.0, 0.0), "
    "stds: floats=(1.0, 1.0, 1.0, 1.0)) -> Tensor")
    .doc(
        "Box encoding: the offsets of boxes from their anchors. Box and anchor have the centers (x, y), (xₐ, "
        "yₐ) and the sizes (w, h), (wₐ, hₐ), with w = right − left + 1.")
    .formula("d = ((x − xₐ) / wₐ, (y − yₐ) / hₐ, log(w / wₐ), log(h / hₐ))")
    .formula("out = (d − means) / stds")
    .arg("anchor_box", "(left, top, right, bottom), floats of shape (n, 4).")
    .arg("groundtruth_box", "of the shape of `anchor_box`.")
    .arg("means", "four numbers.")
    .arg("stds", "four numbers.")
    .returns("Tensor of shape (n, 4).")
    .see("ops.bounding_box_decode")
    .primitive(
        "BoundingBoxEncode(means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0))(anchor_box, "
        "groundtruth_box)")
    .compose([](const Call& call) -> Value {
      require_boxes(call, 0, "anchor_box");
      require_boxes(call, 1, "groundtruth_box");
      require_four(call, 2, "means");
      require_four(call, 3, "stds");
      const Extent from = extent_of(call.value(0)), to = extent_of(call.value(1));
      const Value parts[] = {(to.x - from.x) / from.width, (to.y - from.y) / from.height,
                             log(to.width / from.width), log(to.height / from.height)};
      ValueList columns;
      for (size_t i = 0; i < 4; ++i) {
        columns.push_back(column(mul(parts[i] - call.floats(2)[i], 1 / call.floats(3)[i])));
      }
      return concat(columns, 1);
    })
    .numpy("ref.bounding_box_encode(anchor_box, groundtruth_box, means, stds)")
    .samples(
        "call(V([[2, 2, 2, 3], [0, 1, 4, 5]], 'float32'), V([[1, 2, 1, 4], [1, 2, 3, 4]], 'float32'))",
        "call(V([[2, 2, 5, 3]], 'float32'), V([[1, 2, 1, 4]], 'float32'), (0.1, 0.2, 0.0, 0.0), (0.1, 0.1, "
        "0.2, 0.2))")
    .rejects("ops.bounding_box_encode(ones(2, 4), ones(2, 3))", "ValueError",
             "groundtruth_box has shape (2, 3)")
    .rejects("ops.bounding_box_encode(ones(2, 4), ones(2, 4), means=(0.0, 0.0))", "ValueError",
             "means has 2 numbers");

DYAD_OP(
    "bounding_box_decode(anchor_box: Tensor, deltas: Tensor, max_shape: ints, means: floats=(0.0, 0.0, 0.0, "
    "0.0), "
    "stds: floats=(1.0, 1.0, 1.0, 1.0), wh_ratio_clip: float=0.016) -> Tensor")
    .doc(
        "Box decoding: boxes from their offsets to anchors, clipped to an image. The anchors have the "
        "centers (xₐ, yₐ) and the sizes (wₐ, hₐ), with wₐ = right − left + 1.")
    .formula("d = deltas · stds + means, b = |log(wh_ratio_clip)|")
    .formula(
        "(x, y) = (xₐ + wₐ · d₀, yₐ + hₐ · d₁), (w, h) = (wₐ · exp(clamp(d₂, −b, b)), hₐ · exp(clamp(d₃, −b, "
        "b)))")
    .formula("out = (x − w/2 + 0.5, y − h/2 + 0.5, x + w/2 − 0.5, y + h/2 − 0.5), clamped to the image")
    .arg("anchor_box", "(left, top, right, bottom), floats of shape (n, 4).")
    .arg("deltas", "of the shape of `anchor_box`.")
    .arg("max_shape", "(height, width) of the image.")
    .arg("means", "four numbers.")
    .arg("stds", "four numbers.")
    .arg("wh_ratio_clip", "limits the factor of width and height, > 0.")
    .returns("Tensor of shape (n, 4).")
    .see("ops.bounding_box_encode")
    .primitive(
        "BoundingBoxDecode(max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0), "
        "wh_ratio_clip=0.016)"
        "(anchor_box, deltas)")
    .compose_wide([](const Call& call) -> Value {
      require_boxes(call, 0, "anchor_box");
      require_boxes(call, 1, "deltas");
      require_four(call, 3, "means");
      require_four(call, 4, "stds");
      if (call.dims(2).size() != 2)
        value_error(call.op(), ": max_shape is ", call.dims(2), "; it must be (height, width)");
      if (!(call.real(5) > 0))
        value_error(call.op(), ": wh_ratio_clip is ", call.real(5), "; it must be positive");
      const Extent from = extent_of(call.value(0));
      auto delta = [&](size_t i) {
        return mul(edge(call.value(1), static_cast<int64_t>(i)), call.floats(4)[i]) + call.floats(3)[i];
      };
      const double most = std::abs(std::log(call.real(5)));
      const Value x = from.x + from.width * delta(0);
      const Value y = from.y + from.height * delta(1);
      const Value half_width = mul(from.width * exp(clamp(delta(2), -most, most)), 0.5);
      const Value half_height = mul(from.height * exp(clamp(delta(3), -most, most)), 0.5);
      auto inside = [&](const Value& place, size_t axis) {
        return column(clamp(place, 0.0, static_cast<double>(call.dims(2)[axis].value() - 1)));
      };
      return concat(ValueList{inside(x - half_width + 0.5, 1), inside(y - half_height + 0.5, 0),
                              inside(x + half_width - 0.5, 1), inside(y + half_height - 0.5, 0)},
                    1);
    })
    .numpy("ref.bounding_box_decode(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip)")
    .samples(
        "call(V([[4, 1, 2, 1], [2, 2, 2, 3]], 'float32'), V([[3, 1, 2, 2], [1, 2, 1, 4]], 'float32'), (768, "
        "1280))",
        "call(V([[2, 2, 8, 9]], 'float32'), V([[0.5, 0.2, 0.1, 9]], 'float32'), (20, 30), (0.1, 0.0, 0.0, "
        "0.0), "
        "(0.5, 0.5, 0.2, 0.2), 0.5)")
    .rejects("ops.bounding_box_decode(ones(2, 4), ones(2, 4), (3,))", "ValueError", "max_shape is (3,)");

DYAD_OP("check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor")
    .doc("Box test: true if a box (left, top, right, bottom) is inside the image.")
    .formula("out[n] = left ≥ 0 ∧ top ≥ 0 ∧ right ≤ width · scale − 1 ∧ bottom ≤ height · scale − 1")
    .arg("bboxes", "real numbers of shape (n, 4).")
    .arg("img_metas", "(height, width, scale), of shape (3,).")
    .returns("Tensor of bools and shape (n,).")
    .see("ops.iou")
    .primitive("CheckValid()(bboxes, img_metas)")
    .compose([](const Call& call) -> Value {
      require_boxes(call, 0, "bboxes");
      if (call.in(1).rank() != 1 || is_other(call.in(1).shape[0], 3)) {
        value_error(call.op(), ": img_metas has shape ", call.in(1).shape,
                    "; it must hold height, width and scale");
      }
      const Value& boxes = call.value(0);
      auto meta = [&](int64_t i) { return select_view(call.value(1), 0, i); };
      const Value inside_left =
          logical_and(greater_equal(edge(boxes, 0), 0), greater_equal(edge(boxes, 1), 0));
      const Value inside_right = less_equal(edge(boxes, 2), meta(1) * meta(2) - 1);
      const Value inside_bottom = less_equal(edge(boxes, 3), meta(0) * meta(2) - 1);
      return logical_and(inside_left, logical_and(inside_right, inside_bottom));
    })
    .no_grad("bool result")
    .numpy("ref.check_valid(bboxes, img_metas)")
    .samples(
        "call(V([[0, 0, 3, 4], [0, 0, 30, 4], [-1, 0, 2, 2], [0, 0, 9, 9]], 'float32'), V([10, 10, 1], "
        "'float32'))")
    .rejects("ops.check_valid(ones(2, 4), ones(2))", "ValueError", "check_valid: img_metas has shape (2,)");

}  // namespace dyad
