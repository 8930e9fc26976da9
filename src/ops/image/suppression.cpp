#include "base/error.h"
#include "ops/call.h"
#include "ops/cost.h"

namespace dyad {

namespace {

DYAD_USE(arange, index_select, suppress_overlaps);

}  // namespace

DYAD_OP("suppress_overlaps(bboxes: Tensor, iou_threshold: float=0.5) -> (Tensor, Tensor)")
    .doc(
        "The order of boxes (left, top, right, bottom, score) by descending score, and whether each of them "
        "in that "
        "order is kept: one that overlaps a better one that is kept by more than the threshold is not.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const ValueImpl& boxes = args.in(0);
      if (!is_float(boxes.dtype))
        type_error(args.op(), ": bboxes has dtype ", boxes.dtype, "; accepted are floating dtypes");
      if (boxes.rank() != 2 || (boxes.shape[1].known() && boxes.shape[1].value() != 5))
        value_error(args.op(), ": bboxes has shape ", boxes.shape, "; it must be (boxes, 5)");
      results.add(DType::kInt64, {boxes.shape[0]});
      results.add(DType::kBool, {boxes.shape[0]});
    })
    .no_grad("which boxes are kept does not vary continuously")
    .cost([](const Arguments& args, cost::Values) {
      return 2 * cost::elements(args.in(0)) * cost::axis_from_end(args.in(0), 2);
    })
    .numpy("ref.suppress_overlaps(bboxes, iou_threshold)")
    .samples("call(V([[0, 0, 10, 10, 0.6], [1, 1, 10, 10, 0.9], [20, 20, 30, 30, 0.3]], 'float32'))",
             "call(V([[100, 100, 50, 68, 0.63], [150, 75, 165, 115, 0.55], [12, 190, 288, 200, 0.9], "
             "[28, 130, 106, 172, 0.3]], 'float32'), 0.1)",
             "call(V(np.zeros((0, 5)), 'float32'))")
    .rejects("dyad._core.named_op('suppress_overlaps')(ones(2, 4))", "ValueError", "bboxes has shape (2, 4)");

DYAD_OP("nms_with_mask(bboxes: Tensor, iou_threshold: float=0.5) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Non-maximum suppression: a box is dropped if its IoU with a kept box of higher score exceeds the "
        "threshold.")
    .formula(
        "kept[i] = no j < i with kept[j] and IoU(box[i], box[j]) > iou_threshold, boxes by descending score")
    .arg("bboxes", "(left, top, right, bottom, score), floats of shape (n, 5).")
    .arg("iou_threshold", "largest IoU of two kept boxes.")
    .returns(
        "Tuple of the boxes in descending order of score, their indices 0 … n − 1, and whether each is kept.")
    .see("ops.iou")
    .hidden()
    .primitive("NMSWithMask(iou_threshold=0.5)(bboxes)")
    .compose([](const Call& call) -> ValueList {
      const ValueList found = suppress_overlaps.all(call.value(0), call[1]);
      const int64_t count = call.in(0).shape[0].value();
      const Value positions = arange(call.builder(), 0, count, 1, DType::kInt32);
      return {index_select(call.value(0), 0, found[0]), positions, found[1]};
    })
    .numpy("ref.nms_with_mask(bboxes, iou_threshold)")
    .samples("call(V([[0, 0, 10, 10, 0.6], [1, 1, 10, 10, 0.9], [20, 20, 30, 30, 0.3]], 'float32'))")
    .rejects("ops.NMSWithMask()(ones(2, 4))", "ValueError", "bboxes has shape (2, 4)");

}  // namespace dyad
