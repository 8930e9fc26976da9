#include "data/image/jpeg_errors.h"

#include <jerror.h>

namespace dyad::data {

namespace {

void fail(j_common_ptr codec) {
  auto* errors = reinterpret_cast<JpegErrors*>(codec->err);
  (*codec->err->format_message)(codec, errors->message);
  std::longjmp(errors->back, 1);
}

void fail_at_end(JpegErrors* errors) {
  std::snprintf(errors->message, sizeof errors->message, "the file ends before the image does");
  std::longjmp(errors->back, 1);
}

/// Whether what is missing at the end of the file may be a whole pass over the image.
bool in_passes(j_common_ptr codec) {
  return codec->is_decompressor && reinterpret_cast<j_decompress_ptr>(codec)->progressive_mode;
}

/// A file that lacks pixels is an error, which libjpeg would fill in with grey; one that lacks its end mark
/// is not.
void take_message(j_common_ptr codec, int level) {
  if (level >= 0) return;
  auto* errors = reinterpret_cast<JpegErrors*>(codec->err);
  ++codec->err->num_warnings;
  if (codec->err->msg_code == JWRN_JPEG_EOF) errors->ended = true;
  const bool lacks_data = codec->err->msg_code == JWRN_HIT_MARKER || in_passes(codec);
  if (errors->ended && lacks_data) fail_at_end(errors);
}

void print_nothing(j_common_ptr) {}

}  // namespace

jpeg_error_mgr* JpegErrors::start() {
  jpeg_std_error(&manager);
  manager.error_exit = fail;
  manager.emit_message = take_message;
  manager.output_message = print_nothing;
  message[0] = '\0';
  ended = false;
  return &manager;
}

}  // namespace dyad::data
