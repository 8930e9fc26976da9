#include "kernels/cpu/fill.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kFillGrain = 1 << 17;  // elements
constexpr int64_t kPattern = 4096;       // bytes; stays in the first cache while it is copied out

}  // namespace

void repeat_element(const void* element, int64_t bytes, int64_t count, void* to) {
  const auto* given = static_cast<const char*>(element);
  auto* target = static_cast<char*>(to);
  if (std::all_of(given, given + bytes, [&](char byte) { return byte == given[0]; })) {
    std::memset(target, given[0], static_cast<size_t>(count * bytes));
    return;
  }
  // The element doubles up to a pattern, and the pattern is laid down until the end.
  const int64_t total = count * bytes;
  int64_t done = std::min(bytes, total);
  std::memcpy(target, given, static_cast<size_t>(done));
  while (done < total) {
    const int64_t next = std::min({done, kPattern, total - done});
    std::memcpy(target + done, target, static_cast<size_t>(next));
    done += next;
  }
}

void fill(ValueImpl& out, Scalar number) {
  alignas(16) char element[16] = {};
  store(number, out.dtype, element);
  const int64_t bytes = itemsize(out.dtype);
  parallel_for(out.size(), kFillGrain, [&](int64_t begin, int64_t end) {
    repeat_element(element, bytes, end - begin, out.as<char>() + begin * bytes);
  });
}

}  // namespace dyad::kernels
