#include "codegen/loops/loop.h"

#include <cstdio>

#include "base/error.h"

namespace dyad::codegen {

namespace {

std::string right_side(const Instruction& instruction) {
  std::string out;
  switch (instruction.kind) {
    case Instruction::Kind::kLoad:
      return cat("load ", instruction.number);
    case Instruction::Kind::kConstant:
      return hexadecimal(instruction.bits);
    case Instruction::Kind::kConvert:
      return cat("convert %", instruction.args[0]);
    case Instruction::Kind::kApply:
      out = cat(instruction.name, ".", dtype_name(instruction.from));
  }
  for (size_t i = 0; i < instruction.args.size(); ++i) out += cat(i ? ", %" : " %", instruction.args[i]);
  return out;
}

}  // namespace

std::string hexadecimal(uint64_t bits) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

std::string Loop::text() const {
  std::string out = "loop (";
  for (size_t i = 0; i < loads.size(); ++i) {
    out += cat(i ? ", " : "", dtype_name(loads[i].dtype), loads[i].step == Step::kSame ? " same" : " next");
  }
  out += ")\n";
  for (size_t i = 0; i < body.size(); ++i)
    out += cat("  %", i, ": ", dtype_name(body[i].dtype), " = ", right_side(body[i]), "\n");
  out += "  store ";
  for (size_t i = 0; i < stored.size(); ++i) out += cat(i ? ", %" : "%", stored[i]);
  return out + "\n";
}

}  // namespace dyad::codegen
