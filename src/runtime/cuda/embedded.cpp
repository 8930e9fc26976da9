#include "runtime/cuda/embedded.h"

#include <zlib.h>

#include <algorithm>

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
    text.append(all, piece.begin, piece.bytes);
  }
  return text;
}

}  // namespace dyad::cuda
