#include <string>

#include "base/error.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"

// Numbers and sizes that belong to the dimensions of one data format, for another one.

namespace dyad {

namespace {

DYAD_USE(cast, index_gather, tensor_of_ints);

/// Places of the letters of the second format in the first, both arguments from `first` on: "NHWC" and
/// "NCHW".
Dims places(const Call& call, size_t first) {
  const std::string& source = call.text(first);
  const std::string& target = call.text(first + 1);
  Dims found;
  for (char letter : target) {
    const size_t at = source.find(letter);
    if (target.size() != 4 || source.size() != 4 || at == std::string::npos) {
      value_error(call.op(), ": src_format is '", source, "' and dst_format is '", target,
                  "'; need two orders of the same four letters");
    }
    found.push_back(static_cast<int64_t>(at));
  }
  return found;
}

Value chosen(const Call& call, const Value& from, const Value& index) {
  return cast(index_gather(from, index_along(0, index)), call.in(0).dtype);
}

}  // namespace

DYAD_OP("data_format_dim_map(input_x: Tensor, src_format: str='NHWC', dst_format: str='NCHW') -> Tensor")
    .doc(
        "Dimension map between data formats: for each dimension of the destination format, its index in the "
        "source format. 1 of 'NCHW' is 3 of 'NHWC'.")
    .formula("out[i…] = position of the letter dst_format[input_x[i…]] in src_format")
    .arg("input_x", "integers from −4 to 3, any shape.")
    .arg("src_format", "'NHWC' or 'NCHW'.")
    .arg("dst_format", "'NHWC' or 'NCHW'.")
    .returns("Tensor with the shape and dtype of `input_x`.")
    .hidden()
    .primitive("DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(input_x)")
    .compose([](const Call& call) {
      infer::require_dtype(call, 0, is_int(call.in(0).dtype), "integers");
      return chosen(call, tensor_of_ints(call.builder(), places(call, 1)), call.value(0));
    })
    .no_grad("dimensions are integers")
    .numpy("ref.places_of_letters(dst_format, src_format)[input_x].astype(input_x.dtype)")
    .samples("call(V([0, 1, 2, 3, -1], 'int32'))", "call(V([[0, 2]], 'int32'), 'NCHW', 'NHWC')")
    .rejects("ops.DataFormatDimMap('NHWC', 'NCDW')(ints(2))", "ValueError", "need two orders of the same");

DYAD_OP("data_format_vec_permute(input_x: Tensor, src_format: str='NHWC', dst_format: str='NCHW') -> Tensor")
    .doc("Permutation of four entries from one data format to another.")
    .formula("out[k] = input_x[position of the letter dst_format[k] in src_format]")
    .arg("input_x", "integers of shape (4,) or (4, 2).")
    .arg("src_format", "'NHWC' or 'NCHW'.")
    .arg("dst_format", "'NHWC' or 'NCHW'.")
    .returns("Tensor with the shape and dtype of `input_x`.")
    .hidden()
    .primitive("DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(input_x)")
    .compose([](const Call& call) {
      const Shape& shape = call.in(0).shape;
      infer::require_dtype(call, 0, is_int(call.in(0).dtype), "integers");
      if (shape.empty() || shape.size() > 2 || (shape[0].known() && shape[0].value() != 4))
        value_error(call.op(), ": input_x has shape ", shape, "; need (4,) or (4, 2)");
      return chosen(call, call.value(0), tensor_of_ints(call.builder(), places(call, 1)));
    })
    .no_grad("sizes are integers")
    .numpy("input_x[ref.places_of_letters(dst_format, src_format)]")
    .samples("call(V([1, 2, 3, 4], 'int32'))",
             "call(V([[1, 2], [3, 4], [5, 6], [7, 8]], 'int64'), 'NCHW', 'NHWC')")
    .rejects("ops.DataFormatVecPermute()(ints(3))", "ValueError", "input_x has shape (3,)");

}  // namespace dyad
