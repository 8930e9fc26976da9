#include "data/text/vocabulary.h"

#include <functional>

namespace dyad::data {

namespace {

uint64_t hash_of(std::string_view word) { return std::hash<std::string_view>{}(word); }

}  // namespace

Vocabulary::Vocabulary(const std::map<std::string, int64_t>& words) {
  for (const auto& [word, number] : words) add(word, number);
}

bool Vocabulary::holds(const Slot& slot, uint64_t hash, std::string_view word) const {
  return slot.hash == hash && std::string_view(letters_).substr(slot.start, slot.size) == word;
}

size_t Vocabulary::place(uint64_t hash, std::string_view word) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].number >= 0 && !holds(slots_[at], hash, word)) at = (at + 1) & mask;
  return at;
}

void Vocabulary::grow() {
  const std::vector<Slot> before = std::move(slots_);
  slots_.assign(before.empty() ? 16 : before.size() * 2, Slot{});
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.number < 0) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].number >= 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void Vocabulary::add(std::string_view word, int64_t number) {
  if (2 * (taken_ + 1) > slots_.size()) grow();
  const uint64_t hash = hash_of(word);
  Slot& slot = slots_[place(hash, word)];
  if (slot.number >= 0) return;
  slot = {hash, number, letters_.size(), word.size()};
  letters_.append(word);
  ++taken_;
}

int64_t Vocabulary::number(std::string_view word) const {
  return slots_.empty() ? -1 : slots_[place(hash_of(word), word)].number;
}

}  // namespace dyad::data
