#include "data/files/tf_example.h"

#include <cstring>

#include "data/files/protobuf.h"

namespace dyad::data {

namespace {

using Kind = WireField::Kind;

bool parse_texts(std::string_view list, std::vector<std::string_view>& texts) {
  WireReader reader(list);
  WireField field;
  while (reader.next(field))
    if (field.number == 1 && field.kind == Kind::kBytes) texts.push_back(field.bytes);
  return !reader.broken();
}

/// Numbers come one to a field, or many to a field without tags.
bool parse_floats(std::string_view list, std::vector<float>& floats) {
  WireReader reader(list);
  WireField field;
  while (reader.next(field)) {
    if (field.number != 1) continue;
    const auto single = static_cast<uint32_t>(field.value);
    std::string_view packed = field.bytes;
    if (field.kind == Kind::kFixed32) packed = {reinterpret_cast<const char*>(&single), 4};
    if ((field.kind != Kind::kFixed32 && field.kind != Kind::kBytes) || packed.size() % 4 != 0) return false;
    if (packed.empty()) continue;
    const size_t before = floats.size();
    floats.resize(before + packed.size() / 4);
    std::memcpy(floats.data() + before, packed.data(), packed.size());
  }
  return !reader.broken();
}

bool parse_integers(std::string_view list, std::vector<int64_t>& integers) {
  WireReader reader(list);
  WireField field;
  while (reader.next(field)) {
    if (field.number != 1) continue;
    if (field.kind == Kind::kVarint) {
      integers.push_back(static_cast<int64_t>(field.value));
      continue;
    }
    if (field.kind != Kind::kBytes) return false;
    WireReader packed(field.bytes);
    uint64_t value = 0;
    while (packed.varint(value)) integers.push_back(static_cast<int64_t>(value));
    if (packed.broken()) return false;
  }
  return !reader.broken();
}

bool parse_list(const WireField& field, Feature& feature) {
  if (field.kind != Kind::kBytes) return false;
  switch (field.number) {
    case 1:
      feature.kind = Feature::Kind::kBytes;
      return parse_texts(field.bytes, feature.texts);
    case 2:
      feature.kind = Feature::Kind::kFloat;
      return parse_floats(field.bytes, feature.floats);
    case 3:
      feature.kind = Feature::Kind::kInt64;
      return parse_integers(field.bytes, feature.integers);
    default:
      return true;
  }
}

/// An entry of the map from names to lists.
bool parse_feature(std::string_view entry, Feature& feature) {
  WireReader reader(entry);
  WireField field;
  while (reader.next(field)) {
    if (field.kind != Kind::kBytes) return false;
    if (field.number == 1) feature.name = field.bytes;
    if (field.number != 2) continue;
    WireReader lists(field.bytes);
    WireField list;
    while (lists.next(list))
      if (!parse_list(list, feature)) return false;
    if (lists.broken()) return false;
  }
  return !reader.broken();
}

}  // namespace

bool parse_example(std::string_view example, std::vector<Feature>& features) {
  WireReader reader(example);
  WireField message;
  WireField entry;
  while (reader.next(message)) {
    if (message.number != 1) continue;
    if (message.kind != Kind::kBytes) return false;
    WireReader entries(message.bytes);
    while (entries.next(entry)) {
      if (entry.number != 1) continue;
      if (entry.kind != Kind::kBytes || !parse_feature(entry.bytes, features.emplace_back())) return false;
    }
    if (entries.broken()) return false;
  }
  return !reader.broken();
}

}  // namespace dyad::data
