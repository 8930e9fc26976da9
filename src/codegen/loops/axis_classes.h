#pragma once

#include <vector>

namespace dyad::codegen {

/// Axes of values that turn out to be the same become one class.
class AxisClasses {
 public:
  int make() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int find(int axis) {
    while (parents_[static_cast<size_t>(axis)] != axis) axis = parents_[static_cast<size_t>(axis)];
    return axis;
  }
  void join(int a, int b) { parents_[static_cast<size_t>(find(a))] = find(b); }

 private:
  std::vector<int> parents_;
};

}  // namespace dyad::codegen
