// Reductions over any set of axes. Neighbouring axes are merged until reduced and kept groups alternate; each
// reduced group is one stage over (outer, reduced, inner) contiguous elements. The first stage reads the
// input's dtype, later ones the accumulator's, and the last result takes the dtype of the output.

#include "kernels/cpu/reduce.h"
#include "kernels/cpu/best_table.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/strided.h"
#include "kernels/scalar/compute_dtype.h"
#include "runtime/allocator.h"
#include "types/scalar.h"

namespace dyad::kernels {

namespace {

/// Elements that one task reduces at most; fixed, so that the result does not depend on the number of
/// threads.
constexpr int64_t kTask = 1 << 16;
/// Columns that one task reduces side by side: their accumulators stay in the first cache.
constexpr int64_t kColumns = 1024;
constexpr int64_t kGrain = 1 << 15;

bool is_logical(ReduceKind kind) { return kind == ReduceKind::kAny || kind == ReduceKind::kAll; }
bool adds(ReduceKind kind) { return kind == ReduceKind::kSum || kind == ReduceKind::kProd; }

/// A block of elements between stages.
struct Block {
  const char* data;
  DType dtype;
};

class Stage {
 public:
  Stage(ReduceKind kind, Block from, DType compute_dtype, int64_t outer, int64_t reduced, int64_t inner)
      : kind_(kind), from_(from), outer_(outer), reduced_(reduced), inner_(inner) {
    loops_ = reduce_loops().at[static_cast<size_t>(kind)][static_cast<size_t>(reduce_type(compute_dtype))];
    DYAD_ASSERT(loops_.row);
    if (from.dtype != compute_dtype) convert_ = converter(from.dtype, compute_dtype);
    accumulator_ = accumulator_dtype(adds(kind), compute_dtype);
  }
  DType accumulator() const { return accumulator_; }

  /// Writes outer × inner accumulators.
  void run(char* out) const {
    const int64_t wide = std::min(inner_, kColumns);
    const int64_t rows = std::max<int64_t>(kTask / std::max<int64_t>(wide, 1), 16);
    const int64_t chunks = std::max<int64_t>((reduced_ + rows - 1) / rows, 1);
    if (chunks == 1) return run_tasks(out, reduced_, 1);
    Workspace partial(static_cast<size_t>(outer_ * chunks * inner_ * itemsize(accumulator_)));
    run_tasks(partial.as<char>(), rows, chunks);
    Stage(kind_, {partial.as<char>(), accumulator_}, accumulator_, outer_, chunks, inner_).run(out);
  }

 private:
  void run_tasks(char* out, int64_t rows, int64_t chunks) const {
    const int64_t tiles = (inner_ + kColumns - 1) / kColumns;
    const int64_t work = std::max<int64_t>(std::min(rows, reduced_) * std::min(inner_, kColumns), 1);
    const int64_t bytes = itemsize(accumulator_);
    alignas(16) char start[16];
    store(reduction_neutral(kind_, accumulator_), accumulator_, start);
    parallel_for(outer_ * chunks * tiles, std::max<int64_t>(kGrain / work, 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t task = begin; task < end; ++task) {
                     const int64_t column = task % tiles * kColumns;
                     const int64_t chunk = task / tiles % chunks;
                     const int64_t outer = task / tiles / chunks;
                     const int64_t columns = std::min(kColumns, inner_ - column);
                     const int64_t first = chunk * rows;
                     const int64_t count = std::min(rows, reduced_ - first);
                     char* acc = out + ((outer * chunks + chunk) * inner_ + column) * bytes;
                     for (int64_t j = 0; j < columns; ++j)
                       std::memcpy(acc + j * bytes, start, static_cast<size_t>(bytes));
                     reduce_tile((outer * reduced_ + first) * inner_ + column, count, columns, acc);
                   }
                 });
  }

  void reduce_tile(int64_t at, int64_t rows, int64_t columns, char* acc) const {
    const char* in = from_.data + at * itemsize(from_.dtype);
    if (!convert_) {
      if (inner_ == 1) return loops_.row(in, rows, acc);
      return loops_.column(in, rows, inner_, columns, acc);
    }
    alignas(64) char block[kBlock * 16];
    const int64_t from_bytes = itemsize(from_.dtype);
    if (inner_ == 1) {
      for (int64_t done = 0; done < rows; done += kBlock) {
        const int64_t count = std::min(kBlock, rows - done);
        convert_(count, in + done * from_bytes, block);
        loops_.row(block, count, acc);
      }
      return;
    }
    static_assert(kColumns <= kBlock);
    for (int64_t r = 0; r < rows; ++r) {
      convert_(columns, in + r * inner_ * from_bytes, block);
      loops_.column(block, 1, columns, columns, acc);
    }
  }

  ReduceKind kind_;
  Block from_;
  int64_t outer_;
  int64_t reduced_;
  int64_t inner_;
  ReduceLoops loops_;
  Convert convert_ = nullptr;
  DType accumulator_;
};

/// Neighbouring axes of one fate, merged; from the outermost to the innermost.
struct Group {
  int64_t size;
  bool reduced;
};

/// The order of axes in which the elements lie in memory one after another; empty if there is none.
Ints memory_order(const ValueImpl& value) {
  Ints order;
  for (int64_t i = 0; i < value.rank(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return value.strides[static_cast<size_t>(a)] > value.strides[static_cast<size_t>(b)];
  });
  int64_t expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    const int64_t size = value.shape[d].value();
    if (size == 1) continue;
    if (value.strides[d] != expected) return {};
    expected *= size;
  }
  return order;
}

void finish(const char* acc, DType accumulator, double scale, int64_t count, char* out, DType dtype) {
  alignas(64) char block[kBlock * 16];
  const Convert convert = converter(accumulator, dtype);
  for (int64_t done = 0; done < count; done += kBlock) {
    const int64_t part = std::min(kBlock, count - done);
    const char* from = acc + done * itemsize(accumulator);
    if (scale != 1) {
      // Sums with a scale are means: the accumulator is float64 or complex128.
      const int64_t numbers = part * itemsize(accumulator) / 8;
      for (int64_t i = 0; i < numbers; ++i) {
        reinterpret_cast<double*>(block)[i] = reinterpret_cast<const double*>(from)[i] * scale;
      }
      from = block;
    }
    convert(part, from, out + done * itemsize(dtype));
  }
}

void fill(ReduceKind kind, double scale, ValueImpl& out) {
  Scalar value = reduction_neutral(kind, out.dtype);
  if (scale != 1) value = Scalar(0.0 * scale);
  for (int64_t i = 0; i < out.size(); ++i) store(value, out.dtype, out.as<char>() + i * itemsize(out.dtype));
}

using Flags = SmallVector<bool, 8>;

/// Reduces contiguous elements of `shape` where `reduced` says so; `out` is contiguous.
void reduce_contiguous(ReduceKind kind, Block from, const Ints& shape, const Flags& reduced, double scale,
                       char* out, DType out_dtype) {
  SmallVector<Group, 8> groups;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced[i]) {
      groups.back().size *= shape[i];
    } else {
      groups.push_back({shape[i], reduced[i]});
    }
  }
  // With nothing to join, a reduced group of one element carries the conversions.
  const bool joins =
      std::any_of(groups.begin(), groups.end(), [](const Group& group) { return group.reduced; });
  if (!joins) groups.push_back({1, true});

  DType compute_dtype = compute_dtype_of(is_logical(kind), from.dtype, out_dtype);
  std::unique_ptr<Workspace> held;
  int64_t inner = 1;
  for (size_t at = groups.size(); at-- > 0;) {
    if (!groups[at].reduced) {
      inner *= groups[at].size;
      continue;
    }
    int64_t outer = 1;
    for (size_t i = 0; i < at; ++i) outer *= groups[i].size;
    const Stage stage(kind, from, compute_dtype, outer, groups[at].size, inner);
    auto next =
        std::make_unique<Workspace>(static_cast<size_t>(outer * inner * itemsize(stage.accumulator())));
    stage.run(next->as<char>());
    held = std::move(next);
    from = {held->as<char>(), stage.accumulator()};
    compute_dtype = from.dtype;
  }
  finish(from.data, from.dtype, scale, inner, out, out_dtype);
}

}  // namespace

ReduceType reduce_type(DType compute_dtype) {
  switch (compute_dtype) {
    case DType::kFloat32:
      return ReduceType::kFloat32;
    case DType::kFloat64:
      return ReduceType::kFloat64;
    case DType::kInt64:
      return ReduceType::kInt64;
    case DType::kUInt64:
      return ReduceType::kUInt64;
    case DType::kBool:
      return ReduceType::kBool;
    case DType::kComplex64:
      return ReduceType::kComplex64;
    case DType::kComplex128:
      return ReduceType::kComplex128;
    default:
      raise_internal("elements meet in a dtype that has loops", __FILE__, __LINE__);
  }
}

Scalar reduction_neutral(ReduceKind kind, DType dtype) {
  switch (kind) {
    case ReduceKind::kSum:
      return 0;
    case ReduceKind::kProd:
      return 1;
    case ReduceKind::kAny:
      return false;
    case ReduceKind::kAll:
      return true;
    case ReduceKind::kMax:
      if (is_float(dtype)) return -std::numeric_limits<double>::infinity();
      return dtype == DType::kUInt64 ? int64_t{0} : std::numeric_limits<int64_t>::min();
    case ReduceKind::kMin:
      if (is_float(dtype)) return std::numeric_limits<double>::infinity();
      return dtype == DType::kUInt64 ? int64_t{-1} : std::numeric_limits<int64_t>::max();
  }
  raise_internal("kind is one of the enumerators", __FILE__, __LINE__);
}

const ReduceTable& reduce_loops() {
  static const ReduceTable& best =
      best_table(baseline::reduce_table, avx2::reduce_table, avx512::reduce_table);
  return best;
}

void reduce(ReduceKind kind, const ValueImpl& in, const Ints& axes, ValueImpl& out, double scale) {
  if (out.size() == 0) return;
  if (in.size() == 0) return fill(kind, scale, out);
  Flags reduced(in.shape.size(), false);
  for (int64_t axis : axes) reduced[static_cast<size_t>(axis)] = true;

  const Ints order = memory_order(in);
  if (order.size() != in.shape.size()) {  // gaps or repeated elements: gather them first
    const Contiguous gathered(in);
    const Ints shape(sizes(in.shape), sizes(in.shape) + in.rank());
    return reduce_contiguous(kind, {gathered.as(), in.dtype}, shape, reduced, scale, out.as<char>(),
                             out.dtype);
  }
  // Elements lie densely in another order of axes: reduce in that order and put the kept axes back
  // afterwards.
  Ints shape;
  Flags reduced_in_order;
  Ints kept;
  for (int64_t axis : order) {
    const auto d = static_cast<size_t>(axis);
    shape.push_back(in.shape[d].value());
    reduced_in_order.push_back(reduced[d]);
    if (!reduced[d]) kept.push_back(axis);
  }
  const Block from{in.as<char>(), in.dtype};
  if (std::is_sorted(kept.begin(), kept.end())) {
    return reduce_contiguous(kind, from, shape, reduced_in_order, scale, out.as<char>(), out.dtype);
  }
  Workspace ordered(static_cast<size_t>(out.size() * itemsize(out.dtype)));
  reduce_contiguous(kind, from, shape, reduced_in_order, scale, ordered.as<char>(), out.dtype);
  Shape out_shape;
  Strides strides;
  for (int64_t axis = 0; axis < in.rank(); ++axis) {
    const auto d = static_cast<size_t>(axis);
    if (reduced[d]) continue;
    int64_t stride = 1;
    for (size_t i = kept.size(); i-- > 0 && kept[i] != axis;)
      stride *= in.shape[static_cast<size_t>(kept[i])].value();
    out_shape.push_back(in.shape[d]);
    strides.push_back(stride);
  }
  copy_elements(out.dtype, out_shape, ordered.as<char>(), strides, out.as<char>(),
                contiguous_strides(out_shape));
}

}  // namespace dyad::kernels
