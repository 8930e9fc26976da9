#include <charconv>
#include <cmath>

#include "base/error.h"
#include "data/rows/transform.h"
#include "types/visit.h"

namespace dyad::data {

namespace {

/// Without white space around it and a plus before it.
std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

[[noreturn]] void refuse(const std::string& text, DType dtype, std::errc fault) {
  if (fault == std::errc::result_out_of_range)
    runtime_error("ToNumber: '", text, "' is out of the range of ", dtype_name(dtype));
  runtime_error("ToNumber: '", text, "' is not a number of ", dtype_name(dtype));
}

template <class T>
T number_from(const std::string& text, DType dtype) {
  const std::string_view digits = stripped(text);
  T number{};
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  // "-1" for an unsigned number is a number, only one that does not fit.
  if (std::is_unsigned_v<T> && digits.size() > 1 && digits[0] == '-') {
    const auto whole = number_from<int64_t>(text, dtype);
    if (whole < 0) refuse(text, dtype, std::errc::result_out_of_range);
    return static_cast<T>(whole);
  }
  if (fault != std::errc{} || end != digits.data() + digits.size()) refuse(text, dtype, fault);
  return number;
}

template <class T>
T narrow_from(const std::string& text, DType dtype) {
  const T number(number_from<float>(text, dtype));
  if (std::isinf(static_cast<float>(number)) && text.find_first_of("iI") == std::string::npos)
    refuse(text, dtype, std::errc::result_out_of_range);
  return number;
}

Item numbers_of(const Texts& texts, DType dtype) {
  Tensor result = empty(dtype, texts.shape);
  visit_dtype(dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    for (size_t i = 0; i < texts.values.size(); ++i) {
      if constexpr (std::is_same_v<T, bool> || is_complex_type<T>) {
        raise(ErrorKind::kInternal, "ToNumber of a dtype without a way to read it");
      } else if constexpr (std::is_arithmetic_v<T>) {
        result->as<T>()[i] = number_from<T>(texts.values[i], dtype);
      } else {
        result->as<T>()[i] = narrow_from<T>(texts.values[i], dtype);
      }
    }
  });
  return result;
}

TransformRef make_to_number(const Attributes& attributes) {
  return of_one("ToNumber", [dtype = attributes.dtype("dtype")](const Item& item, Random&) {
    return numbers_of(item.texts("ToNumber"), dtype);
  });
}

DYAD_TRANSFORM(to_number, make_to_number);

}  // namespace

}  // namespace dyad::data
