#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/window.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kJoinGrain = 1 << 17;

/// One operand as the rows it contributes: each row of the result is made of one piece per operand.
struct Piece {
  const char* data;
  int64_t bytes;
};

bool plain(const ValueImpl& value, DType dtype) { return value.dtype == dtype && value.contiguous(); }

/// All operands contiguous and of the result's dtype: the result is rows of pieces, each a block of bytes.
void join_blocks(const ValueList& operands, ValueImpl& out, int64_t rows) {
  std::vector<Piece> pieces;
  int64_t row_bytes = 0;
  for (const Value& operand : operands) {
    const int64_t bytes = operand->size() / rows * itemsize(out.dtype);
    if (bytes > 0) pieces.push_back({operand->as<char>(), bytes});
    row_bytes += bytes;
  }
  parallel_for(rows * row_bytes, kJoinGrain, [&](int64_t begin, int64_t end) {
    int64_t row = begin / row_bytes;
    int64_t inside = begin % row_bytes;
    size_t at = 0;
    while (inside >= pieces[at].bytes) inside -= pieces[at++].bytes;
    while (begin < end) {
      const Piece& piece = pieces[at];
      const int64_t bytes = std::min(piece.bytes - inside, end - begin);
      std::memcpy(out.as<char>() + begin, piece.data + row * piece.bytes + inside,
                  static_cast<size_t>(bytes));
      begin += bytes;
      inside = 0;
      if (++at == pieces.size()) {
        at = 0;
        ++row;
      }
    }
  });
}

size_t joined_axis(const KernelCall& call) {
  return static_cast<size_t>(normalize_axis(call.op(), call.integer(1), call.out().rank()));
}

/// Joins operands that lie in memory as the result does, by blocks; false where one does not.
bool joined_by_blocks(const KernelCall& call, size_t axis) {
  const ValueList& operands = call.values(0);
  ValueImpl& out = call.out();
  for (const Value& operand : operands) {
    if (!plain(*operand, out.dtype)) return false;
  }
  int64_t rows = 1;
  for (size_t d = 0; d < axis; ++d) rows *= out.shape[d].value();
  join_blocks(operands, out, rows);
  return true;
}

void run_concat(const KernelCall& call) {
  const ValueList& operands = call.values(0);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const size_t axis = joined_axis(call);
  if (joined_by_blocks(call, axis)) return;
  int64_t offset = 0;
  for (const Value& operand : operands) {
    Window place(out, operand->shape, out.strides, offset);
    copy(*operand, place);
    offset += operand->shape[axis].value() * out.strides[axis];
  }
}

void run_stack(const KernelCall& call) {
  const ValueList& operands = call.values(0);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const size_t axis = joined_axis(call);
  if (joined_by_blocks(call, axis)) return;
  Strides strides = out.strides;
  strides.erase(axis);
  for (size_t i = 0; i < operands.size(); ++i) {
    Window place(out, operands[i]->shape, strides, static_cast<int64_t>(i) * out.strides[axis]);
    copy(*operands[i], place);
  }
}

}  // namespace

DYAD_CPU_KERNEL(concat, run_concat);
DYAD_CPU_KERNEL(stack, run_stack);

}  // namespace dyad::kernels
