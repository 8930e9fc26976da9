#pragma once

#include "codegen/loops/schedule.h"

namespace dyad::codegen {

/// Writes a loop along one axis of a schedule; equal instructions are written once.
class LoopBuilder {
 public:
  /// Without an axis (-1) the loop has one element.
  LoopBuilder(const Schedule& schedule, int axis) : schedule_(schedule), axis_(axis) {}

  uint32_t load(OperandRef ref, DType dtype);
  uint32_t apply(std::string name, DType computing, std::vector<uint32_t> args);
  uint32_t convert(uint32_t value, DType dtype);
  /// A value of the computation that is no reduction, from what its arguments are here.
  uint32_t add(const Computation::Value& value, std::vector<uint32_t> args);
  void store(uint32_t value, OperandRef ref);
  BoundLoop finish();

 private:
  uint32_t load_number(const Computation::Value& constant);
  uint32_t add(Instruction instruction);
  Step step_of(OperandRef ref) const;

  const Schedule& schedule_;
  int axis_;
  BoundLoop made_;
  std::vector<OperandRef> stores_;
};

}  // namespace dyad::codegen
