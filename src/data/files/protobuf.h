#pragma once

#include <cstdint>
#include <string_view>

namespace dyad::data {

/// One field of a message in the wire format of protocol buffers.
struct WireField {
  uint64_t number = 0;
  enum class Kind { kVarint, kFixed64, kBytes, kFixed32 } kind = Kind::kVarint;
  uint64_t value = 0;      ///< of a varint or a fixed number
  std::string_view bytes;  ///< of a text, a message or packed numbers
};

/// Walks over the fields of a message.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}
  /// The next field; false at the end, and at bytes that are none.
  bool next(WireField& field);
  /// The next varint where varints are packed without tags; false at the end, and at bytes that are none.
  bool varint(uint64_t& value);
  /// Whether it stopped at bytes that are no field.
  bool broken() const { return broken_; }

 private:
  bool take(size_t size, std::string_view& bytes);
  bool fixed(size_t size, uint64_t& value);
  bool fail();
  std::string_view rest_;
  bool broken_ = false;
};

}  // namespace dyad::data
