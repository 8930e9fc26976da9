#include "base/text.h"

#include <charconv>
#include <cmath>

namespace dyad::text {

void append(std::string& out, std::string_view part) { out.append(part); }

void append(std::string& out, double number) {
  if (std::isnan(number)) return append(out, "nan");
  if (std::isinf(number)) return append(out, number > 0 ? "inf" : "-inf");
  char digits[40];
  auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  std::string_view written(digits, static_cast<size_t>(end - digits));
  append(out, written);
  if (written.find_first_of(".e") == std::string_view::npos) append(out, ".0");
}

void append(std::string& out, long long number) { out += std::to_string(number); }
void append(std::string& out, unsigned long long number) { out += std::to_string(number); }

void Part::append_to(std::string& out) const {
  if (write_) return write_(out, at_);
  append(out, std::string_view(static_cast<const char*>(at_), size_));
}

std::string joined(std::initializer_list<Part> parts) {
  std::string out;
  for (const Part& part : parts) part.append_to(out);
  return out;
}

}  // namespace dyad::text
