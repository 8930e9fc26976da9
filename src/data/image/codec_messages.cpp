#include <cstdio>

// What the archives of the codecs have in place of `stderr` (cmake/image_codecs.cmake).
extern "C" {
[[gnu::visibility("hidden")]] FILE* dyad_codec_messages = nullptr;
}
