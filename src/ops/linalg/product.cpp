#include "ops/linalg/product.h"
#include "ops/cost.h"

#include <algorithm>

#include "base/error.h"
#include "ops/infer.h"

namespace dyad {

namespace {

constexpr int64_t kPanel = 64;

Dim panels_of(Dim columns) { return floor_div(columns + (kPanel - 1), kPanel); }

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

/// Returns whether a tensor of this shape broadcasts to another one; symbolic dimensions are assumed to fit.
bool spreads_over(const Shape& operand, const Shape& shape) {
  if (operand.size() > shape.size()) return false;
  const size_t skipped = shape.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i) {
    if (!(operand[i] == Dim(1)) && differ(operand[i], shape[skipped + i])) return false;
  }
  return true;
}

/// `bias, steps, operands, numbers` from argument `first` on, for a product of this type.
void check_steps(const Arguments& args, size_t first, DType dtype, const Shape& shape) {
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    type_error(args.op(), ": the product has dtype ", dtype, "; accepted are Float32 and Float64");
  }
  if (args.has(first)) {
    const ValueImpl& bias = args.in(first);
    if (bias.rank() != 1 || differ(bias.shape[0], shape.back()) || bias.dtype != dtype) {
      value_error(args.op(), ": bias has shape ", bias.shape, " and dtype ", bias.dtype, "; it must be ",
                  dtype, " with one element for each of ", shape.back(), " columns");
    }
  }
  size_t tensors = 0;
  size_t numbers = 0;
  for (const ProductStep& step : product_steps(args.op(), args.text(first + 1))) {
    tensors += step.second == ProductStep::Second::kTensor;
    numbers += step.second == ProductStep::Second::kNumber;
  }
  const ValueList& operands = args.values(first + 2);
  if (operands.size() != tensors || args.floats(first + 3).size() != numbers) {
    value_error(args.op(), ": ", operands.size(), " operands and ", args.floats(first + 3).size(),
                " numbers are given; the steps '", args.text(first + 1), "' take ", tensors, " and ",
                numbers);
  }
  for (const Value& operand : operands) {
    if (operand->dtype != dtype || !spreads_over(operand->shape, shape)) {
      value_error(args.op(), ": an operand has shape ", operand->shape, " and dtype ", operand->dtype,
                  "; it must broadcast to ", shape, " of ", dtype);
    }
  }
}

void infer_product_of(const Arguments& args, const ValueImpl& right, Dim depth, Dim columns, size_t first,
                      Results& results) {
  const ValueImpl& left = args.in(0);
  if (left.rank() < 1 || differ(left.shape.back(), depth)) {
    value_error(args.op(), ": input has shape ", left.shape, "; its last size must be ", depth);
  }
  Shape shape(left.shape.begin(), left.shape.end() - 1);
  shape.push_back(columns);
  const DType dtype = promote(args.op(), left.dtype, right.dtype);
  check_steps(args, first, dtype, shape);
  results.add(dtype, shape);
}

void infer_product(const Arguments& args, Results& results) {
  infer::require_rank(args, 1, 2, "mat2");
  const ValueImpl& right = args.in(1);
  infer_product_of(args, right, right.shape[0], right.shape[1], 2, results);
}

void infer_panel_product(const Arguments& args, Results& results) {
  infer::require_rank(args, 1, 3, "panels");
  const ValueImpl& panels = args.in(1);
  const int64_t columns = args.integer(2);
  if (columns < 1 || differ(panels.shape[0], panels_of(columns)) || differ(panels.shape[2], kPanel)) {
    value_error(args.op(), ": panels have shape ", panels.shape, "; ", columns, " columns take (",
                panels_of(columns), ", rows, ", kPanel, ")");
  }
  infer_product_of(args, panels, panels.shape[1], columns, 3, results);
}

void infer_pack_panels(const Arguments& args, Results& results) {
  infer::require_rank(args, 0, 2, "mat2");
  const ValueImpl& matrix = args.in(0);
  infer::require_dtype(args, 0, matrix.dtype == DType::kFloat32 || matrix.dtype == DType::kFloat64,
                       "Float32 and Float64");
  results.add(matrix.dtype, {panels_of(matrix.shape[1]), matrix.shape[0], Dim(kPanel)});
}

}  // namespace

std::vector<ProductStep> product_steps(std::string_view op, std::string_view text) {
  std::vector<ProductStep> steps;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view name = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool number = name.ends_with('#');
    if (number) name.remove_suffix(1);
    const Op* found = OpTable::instance().find(name);
    if (!found || !found->elementwise || found->signature.params.size() > 2) {
      value_error(op, ": '", name,
                  "' is a step; each must be an elementwise operator of one or two operands");
    }
    const bool single = found->signature.params.size() == 1;
    const auto second = number   ? ProductStep::Second::kNumber
                        : single ? ProductStep::Second::kNone
                                 : ProductStep::Second::kTensor;
    steps.push_back({name, second});
  }
  return steps;
}

DYAD_OP(
    "product(input: Tensor, mat2: Tensor, bias: Tensor?, steps: str, operands: Tensors, numbers: floats) -> "
    "Tensor")
    .doc(
        "The product with a matrix, plus a bias for each column, followed by elementwise steps while a part "
        "of it is still in the cache.")
    .compiler_made()
    .infer(infer_product)
    .cost(cost::product)
    .numpy("ref.product(input, mat2, bias, steps, operands, numbers)")
    .samples(
        "call(T(3, 4), T(4, 5), None, '', [], [])", "call(T(3, 4), T(4, 5), T(5), 'relu', [], [])",
        "call(T(7, 70), T(70, 130), T(130), 'add tanh mul#', [T(7, 130)], [0.5])",
        "call(T(2, 3, 4), T(4, 5), None, 'div# add exp', [T(3, 1)], [2.0])",
        "call(strided(T(20, 40)), strided(T(40, 33)), T(33), 'sub add', [T(33), strided(T(20, 33))], [])",
        "call(T(0, 4), T(4, 5), None, 'relu', [], [])", "call(T(3, 0), T(0, 5), T(5), 'tanh', [], [])",
        "call(T(4), T(4, 5), T(5), 'square', [], [], dtypes='float32+float64')")
    .rejects("dyad._core.named_op('product')(ones(2, 3), ones(3, 4), None, 'softmax', [], [])", "ValueError",
             "product: 'softmax' is a step")
    .rejects("dyad._core.named_op('product')(ones(2, 3), ones(3, 4), None, 'add', [], [])", "ValueError",
             "product: 0 operands and 0 numbers are given; the steps 'add' take 1 and 0");

DYAD_OP(
    "panel_product(input: Tensor, panels: Tensor, columns: int, bias: Tensor?, steps: str, operands: "
    "Tensors, numbers: floats) -> Tensor")
    .doc("As `product`, with a matrix of `columns` columns that `pack_panels` has packed.")
    .compiler_made()
    .infer(infer_panel_product)
    .cost(cost::product)
    .numpy("ref.product(input, ref.unpacked_panels(panels, columns), bias, steps, operands, numbers)")
    .samples("call(T(3, 4), T(1, 4, 64), 5, T(5), 'relu', [], [])",
             "call(T(7, 70), T(3, 70, 64), 130, None, 'add tanh mul#', [T(7, 130)], [0.5])",
             "call(T(2, 3, 4), T(1, 4, 64), 64, T(64), 'gelu_erf', [], [], dtypes='float32+float64')",
             "call(T(0, 4), T(1, 4, 64), 5, None, '', [], [])",
             "call(strided(T(5, 6)), T(2, 6, 64), 65, None, 'add', [T(5, 1)], [])")
    .rejects("dyad._core.named_op('panel_product')(ones(2, 3), ones(1, 3, 64), 65, None, '', [], [])",
             "ValueError", "panel_product: panels have shape (1, 3, 64); 65 columns take (2, rows, 64)");

DYAD_OP("pack_panels(mat2: Tensor) -> Tensor")
    .doc(
        "A matrix in the order in which products read it: 64 columns after the other, each panel row by row, "
        "the last one filled up with zeros.")
    .compiler_made()
    .infer(infer_pack_panels)
    .moves(Movement::kOther)
    .numpy("ref.packed_panels(mat2)")
    .samples("call(T(3, 5), dtypes='float32+float64')", "call(T(4, 64))", "call(strided(T(33, 130)))",
             "call(T(0, 3))", "call(T(3, 0))")
    .rejects("dyad._core.named_op('pack_panels')(ones(3))", "ValueError", "pack_panels: mat2 has shape (3,)");

}  // namespace dyad
