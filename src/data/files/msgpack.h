#pragma once

#include <cstdint>
#include <string_view>

namespace dyad::data {

/// A value of MessagePack. Lists and maps are walked over, not kept.
struct PackedValue {
  enum class Kind { kNone, kBool, kInteger, kUnsigned, kNumber, kText, kOther } kind = Kind::kNone;
  int64_t integer = 0;  ///< also of kBool; of kUnsigned where it does not fit, its bits
  double number = 0;
  std::string_view text;
};

/// Looks up a key in a MessagePack map from texts to values. False if the bytes are no such map; a key that
/// is not there gives kNone.
bool find_packed(std::string_view map, std::string_view key, PackedValue& found);

}  // namespace dyad::data
