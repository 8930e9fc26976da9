#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/dtype.h"

namespace dyad::codegen {

/// How an operand moves along the inner axis of a loop.
enum class Step : uint8_t {
  kSame,  ///< one element for the whole row
  kNext,  ///< neighbours lie one after the other
};

/// Memory that a loop reads or writes.
struct Operand {
  DType dtype = DType::kFloat32;
  Step step = Step::kNext;
};

/// One value of a loop's body, made from values before it.
struct Instruction {
  enum class Kind : uint8_t {
    kLoad,      ///< the element of operand `number`
    kConstant,  ///< the element with these `bits`
    kConvert,   ///< args[0], of dtype `from`, as an element of `dtype`
    kApply,     ///< the scalar definition `name`, which computes in `from`, of the args
  };
  Kind kind = Kind::kLoad;
  DType dtype = DType::kFloat32;  ///< of the value
  DType from = DType::kFloat32;
  std::string name;
  std::vector<uint32_t> args;
  uint32_t number = 0;
  uint64_t bits = 0;
};

/// What a kernel does between two points where it must wait: an expression for each element of a row, over
/// many rows. Each element of a result depends on the same element of the operands only, so that a result
/// may lie over an operand. The text of two loops is equal if the code for them is.
struct Loop {
  std::vector<Operand> loads;
  std::vector<Operand> stores;  ///< all of them kNext
  std::vector<Instruction> body;
  std::vector<uint32_t> stored;  ///< per store, the value that it stores

  std::string text() const;
};

/// The bits of an element as text.
std::string hexadecimal(uint64_t bits);

/// Code of a loop. Addresses and distances between rows, in bytes, are those of the loads, then of the
/// stores.
using LoopFunction = void (*)(int64_t rows, int64_t count, void* const* operands, const int64_t* row_bytes);

}  // namespace dyad::codegen
