// The object files made here live for a moment in memory and are never compressed. Defining LLVM's
// compression as absent, and its checksum without zlib, keeps zlib and zstd out of the libraries that a user
// must have.

#include <llvm/Support/CRC.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>

namespace llvm {

/// The remainder by the polynomial of zlib's crc32, bit by bit: nothing here is long.
uint32_t crc32(uint32_t checksum, ArrayRef<uint8_t> bytes) {
  checksum = ~checksum;
  for (const uint8_t byte : bytes) {
    checksum ^= byte;
    for (int bit = 0; bit < 8; ++bit) checksum = (checksum >> 1) ^ ((checksum & 1) ? 0xedb88320u : 0u);
  }
  return ~checksum;
}
uint32_t crc32(ArrayRef<uint8_t> bytes) { return crc32(0, bytes); }
void JamCRC::update(ArrayRef<uint8_t> bytes) { CRC = ~crc32(~CRC, bytes); }

}  // namespace llvm

namespace llvm::compression {

namespace {
Error absent() { return createStringError("there is no compression in this build"); }
}  // namespace

const char* getReasonIfUnsupported(Format) { return "there is no compression in this build"; }
void compress(Params, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&) {}
Error decompress(DebugCompressionType, ArrayRef<uint8_t>, uint8_t*, size_t) { return absent(); }
Error decompress(Format, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) { return absent(); }
Error decompress(DebugCompressionType, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) {
  return absent();
}

namespace zlib {
bool isAvailable() { return false; }
void compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, int) {}
Error decompress(ArrayRef<uint8_t>, uint8_t*, size_t&) { return absent(); }
Error decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) { return absent(); }
}  // namespace zlib

namespace zstd {
bool isAvailable() { return false; }
void compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, int, bool) {}
Error decompress(ArrayRef<uint8_t>, uint8_t*, size_t&) { return absent(); }
Error decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) { return absent(); }
}  // namespace zstd

}  // namespace llvm::compression
