#include "data/files/inflate.h"

#include <zlib.h>

#include <algorithm>

#include "base/error.h"
#include "data/files/file_bytes.h"

namespace dyad::data {

namespace {

/// zlib's state, ended with the scope.
struct Stream {
  z_stream state{};
  explicit Stream(int window_bits) { DYAD_ASSERT(inflateInit2(&state, window_bits) == Z_OK); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { inflateEnd(&state); }
};

constexpr size_t kBlock = 1 << 18;

}  // namespace

std::string inflate_file(std::string_view owner, const std::string& path, bool gzip) {
  const MappedFile file(owner, path);
  Stream stream(gzip ? 16 + MAX_WBITS : MAX_WBITS);
  z_stream& state = stream.state;
  std::string_view rest = file.text();
  std::string bytes;
  std::string block(kBlock, '\0');
  while (!rest.empty()) {
    const size_t given = std::min<size_t>(rest.size(), 1 << 30);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));  // zlib reads only
    state.avail_in = static_cast<uInt>(given);
    state.next_out = reinterpret_cast<Bytef*>(block.data());
    state.avail_out = static_cast<uInt>(block.size());
    const int status = inflate(&state, Z_NO_FLUSH);
    rest.remove_prefix(given - state.avail_in);
    bytes.append(block, 0, block.size() - state.avail_out);
    if (status == Z_STREAM_END && gzip && !rest.empty()) inflateReset(&state);
    if (status == Z_STREAM_END && (!gzip || rest.empty())) return bytes;
    if (status != Z_OK && status != Z_STREAM_END)
      runtime_error(owner, ": the file ", path, " is no ", gzip ? "gzip" : "zlib",
                    " file, or broken, near offset ", file.text().size() - rest.size());
  }
  runtime_error(owner, ": the file ", path, " ends within its compressed data; it was cut off or is empty");
}

}  // namespace dyad::data
