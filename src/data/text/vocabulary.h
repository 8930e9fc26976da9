#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dyad::data {

/// Numbers of words: a table with open addressing over one block of letters, so that a look-up touches two
/// lines of memory in most cases.
class Vocabulary {
 public:
  Vocabulary() = default;
  explicit Vocabulary(const std::map<std::string, int64_t>& words);
  /// A word that is there already keeps its number.
  void add(std::string_view word, int64_t number);
  /// The number of a word; -1 for a word that is not there.
  int64_t number(std::string_view word) const;
  bool has(std::string_view word) const { return number(word) >= 0; }

 private:
  struct Slot {
    uint64_t hash = 0;
    int64_t number = -1;  ///< -1 in a slot that is free
    uint64_t start = 0;   ///< of the word in the block of letters
    uint64_t size = 0;
  };
  bool holds(const Slot& slot, uint64_t hash, std::string_view word) const;
  /// The slot of a word, or the free one where it would be.
  size_t place(uint64_t hash, std::string_view word) const;
  void grow();

  std::vector<Slot> slots_;  ///< a power of two of them, at most half of them taken
  size_t taken_ = 0;
  std::string letters_;
};

}  // namespace dyad::data
