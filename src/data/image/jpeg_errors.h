#pragma once

#include <csetjmp>
#include <cstdio>
#include <string_view>

#include <jpeglib.h>

namespace dyad::data {

/// How libjpeg reports: an error comes back by a jump, a message is kept and never printed.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg hands back its address
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
  bool ended;  ///< the file came to its end while more was asked for

  /// What libjpeg is given as its `err`.
  jpeg_error_mgr* start();
};

/// Runs a step of libjpeg's; false if it failed, with the reason in `errors.message`. What the step calls
/// must have nothing to destroy, since an error jumps over it.
template <class Step>
[[gnu::noinline]] bool jpeg_step(JpegErrors& errors, const Step& step) {
  if (setjmp(errors.back) != 0) return false;
  step();
  return true;
}

}  // namespace dyad::data
