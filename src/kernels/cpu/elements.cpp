// Reading and writing along one axis with an index for every element.

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "base/range_error.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/index_plan.h"
#include "kernels/cpu/overlap.h"
#include "kernels/cpu/reduction.h"
#include "kernels/cpu/window.h"
#include "runtime/allocator.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kElementsGrain = 1 << 14;

/// The index tensor as lines along the axis: line l starts `lines[l]` elements after the first one of the
/// indexed tensor, and holds `length` indices that lie `index_step` apart from `index_lines[l]` on.
struct Lines {
  std::vector<int64_t> starts;
  std::vector<int64_t> index_starts;
  int64_t length = 1;
  int64_t index_step = 1;
  int64_t size = 1;    ///< of the indexed dimension
  int64_t stride = 1;  ///< of the indexed dimension
};

Lines lines_of(const Shape& shape, const Strides& strides, const Shape& index_shape, size_t axis) {
  Lines lines;
  if (shape.empty()) {
    lines.starts = {0};
    lines.index_starts = {0};
    return lines;
  }
  Shape rest = index_shape;
  Strides across = strides;
  Strides index_strides = contiguous_strides(index_shape);
  lines.length = index_shape[axis].value();
  lines.index_step = index_strides[axis];
  lines.size = shape[axis].value();
  lines.stride = strides[axis];
  rest.erase(axis);
  across.erase(axis);
  index_strides.erase(axis);
  lines.starts = strided_offsets(rest, across);
  lines.index_starts = strided_offsets(rest, index_strides);
  return lines;
}

std::vector<int64_t> checked_indices(std::string_view op, const ValueImpl& index, const Lines& lines,
                                     size_t axis) {
  std::vector<int64_t> numbers = read_indices(index, index.shape);
  for (int64_t& number : numbers) {
    const int64_t place = number < 0 ? number + lines.size : number;
    if (place < 0 || place >= lines.size) {
      range_error(op, ": index ", number, " is out of range for dimension ", axis, " of size ", lines.size);
    }
    number = place * lines.stride;
  }
  return numbers;
}

template <class Body>
void for_each_line(const Lines& lines, const Body& body) {
  const int64_t grain = std::max<int64_t>(1, kElementsGrain / std::max<int64_t>(1, lines.length));
  parallel_for(static_cast<int64_t>(lines.starts.size()), grain, [&](int64_t begin, int64_t end) {
    for (int64_t l = begin; l < end; ++l) {
      body(lines.starts[static_cast<size_t>(l)], lines.index_starts[static_cast<size_t>(l)]);
    }
  });
}

size_t axis_of(const KernelCall& call) {
  return static_cast<size_t>(normalize_axis(call.op(), call.integer(1), call.in(0).rank()));
}

void run_gather_elements(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  ValueImpl& out = call.out();
  if (out.size() == 0) return;
  const size_t axis = axis_of(call);
  const Lines lines = lines_of(input.shape, input.strides, out.shape, axis);
  const std::vector<int64_t> offsets = checked_indices(call.op(), call.in(2), lines, axis);
  visit_width(out.dtype, [&]<class T>(Typed<T>) {
    for_each_line(lines, [&](int64_t start, int64_t index_start) {
      const T* source = input.as<T>() + start;
      T* target = out.as<T>() + index_start;
      for (int64_t i = 0; i < lines.length; ++i) {
        const int64_t at = i * lines.index_step;
        target[at] = source[offsets[static_cast<size_t>(index_start + at)]];
      }
    });
  });
}

void scatter_elements(const KernelCall& call, ValueImpl& out) {
  const ValueImpl& index = call.in(2);
  if (index.size() == 0) return;
  const size_t axis = axis_of(call);
  const Lines lines = lines_of(out.shape, out.strides, index.shape, axis);
  const std::vector<int64_t> offsets = checked_indices(call.op(), index, lines, axis);
  Workspace scratch(static_cast<size_t>(index.size() * itemsize(out.dtype)));
  Window values(out, index.shape, contiguous_strides(index.shape));
  values.data = scratch.as<void>();
  if (call.is_value(3)) {
    // `src` may be larger than `index`; its leading corner is what is read.
    const ValueImpl& source = call.in(3);
    const bool whole = source.rank() != index.rank();
    copy(Window(source, whole ? source.shape : index.shape, source.strides), values);
  } else {
    alignas(16) char element[16] = {};
    store(call.number(3), out.dtype, element);
    Window number(out, {}, {});
    number.data = element;
    copy(number, values);
  }
  visit_dtype(out.dtype, [&]<class T>(Typed<T>) {
    with_reduction<T>(reduction_of(call.text(4)), [&](auto meet) {
      for_each_line(lines, [&](int64_t start, int64_t index_start) {
        T* target = out.as<T>() + start;
        const T* source = values.as<T>() + index_start;
        for (int64_t i = 0; i < lines.length; ++i) {
          const int64_t at = i * lines.index_step;
          T& element = target[offsets[static_cast<size_t>(index_start + at)]];
          element = meet(element, source[at]);
        }
      });
    });
  });
}

void run_scatter_elements(const KernelCall& call) {
  copy(call.in(0), call.out());
  scatter_elements(call, call.out());
}

void run_scatter_elements_into(const KernelCall& call) { scatter_elements(call, call.out()); }

}  // namespace

DYAD_CPU_KERNEL(gather_elements, run_gather_elements);
DYAD_CPU_KERNEL(scatter_elements, run_scatter_elements);
DYAD_CPU_KERNEL(scatter_elements_into, run_scatter_elements_into);

}  // namespace dyad::kernels
