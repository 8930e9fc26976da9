#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "codegen/loops/loop.h"
#include "ir/graph.h"
#include "ops/op.h"

namespace dyad::codegen {

/// For each axis of a tensor the axis of the domain that it runs along; kNoAxis where it has size 1.
using AxisMap = SmallVector<int, 6>;
inline constexpr int kNoAxis = -1;

/// A fused function without its IR: one domain of axes, and values that are functions of some of them.
struct Computation {
  struct Value {
    enum class Kind : uint8_t { kParam, kConstant, kConvert, kApply, kReduce };
    Kind kind = Kind::kParam;
    DType dtype = DType::kFloat32;
    DType from = DType::kFloat32;  ///< as in Instruction
    std::string name;              ///< of the definition
    std::vector<uint32_t> args;
    uint32_t number = 0;  ///< of a parameter, its place in `params`
    uint64_t bits = 0;    ///< of the constant
    bool loaded =
        false;     ///< of the constant: it is read from memory, so that the code serves other numbers too
    int cost = 0;  ///< relative to an addition
    Reduction reduction = Reduction::kNone;
    /// Whether it differs along a reduced axis.
    bool full = false;
    /// How many reductions, one after the other, must be done before it can be computed.
    int level = 0;
  };
  struct Tensor {
    uint32_t value;  ///< of a result; of a parameter its place in the function
    AxisMap axes;
  };

  std::vector<Value> values;
  std::vector<Tensor> params;
  std::vector<Tensor> results;
  std::vector<bool> reduced;  ///< per axis of the domain

  size_t axis_count() const { return reduced.size(); }
};

/// Takes a fused function apart; nothing if it holds what loops cannot express.
std::optional<Computation> read_computation(const ir::Function& function);

}  // namespace dyad::codegen
