#include <cstring>

#include "base/error.h"
#include "data/files/mindrecord.h"
#include "data/files/msgpack.h"
#include "data/files/utf8.h"

namespace dyad::data {

namespace {

using Kind = PackedValue::Kind;

[[noreturn]] void fail(const RecordColumn& column, std::string_view where, std::string_view fault) {
  runtime_error(where, ": column ", column.name, ": ", fault);
}

uint64_t big_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

/// The part of the blob that belongs to a column.
std::string_view blob_part(const RecordColumn& column, std::string_view blob, int64_t columns,
                           std::string_view where) {
  if (columns == 1) return blob;
  for (int64_t i = 0;; ++i) {
    if (blob.size() < 8) fail(column, where, "the row ends before it");
    const uint64_t size = big_endian(blob.substr(0, 8));
    blob.remove_prefix(8);
    if (size > blob.size()) fail(column, where, "it is longer than what is left of the row");
    if (i == column.blob) return blob.substr(0, size);
    blob.remove_prefix(size);
  }
}

Tensor array(const RecordColumn& column, DType dtype, int64_t count, std::string_view where) {
  Shape shape;
  if (!column.shape_for(count, shape))
    fail(column, where, cat("it has ", count, " values, which its shape in the schema does not take"));
  return empty(dtype, shape);
}

Item plain_array(const RecordColumn& column, DType dtype, std::string_view bytes, std::string_view where) {
  const int64_t width = itemsize(dtype);
  const auto size = static_cast<int64_t>(bytes.size());
  if (size % width != 0) fail(column, where, cat("its ", size, " bytes are no whole number of values"));
  Tensor made = array(column, dtype, size / width, where);
  if (size > 0) std::memcpy(made->as<char>(), bytes.data(), bytes.size());
  return made;
}

/// Takes an integer of `width` bytes, low byte first, from the front.
int64_t take_integer(std::string_view& bytes, size_t width) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data(), width);
  bytes.remove_prefix(width);
  const size_t unused = 64 - 8 * width;
  return static_cast<int64_t>(number << unused) >> unused;
}

/// Integers in as few bytes as each needs: their number (4 bytes), two bits per integer for its width, the
/// integers.
template <class T>
Item packed_array(const RecordColumn& column, DType dtype, std::string_view bytes, std::string_view where) {
  if (bytes.size() < 4) fail(column, where, "the number of its integers is missing");
  const uint64_t count = big_endian(bytes.substr(0, 4));
  bytes.remove_prefix(4);
  const uint64_t widths_size = (count + 3) / 4;
  if (bytes.size() < widths_size + count) fail(column, where, "its integers are cut off");
  const std::string_view widths = bytes.substr(0, widths_size);
  bytes.remove_prefix(widths_size);
  Tensor made = array(column, dtype, static_cast<int64_t>(count), where);
  T* to = made->as<T>();
  for (uint64_t i = 0; i < count; ++i) {
    const size_t width = size_t{1} << ((static_cast<uint8_t>(widths[i / 4]) >> (6 - 2 * (i % 4))) & 3);
    if (width > bytes.size()) fail(column, where, "its integers are cut off");
    to[i] = static_cast<T>(take_integer(bytes, width));
  }
  return made;
}

template <class T>
Item integer_item(const RecordColumn& column, DType dtype, const PackedValue& value, std::string_view where) {
  const bool whole = value.kind == Kind::kInteger || value.kind == Kind::kBool;
  const auto number = static_cast<T>(value.integer);
  if (!whole || number != value.integer) fail(column, where, cat("its value is no ", column.type));
  return one_number(dtype, number);
}

template <class T>
Item number_item(const RecordColumn& column, DType dtype, const PackedValue& value, std::string_view where) {
  switch (value.kind) {
    case Kind::kNumber:
      return one_number(dtype, static_cast<T>(value.number));
    case Kind::kInteger:
      return one_number(dtype, static_cast<T>(value.integer));
    case Kind::kUnsigned:
      return one_number(dtype, static_cast<T>(static_cast<uint64_t>(value.integer)));
    default:
      fail(column, where, cat("its value is no ", column.type));
  }
}

Item text_item(const RecordColumn& column, std::string_view text, std::string_view where) {
  if (utf8_end(text) < text.size()) fail(column, where, "its text is not UTF-8");
  return one_text(std::string(text));
}

}  // namespace

Item raw_item(const RecordColumn& column, std::string_view raw, std::string_view where) {
  PackedValue value;
  if (!find_packed(raw, column.name, value)) fail(column, where, "the row is broken");
  if (column.type == "int32") return integer_item<int32_t>(column, DType::kInt32, value, where);
  if (column.type == "int64") return integer_item<int64_t>(column, DType::kInt64, value, where);
  if (column.type == "float32") return number_item<float>(column, DType::kFloat32, value, where);
  if (column.type == "float64") return number_item<double>(column, DType::kFloat64, value, where);
  if (value.kind != Kind::kText) fail(column, where, "its value is no text");
  return text_item(column, value.text, where);
}

Item blob_item(const RecordColumn& column, std::string_view blob, int64_t columns, bool packed,
               std::string_view where) {
  const std::string_view part = blob_part(column, blob, columns, where);
  if (column.type == "int32")
    return packed ? packed_array<int32_t>(column, DType::kInt32, part, where)
                  : plain_array(column, DType::kInt32, part, where);
  if (column.type == "int64")
    return packed ? packed_array<int64_t>(column, DType::kInt64, part, where)
                  : plain_array(column, DType::kInt64, part, where);
  if (column.type == "float32") return plain_array(column, DType::kFloat32, part, where);
  if (column.type == "float64") return plain_array(column, DType::kFloat64, part, where);
  if (column.type == "uint8") return plain_array(column, DType::kUInt8, part, where);
  if (column.type == "string") return text_item(column, part, where);
  Texts bytes = one_text(std::string(part), true);
  bytes.shape = {1};
  return bytes;
}

}  // namespace dyad::data
