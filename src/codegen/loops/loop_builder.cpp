#include "codegen/loops/loop_builder.h"

#include <algorithm>

namespace dyad::codegen {

namespace {

bool equal(const Instruction& a, const Instruction& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.from == b.from && a.name == b.name && a.args == b.args &&
         a.number == b.number && a.bits == b.bits;
}

}  // namespace

Step LoopBuilder::step_of(OperandRef ref) const {
  switch (ref.kind) {
    case OperandRef::Kind::kTensor:
      if (axis_ < 0) return Step::kSame;
      return schedule_.axes[static_cast<size_t>(axis_)].strides[ref.number] == 0 ? Step::kSame : Step::kNext;
    case OperandRef::Kind::kKept:
      // Along a reduced axis it stays.
      return axis_ >= 0 && schedule_.axes[static_cast<size_t>(axis_)].reduced ? Step::kSame : Step::kNext;
    case OperandRef::Kind::kScale:
    case OperandRef::Kind::kNumber:
      return Step::kSame;
    default:
      return Step::kNext;
  }
}

uint32_t LoopBuilder::add(Instruction instruction) {
  auto& body = made_.loop.body;
  const auto at = std::find_if(body.begin(), body.end(),
                               [&](const Instruction& other) { return equal(other, instruction); });
  if (at != body.end()) return static_cast<uint32_t>(at - body.begin());
  body.push_back(std::move(instruction));
  return static_cast<uint32_t>(body.size() - 1);
}

uint32_t LoopBuilder::load(OperandRef ref, DType dtype) {
  auto& operands = made_.operands;
  const auto at = std::find_if(operands.begin(), operands.end(), [&](const OperandRef& other) {
    return other.kind == ref.kind && other.number == ref.number;
  });
  const auto number = static_cast<uint32_t>(at - operands.begin());
  if (at == operands.end()) {
    operands.push_back(ref);
    made_.loop.loads.push_back({dtype, step_of(ref)});
  }
  Instruction instruction;
  instruction.kind = Instruction::Kind::kLoad;
  instruction.dtype = instruction.from = dtype;
  instruction.number = number;
  return add(std::move(instruction));
}

uint32_t LoopBuilder::load_number(const Computation::Value& constant) {
  auto& numbers = made_.numbers;
  const std::pair<DType, uint64_t> number(constant.dtype, constant.bits);
  const auto at = std::ranges::find(numbers, number);
  const auto place = static_cast<uint32_t>(at - numbers.begin());
  if (at == numbers.end()) numbers.push_back(number);
  return load({OperandRef::Kind::kNumber, place}, constant.dtype);
}

uint32_t LoopBuilder::apply(std::string name, DType computing, std::vector<uint32_t> args) {
  Instruction instruction;
  instruction.kind = Instruction::Kind::kApply;
  instruction.dtype = instruction.from = computing;
  instruction.name = std::move(name);
  instruction.args = std::move(args);
  return add(std::move(instruction));
}

uint32_t LoopBuilder::convert(uint32_t value, DType dtype) {
  const DType from = made_.loop.body[value].dtype;
  if (from == dtype) return value;
  Instruction instruction;
  instruction.kind = Instruction::Kind::kConvert;
  instruction.dtype = dtype;
  instruction.from = from;
  instruction.args = {value};
  return add(std::move(instruction));
}

uint32_t LoopBuilder::add(const Computation::Value& value, std::vector<uint32_t> args) {
  if (value.kind == Computation::Value::Kind::kParam)
    return load({OperandRef::Kind::kTensor, value.number}, value.dtype);
  if (value.loaded) return load_number(value);
  Instruction instruction;
  instruction.kind = value.kind == Computation::Value::Kind::kConstant  ? Instruction::Kind::kConstant
                     : value.kind == Computation::Value::Kind::kConvert ? Instruction::Kind::kConvert
                                                                        : Instruction::Kind::kApply;
  instruction.dtype = value.dtype;
  instruction.from = value.from;
  instruction.name = value.name;
  instruction.args = std::move(args);
  instruction.bits = value.bits;
  return add(std::move(instruction));
}

void LoopBuilder::store(uint32_t value, OperandRef ref) {
  made_.loop.stores.push_back({made_.loop.body[value].dtype, Step::kNext});
  made_.loop.stored.push_back(value);
  stores_.push_back(ref);
}

BoundLoop LoopBuilder::finish() {
  made_.operands.insert(made_.operands.end(), stores_.begin(), stores_.end());
  return std::move(made_);
}

}  // namespace dyad::codegen
