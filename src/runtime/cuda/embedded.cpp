#include "runtime/cuda/embedded.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"
#include "runtime/cuda/embedded_index.h"

namespace dyad::cuda {

namespace {

const EmbeddedKernel* find(std::string_view kernel) {
  const EmbeddedKernel* end = kEmbedded + kEmbeddedCount;
  const EmbeddedKernel* at = std::lower_bound(
      kEmbedded, end, kernel,
      [](const EmbeddedKernel& a, std::string_view b) { return std::string_view(a.name) < b; });
  return at != end && at->name == kernel ? at : nullptr;
}

bool unpack(const EmbeddedGroup& group, std::string& text) {
  uLongf bytes = group.bytes;
  return uncompress(reinterpret_cast<Bytef*>(text.data()), &bytes, dyad_device_code + group.offset,
                    group.packed_bytes) == Z_OK &&
         bytes == group.bytes;
}

}  // namespace

std::string with_register_names(std::string_view function) {
  constexpr char kRegister = 1;
  std::map<std::string, unsigned, std::less<>> counts;
  std::string text;
  text.reserve(function.size() + function.size() / 4);
  for (size_t at = 0; at < function.size();) {
    const size_t end = std::min(function.find(kRegister, at), function.size());
    text += function.substr(at, end - at);
    if (end == function.size()) break;
    at = end + 1;
    size_t stop = at;
    while (stop < function.size() && function[stop] >= 'a' && function[stop] <= 'z') ++stop;
    const std::string_view kind = function.substr(at, stop - at);
    auto count = counts.find(kind);
    if (count == counts.end()) count = counts.emplace(kind, 0).first;
    unsigned since = 0;
    const auto [rest, error] =
        std::from_chars(function.data() + stop, function.data() + function.size(), since);
    const unsigned number = error == std::errc() ? count->second - since : ++count->second;
    at = static_cast<size_t>(rest - function.data());
    text += cat("%", kind, number);
  }
  return text;
}

bool has_device_code(std::string_view kernel) { return find(kernel) != nullptr; }

std::optional<std::string> device_code(std::string_view kernel) {
  const EmbeddedKernel* found = find(kernel);
  if (!found) return std::nullopt;
  const EmbeddedGroup& group = kEmbeddedGroups[found->group];
  std::string all(group.bytes, '\0');
  if (!unpack(group, all)) runtime_error("GPU: the code of ", kernel, " cannot be unpacked");
  std::string text;
  for (unsigned i = 0; i < found->pieces; ++i) {
    const EmbeddedPiece& piece = kEmbeddedPieces[found->first_piece + i];
    text += with_register_names(std::string_view(all).substr(piece.begin, piece.bytes));
  }
  return text;
}

}  // namespace dyad::cuda
