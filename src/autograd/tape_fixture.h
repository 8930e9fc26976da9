#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "autograd/autograd_meta.h"
#include "autograd/engine.h"
#include "autograd/state.h"
#include "autograd/tape.h"
#include "base/error.h"
#include "eager/dispatch.h"
#include "ops/call.h"

namespace dyad::autograd {

using Numbers = std::vector<float>;

/// Tests that record: one transform is under way from the first line to the last.
class TapeFixture : public testing::Test {
 protected:
  TapeFixture() {
    eager::initialise();
    initialise();
    enter_transform();
    mark_ = next_sequence();
  }
  ~TapeFixture() override { exit_transform(); }

  static Tensor tensor(const Numbers& numbers) {
    Tensor made = empty(DType::kFloat32, {static_cast<int64_t>(numbers.size())});
    std::ranges::copy(numbers, made->as<float>());
    return made;
  }
  static Numbers numbers(const Value& value) {
    static const OpName copy{"copy"};
    const Value plain = copy(value);
    return {plain->as<float>(), plain->as<float>() + plain->size()};
  }
  Numbers gradient(const Value& output, const Value& input, bool keep = false) const {
    const Value seed[] = {Value()};
    return numbers(differentiate({&output, 1}, seed, {&input, 1}, mark_, keep).front());
  }
  template <class Action>
  static std::string message_of(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }
  uint64_t mark_ = 0;
};

}  // namespace dyad::autograd
