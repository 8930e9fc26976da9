#include "data/files/msgpack.h"

#include <bit>

namespace dyad::data {

namespace {

using Kind = PackedValue::Kind;

/// Takes values from the front of some bytes.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  /// The number of pairs of a map; false if no map is next.
  bool map(uint64_t& pairs) {
    const uint8_t tag = peek();
    if (tag >= 0x80 && tag <= 0x8F) return skip_tag() && ((pairs = tag & 15), true);
    if (tag == 0xDE || tag == 0xDF) return skip_tag() && big_endian(tag == 0xDE ? 2 : 4, pairs);
    return false;
  }

  bool value(PackedValue& out) {
    if (rest_.empty()) return false;
    const uint8_t tag = peek();
    skip_tag();
    if (tag < 0x80) return integer(out, tag);
    if (tag >= 0xE0) return integer(out, static_cast<int8_t>(tag));
    if (tag >= 0xA0 && tag < 0xC0) return text(out, tag & 31);
    if (tag < 0xA0) return container(out, tag & 15, tag < 0x90 ? 2 : 1);
    return tagged(out, tag);
  }

 private:
  uint8_t peek() const { return rest_.empty() ? 0xC1 : static_cast<uint8_t>(rest_[0]); }
  bool skip_tag() {
    rest_.remove_prefix(1);
    return true;
  }

  bool big_endian(size_t size, uint64_t& number) {
    if (rest_.size() < size) return false;
    number = 0;
    for (size_t i = 0; i < size; ++i) number = number << 8 | static_cast<uint8_t>(rest_[i]);
    rest_.remove_prefix(size);
    return true;
  }

  static bool integer(PackedValue& out, int64_t number) {
    out.kind = Kind::kInteger;
    out.integer = number;
    return true;
  }

  bool text(PackedValue& out, uint64_t size) {
    if (size > rest_.size()) return false;
    out.kind = Kind::kText;
    out.text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  /// Walks over what a list or a map holds.
  bool container(PackedValue& out, uint64_t entries, uint64_t values_per_entry) {
    if (++depth_ > 32) return false;
    PackedValue ignored;
    for (uint64_t i = 0; i < entries * values_per_entry; ++i)
      if (!value(ignored)) return false;
    --depth_;
    out = {};
    out.kind = Kind::kOther;
    return true;
  }

  bool sized_text(PackedValue& out, size_t size_bytes, uint64_t more) {
    uint64_t size = 0;
    return big_endian(size_bytes, size) && text(out, size + more);
  }

  bool unsigned_integer(PackedValue& out, size_t size) {
    uint64_t number = 0;
    if (!big_endian(size, number)) return false;
    integer(out, static_cast<int64_t>(number));
    if (out.integer < 0) out.kind = Kind::kUnsigned;
    return true;
  }

  bool signed_integer(PackedValue& out, size_t size) {
    uint64_t number = 0;
    if (!big_endian(size, number)) return false;
    const size_t unused = 64 - 8 * size;
    return integer(out, static_cast<int64_t>(number << unused) >> unused);
  }

  bool floating(PackedValue& out, size_t size) {
    uint64_t bits = 0;
    if (!big_endian(size, bits)) return false;
    out.kind = Kind::kNumber;
    out.number = size == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
    return true;
  }

  bool counted(PackedValue& out, size_t size_bytes, uint64_t values_per_entry) {
    uint64_t entries = 0;
    return big_endian(size_bytes, entries) && container(out, entries, values_per_entry);
  }

  bool tagged(PackedValue& out, uint8_t tag) {
    const size_t width = size_t{1} << (tag & 3);
    switch (tag) {
      case 0xC0:
        out = {};
        return true;
      case 0xC2:
      case 0xC3:
        integer(out, tag & 1);
        out.kind = Kind::kBool;
        return true;
      case 0xC4:
        return sized_text(out, 1, 0);
      case 0xC5:
        return sized_text(out, 2, 0);
      case 0xC6:
        return sized_text(out, 4, 0);
      case 0xC7:
        return sized_text(out, 1, 1);  // an extension: a kind, then its bytes
      case 0xC8:
        return sized_text(out, 2, 1);
      case 0xC9:
        return sized_text(out, 4, 1);
      case 0xCA:
        return floating(out, 4);
      case 0xCB:
        return floating(out, 8);
      case 0xCC:
      case 0xCD:
      case 0xCE:
      case 0xCF:
        return unsigned_integer(out, width);
      case 0xD0:
      case 0xD1:
      case 0xD2:
      case 0xD3:
        return signed_integer(out, width);
      case 0xD4:
      case 0xD5:
      case 0xD6:
      case 0xD7:
        return text(out, width + 1);
      case 0xD8:
        return text(out, 17);
      case 0xD9:
        return sized_text(out, 1, 0);
      case 0xDA:
        return sized_text(out, 2, 0);
      case 0xDB:
        return sized_text(out, 4, 0);
      case 0xDC:
        return counted(out, 2, 1);
      case 0xDD:
        return counted(out, 4, 1);
      case 0xDE:
        return counted(out, 2, 2);
      case 0xDF:
        return counted(out, 4, 2);
      default:
        return false;
    }
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

bool find_packed(std::string_view map, std::string_view key, PackedValue& found) {
  Unpacker unpacker(map);
  uint64_t pairs = 0;
  if (!unpacker.map(pairs)) return false;
  found = {};
  for (uint64_t i = 0; i < pairs; ++i) {
    PackedValue name;
    PackedValue value;
    if (!unpacker.value(name) || !unpacker.value(value)) return false;
    if (name.kind == Kind::kText && name.text == key) found = value;
  }
  return true;
}

}  // namespace dyad::data
