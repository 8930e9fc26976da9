#include <algorithm>
#include <limits>

#include "base/error.h"
#include "data/files/tf_example.h"
#include "data/files/utf8.h"
#include "types/half.h"

namespace dyad::data {

namespace {

std::string_view kind_name(Feature::Kind kind) {
  switch (kind) {
    case Feature::Kind::kBytes:
      return "bytes";
    case Feature::Kind::kFloat:
      return "float32";
    case Feature::Kind::kInt64:
      return "int64";
    case Feature::Kind::kNone:
      break;
  }
  return "nothing";
}

/// Makes the items of one column of one row.
class ColumnMaker {
 public:
  ColumnMaker(const Feature& feature, const DeclaredColumn& column, std::string_view where)
      : feature_(feature), column_(column), where_(where) {}

  Item make() const {
    const std::string& type = column_.type;
    switch (feature_.kind) {
      case Feature::Kind::kBytes:
        if (type == "string") return texts();
        if (type.empty() || type == "uint8") return bytes();
        break;
      case Feature::Kind::kFloat:
        if (type.empty() || type == "float32") return floats<float>(DType::kFloat32);
        if (type == "float64") return floats<double>(DType::kFloat64);
        if (type == "float16") return floats<Half>(DType::kFloat16);
        break;
      case Feature::Kind::kInt64:
        return integers();
      case Feature::Kind::kNone:
        fail(cat("column ", column_.name, " has no values"));
    }
    mismatch();
  }

 private:
  [[noreturn]] void fail(const std::string& fault) const { runtime_error(where_, ": ", fault); }
  [[noreturn]] void mismatch() const {
    fail(cat("column ", column_.name, " holds ", kind_name(feature_.kind), "; the schema says ",
             column_.type));
  }

  /// The shape for this number of values.
  Shape shape(size_t count) const {
    Shape shape;
    if (!column_.shape_for(static_cast<int64_t>(count), shape))
      fail(cat("column ", column_.name, " has ", count,
               " values; the shape in the schema does not take them"));
    return shape;
  }

  Item texts() const {
    Texts made;
    made.shape = shape(feature_.texts.size());
    for (const std::string_view text : feature_.texts) {
      if (utf8_end(text) < text.size())
        fail(cat("column ", column_.name, " is not UTF-8; a schema that says uint8 gives its bytes"));
      made.values.emplace_back(text);
    }
    return made;
  }

  /// The bytes of all texts one after the other; shorter ones are filled up with blanks.
  Item bytes() const {
    size_t longest = 0;
    for (const std::string_view text : feature_.texts) longest = std::max(longest, text.size());
    const size_t count = longest * feature_.texts.size();
    Tensor made = empty(DType::kUInt8, shape(count));
    auto* to = made->as<uint8_t>();
    for (const std::string_view text : feature_.texts) {
      std::fill(std::copy(text.begin(), text.end(), to), to + longest, ' ');
      to += longest;
    }
    return made;
  }

  template <class T>
  Item floats(DType dtype) const {
    Tensor made = empty(dtype, shape(feature_.floats.size()));
    std::transform(feature_.floats.begin(), feature_.floats.end(), made->as<T>(),
                   [](float value) { return static_cast<T>(value); });
    return made;
  }

  template <class T>
  Item integers_as(DType dtype) const {
    Tensor made = empty(dtype, shape(feature_.integers.size()));
    T* to = made->as<T>();
    for (const int64_t value : feature_.integers) {
      *to = static_cast<T>(value);
      if (static_cast<int64_t>(*to++) != value)
        fail(cat("column ", column_.name, " holds ", value, ", which is no ", column_.type));
    }
    return made;
  }

  Item integers() const {
    const std::string& type = column_.type;
    if (type.empty() || type == "int64") return integers_as<int64_t>(DType::kInt64);
    if (type == "int32") return integers_as<int32_t>(DType::kInt32);
    if (type == "int16") return integers_as<int16_t>(DType::kInt16);
    if (type == "int8") return integers_as<int8_t>(DType::kInt8);
    if (type == "uint8") return integers_as<uint8_t>(DType::kUInt8);
    if (type == "uint16") return integers_as<uint16_t>(DType::kUInt16);
    if (type == "uint32") return integers_as<uint32_t>(DType::kUInt32);
    if (type == "uint64") return integers_as<uint64_t>(DType::kUInt64);
    if (type == "bool") return integers_as<bool>(DType::kBool);
    mismatch();
  }

  const Feature& feature_;
  const DeclaredColumn& column_;
  std::string_view where_;
};

}  // namespace

Item feature_item(const Feature& feature, const DeclaredColumn& column, std::string_view where) {
  return ColumnMaker(feature, column, where).make();
}

}  // namespace dyad::data
