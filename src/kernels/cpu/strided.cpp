#include "kernels/cpu/strided.h"

namespace dyad::kernels {

StridedLoop::StridedLoop(const Shape& full, std::initializer_list<Strides> given) : arrays(given.size()) {
  build(full, given.begin());
}

StridedLoop::StridedLoop(const Shape& full, const Strides* given, size_t count) : arrays(count) {
  build(full, given);
}

void StridedLoop::build(const Shape& full, const Strides* given) {
  total = 1;
  for (size_t d = 0; d < full.size(); ++d) {
    const int64_t size = full[d].value();
    total *= size;
    if (size == 1) continue;
    bool merges = !shape.empty();
    for (size_t a = 0; merges && a < arrays; ++a) merges = strides[a].back() == given[a][d] * size;
    if (merges) {
      shape.back() *= size;
      for (size_t a = 0; a < arrays; ++a) strides[a].back() = given[a][d];
    } else {
      shape.push_back(size);
      for (size_t a = 0; a < arrays; ++a) strides[a].push_back(given[a][d]);
    }
  }
  if (shape.empty()) {
    shape.push_back(1);
    for (size_t a = 0; a < arrays; ++a) strides[a].push_back(1);
  }
}

}  // namespace dyad::kernels
