#include "kernels/cpu/product_steps.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

/// Elements handled at a time by all steps: they stay in the first cache.
constexpr int64_t kLine = 2048;

struct NamedStep {
  const LoopEntry* entry;
  bool number;  ///< the second operand is one
};

/// The loops that a text names; found once per thread and text.
const std::vector<NamedStep>& named_steps(const std::string& text) {
  thread_local std::unordered_map<std::string, std::vector<NamedStep>> known;
  const auto [at, added] = known.try_emplace(text);
  if (!added) return at->second;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool number = name.ends_with('#');
    if (number) name.remove_suffix(1);
    const Kernel kernel = KernelRegistry::instance().find(name, DeviceKind::kCpu);
    at->second.push_back({static_cast<const LoopEntry*>(kernel.payload), number});
  }
  return at->second;
}

}  // namespace

ProductSteps::ProductSteps(const ValueImpl& out, const std::string& text, const ValueList& operands,
                           const Floats& numbers)
    : itemsize_(itemsize(out.dtype)), width_(sizes(out.shape)[out.rank() - 1]) {
  if (text.empty()) return;
  size_t tensor = 0;
  size_t number = 0;
  numbers_.resize(numbers.size());  // does not grow any more: steps point into it
  for (const NamedStep& named : named_steps(text)) {
    const Loop loop = named.entry->loops[static_cast<size_t>(out.dtype)];
    Step step{loop, named.entry->operands == 2, nullptr, 0, 0};
    if (named.number) {
      store(Scalar(numbers[number]), out.dtype, &numbers_[number]);
      step.data = reinterpret_cast<const char*>(&numbers_[number++]);
    } else if (step.binary) {
      lay_out(step, *operands[tensor++], out);
    }
    const bool same = step.column_step == 0 && step.row_step == 0;
    whole_ = whole_ && (same || (step.column_step == 1 && step.row_step == width_));
    steps_.push_back(step);
  }
}

void ProductSteps::lay_out(Step& step, const ValueImpl& operand, const ValueImpl& out) {
  const Strides strides = broadcast_strides(operand.shape, operand.strides, out.shape);
  const size_t last = strides.size() - 1;
  step.data = operand.as<char>();
  step.column_step = sizes(out.shape)[last] == 1 ? 0 : strides[last];
  int64_t rows = 1;
  bool even = step.column_step == 0 || step.column_step == 1;
  for (size_t d = last; d-- > 0;) {
    const int64_t size = sizes(out.shape)[d];
    if (size == 1) continue;
    if (rows == 1) step.row_step = strides[d];
    even = even && strides[d] == step.row_step * rows;
    rows *= size;
  }
  if (even) return;
  const Borrowed spread(const_cast<char*>(step.data), operand.dtype, out.shape, strides);
  const Prepared& copy = copies_.emplace_back(spread, operand.dtype, Prepared::kContiguous);
  step.data = copy->as<char>();
  step.column_step = 1;
  step.row_step = width_;
}

void ProductSteps::run_line(int64_t row, int64_t column, int64_t count, char* c) const {
  for (const Step& step : steps_) {
    const char* second = step.data + (row * step.row_step + column * step.column_step) * itemsize_;
    const void* in[] = {c, second};
    const uint8_t moves[] = {1, step.column_step != 0};
    step.loop(count, in, moves, c);
  }
}

void ProductSteps::run(int64_t row, int64_t rows, int64_t column, int64_t columns, void* c,
                       int64_t c_stride) const {
  char* at = static_cast<char*>(c);
  int64_t count = columns;
  if (whole_ && c_stride == columns && columns == width_) {
    count *= rows;
    rows = 1;
  }
  for (int64_t i = 0; i < rows; ++i, at += c_stride * itemsize_) {
    for (int64_t j = 0; j < count; j += kLine) {
      run_line(row + i, column + j, std::min(kLine, count - j), at + j * itemsize_);
    }
  }
}

}  // namespace dyad::kernels
