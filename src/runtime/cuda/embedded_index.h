#pragma once

// The index that tools/embed_ptx.py writes: groups of kernels that are packed together, and of which pieces
// of its group each kernel consists.

namespace dyad::cuda {

/// Kernels that are packed together.
struct EmbeddedGroup {
  unsigned offset;  ///< in the code
  unsigned packed_bytes;
  unsigned bytes;  ///< of the text
};
/// A part of a group's text.
struct EmbeddedPiece {
  unsigned begin;  ///< in the text of the group
  unsigned bytes;
};
/// A kernel as the pieces that make it up.
struct EmbeddedKernel {
  const char* name;
  unsigned group;
  unsigned first_piece;
  unsigned pieces;
};

extern const EmbeddedGroup kEmbeddedGroups[];
extern const EmbeddedPiece kEmbeddedPieces[];
extern const EmbeddedKernel kEmbedded[];  ///< by name
extern const unsigned kEmbeddedCount;

}  // namespace dyad::cuda

extern "C" const unsigned char dyad_device_code[] __attribute__((visibility("hidden")));
