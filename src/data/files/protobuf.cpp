#include "data/files/protobuf.h"

#include <cstring>

namespace dyad::data {

bool WireReader::fail() {
  broken_ = true;
  rest_ = {};
  return false;
}

bool WireReader::varint(uint64_t& value) {
  if (rest_.empty()) return false;
  value = 0;
  for (size_t i = 0; i < 10 && i < rest_.size(); ++i) {
    const auto byte = static_cast<uint8_t>(rest_[i]);
    value |= static_cast<uint64_t>(byte & 127) << (7 * i);
    if (byte < 128) {
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return fail();
}

bool WireReader::take(size_t size, std::string_view& bytes) {
  if (size > rest_.size()) return fail();
  bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::fixed(size_t size, uint64_t& value) {
  std::string_view bytes;
  if (!take(size, bytes)) return false;
  value = 0;
  std::memcpy(&value, bytes.data(), size);
  return true;
}

bool WireReader::next(WireField& field) {
  uint64_t tag = 0;
  if (!varint(tag)) return false;
  field.number = tag >> 3;
  uint64_t size = 0;
  switch (tag & 7) {
    case 0:
      field.kind = WireField::Kind::kVarint;
      return varint(field.value) || fail();
    case 1:
      field.kind = WireField::Kind::kFixed64;
      return fixed(8, field.value);
    case 2:
      field.kind = WireField::Kind::kBytes;
      return varint(size) ? take(size, field.bytes) : fail();
    case 5:
      field.kind = WireField::Kind::kFixed32;
      return fixed(4, field.value);
    default:
      return fail();
  }
}

}  // namespace dyad::data
