#include "codegen/cpu/operands.h"

#include "base/error.h"
#include "kernels/cpu/convert.h"

namespace dyad::codegen {

namespace {

/// Rows of a window whose elements lie next to each other from row to row: read along memory, they are
/// written across scratch memory that stays in the first cache. `distance` is that of neighbours in a row.
template <class T>
void turn(const T* from, int64_t distance, int64_t rows, int64_t count, T* to) {
  for (int64_t column = 0; column < count; ++column) {
    for (int64_t row = 0; row < rows; ++row) to[row * count + column] = from[column * distance + row];
  }
}
template <class T>
void turn_back(const T* from, int64_t rows, int64_t count, T* to, int64_t distance) {
  for (int64_t column = 0; column < count; ++column) {
    for (int64_t row = 0; row < rows; ++row) to[column * distance + row] = from[row * count + column];
  }
}

template <class Body>
void with_bytes(int64_t bytes, const Body& body) {
  if (bytes == 1) return body(uint8_t{});
  if (bytes == 2) return body(uint16_t{});
  if (bytes == 4) return body(uint32_t{});
  body(uint64_t{});
}

void pack(int64_t bytes, const char* from, int64_t row_stride, int64_t step, const Window& window, char* to) {
  if (row_stride == 1) {
    return with_bytes(bytes, [&](auto element) {
      using T = decltype(element);
      turn(reinterpret_cast<const T*>(from), step, window.rows, window.count, reinterpret_cast<T*>(to));
    });
  }
  for (int64_t row = 0; row < window.rows; ++row) {
    kernels::gather(bytes, window.count, from + row * row_stride * bytes, step,
                    to + row * window.count * bytes);
  }
}

void unpack(int64_t bytes, const char* from, const Window& window, char* to, int64_t row_stride,
            int64_t step) {
  if (row_stride == 1) {
    return with_bytes(bytes, [&](auto element) {
      using T = decltype(element);
      turn_back(reinterpret_cast<const T*>(from), window.rows, window.count, reinterpret_cast<T*>(to), step);
    });
  }
  for (int64_t row = 0; row < window.rows; ++row) {
    kernels::scatter(bytes, window.count, from + row * window.count * bytes, to + row * row_stride * bytes,
                     step);
  }
}

}  // namespace

BoundOperands::BoundOperands(const Schedule& schedule, const BoundLoop& bound, int row_axis, int column_axis,
                             bool rows_are_points) {
  DYAD_ASSERT(bound.operands.size() <= kMost);
  for (size_t i = 0; i < bound.operands.size(); ++i) {
    const bool stored = i >= bound.loop.loads.size();
    const codegen::Operand& described =
        stored ? bound.loop.stores[i - bound.loop.loads.size()] : bound.loop.loads[i];
    Operand operand;
    operand.ref = bound.operands[i];
    operand.bytes = itemsize(described.dtype);
    operand.stored = stored;
    if (operand.ref.kind == OperandRef::Kind::kTensor) {
      const uint32_t tensor = operand.ref.number;
      auto stride = [&](int axis) {
        return axis < 0 ? 0 : schedule.axes[static_cast<size_t>(axis)].strides[tensor];
      };
      operand.row_stride = stride(row_axis);
      operand.step = column_axis < 0 ? 1 : stride(column_axis);
      const bool apart = stored ? operand.step != 1 : operand.step != 0 && operand.step != 1;
      if (apart) operand.packed = static_cast<int>(packed_count_++);
    } else if (operand.ref.kind == OperandRef::Kind::kKept) {
      operand.row_stride = rows_are_points ? 1 : 0;
    } else if (operand.ref.kind == OperandRef::Kind::kNumber) {
      operand.number = bound.numbers[operand.ref.number].second;
    }
    operands_.push_back(operand);
  }
}

void BoundOperands::run(LoopFunction code, const Window& window, char* const* tensors, const int64_t* offsets,
                        const TileMemory& memory, const double* scale) const {
  void* pointers[kMost];
  int64_t row_bytes[kMost];
  const int64_t tight = window.count;
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    int64_t row_stride = operand.row_stride;
    char* at = nullptr;
    switch (operand.ref.kind) {
      case OperandRef::Kind::kTensor:
        at = tensors[operand.ref.number] + offsets[operand.ref.number] * operand.bytes;
        break;
      case OperandRef::Kind::kKept:
        at = memory.kept + operand.ref.number * memory.points * kElementBytes;
        break;
      case OperandRef::Kind::kAccumulator:
        at = memory.accumulators + operand.ref.number * memory.points * kElementBytes;
        break;
      case OperandRef::Kind::kScratch:
        at = memory.scratch + operand.ref.number * kTileElements * kElementBytes;
        row_stride = tight;
        break;
      case OperandRef::Kind::kScale:
        at = const_cast<char*>(reinterpret_cast<const char*>(scale));
        break;
      case OperandRef::Kind::kNumber:
        at = const_cast<char*>(reinterpret_cast<const char*>(&operand.number));
        break;
    }
    if (operand.packed >= 0) {
      char* packed = memory.packed + operand.packed * kTileElements * kElementBytes;
      if (!operand.stored) pack(operand.bytes, at, row_stride, operand.step, window, packed);
      at = packed;
      row_stride = tight;
    }
    pointers[i] = at;
    row_bytes[i] = row_stride * operand.bytes;
  }
  code(window.rows, window.count, pointers, row_bytes);
  for (const Operand& operand : operands_) {
    if (operand.packed < 0 || !operand.stored) continue;
    char* target = tensors[operand.ref.number] + offsets[operand.ref.number] * operand.bytes;
    const char* packed = memory.packed + operand.packed * kTileElements * kElementBytes;
    unpack(operand.bytes, packed, window, target, operand.row_stride, operand.step);
  }
}

}  // namespace dyad::codegen
