#include "base/text.h"
#include "codegen/loops/schedule.h"

namespace dyad::codegen {

namespace {

std::string text_of(const OperandRef& ref) {
  constexpr const char* names[] = {"tensor ", "kept ", "accumulator ", "scratch ", "scale "};
  return cat(names[static_cast<size_t>(ref.kind)], ref.number);
}

std::string text_of(const char* name, const BoundLoop& bound) {
  if (bound.empty()) return "";
  std::string out = cat(name, " on ");
  for (size_t i = 0; i < bound.operands.size(); ++i) {
    const OperandRef& ref = bound.operands[i];
    const bool is_number = ref.kind == OperandRef::Kind::kNumber;
    out += cat(i == 0                         ? ""
               : i == bound.loop.loads.size() ? " -> "
                                              : ", ",
               is_number ? cat("number ", hexadecimal(bound.numbers[ref.number].second)) : text_of(ref));
  }
  return out + "\n" + bound.loop.text();
}

}  // namespace

std::string Schedule::text() const {
  std::string out;
  for (const Axis& axis : axes) {
    out += cat(axis.reduced ? "reduced " : "kept ", axis.size, ":");
    for (const int64_t stride : axis.strides) out += cat(" ", stride);
    out += "\n";
  }
  for (const Phase& phase : phases) {
    out += text_of("full", phase.full);
    for (const Fold& fold : phase.folds) {
      out += cat("fold ", to_text(fold.reduction), " ", dtype_name(fold.compute_dtype), " ",
                 text_of(fold.input), "\n");
    }
    out += text_of("kept", phase.kept);
  }
  return out;
}

}  // namespace dyad::codegen
