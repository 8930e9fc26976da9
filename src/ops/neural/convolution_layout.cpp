#include "ops/neural/convolution_rules.h"

#include <algorithm>

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/neural/window_arguments.h"

namespace dyad {

namespace {

DYAD_USE(pack_filters);

bool differ(Dim a, Dim b) { return a.known() && b.known() && !(a == b); }

void require_windows(const Arguments& args, size_t first, size_t spatial) {
  const bool sized = args.dims(first).size() == spatial && args.dims(first + 1).size() == 2 * spatial &&
                     args.dims(first + 2).size() == spatial;
  if (!sized) {
    value_error(args.op(), ": stride ", args.dims(first), ", padding ", args.dims(first + 1),
                " and dilation ", args.dims(first + 2), " do not fit ", spatial, " sizes");
  }
  require_at_least(args, "stride", args.dims(first), 1);
  require_at_least(args, "padding", args.dims(first + 1), 0);
  require_at_least(args, "dilation", args.dims(first + 2), 1);
  if (args.integer(first + 3) < 1)
    value_error(args.op(), ": groups is ", args.integer(first + 3), "; it must be at least 1");
}

void infer_pack(const Arguments& args, Results& results) {
  const Shape& weight = args.in(0).shape;
  infer::require_dtype(args, 0, args.in(0).dtype == DType::kFloat32, "float32");
  if (weight.size() < 3 || args.dims(2).size() != weight.size() || args.dims(3).size() != weight.size()) {
    value_error(args.op(), ": weight has shape ", weight, ", images ", args.dims(2), " and positions ",
                args.dims(3), "; need as many sizes in each, and at least 3");
  }
  require_windows(args, 4, weight.size() - 2);
  for (size_t s = 0; s + 2 < weight.size(); ++s) {
    const Dim padding = args.dims(5)[2 * s] + args.dims(5)[2 * s + 1];
    const Dim count =
        window_count(args.dims(2)[s + 1], padding, weight[s + 2], args.dims(4)[s], args.dims(6)[s]);
    if (!differ(count, args.dims(3)[s + 1])) continue;
    value_error(args.op(), ": positions are ", args.dims(3), "; images ", args.dims(2), " have ", count,
                " along dimension ", s + 1);
  }
  const Dim plain = size_of(weight);
  if (plain.known() && args.integer(1) < plain.value()) {
    value_error(args.op(), ": room is ", args.integer(1), "; filters of shape ", weight, " have ", plain,
                " elements");
  }
  results.add(DType::kFloat32, {args.integer(1)});
}

/// Number of multiplications from which on the library computes a convolution.
constexpr int64_t kLibraryWork = 1 << 18;
constexpr int64_t kVector = 16;

int64_t rounded_up(int64_t size, int64_t block) { return (size + block - 1) / block * block; }
int64_t to_vectors(int64_t channels) { return rounded_up(channels, kVector); }

/// Tiles have up to four vectors, and no more than there are channels for.
int64_t to_tiles(int64_t channels) {
  if (channels <= 2 * kVector) return to_vectors(channels);
  return std::max(rounded_up(channels, 3 * kVector), rounded_up(channels, 4 * kVector));
}

/// Room for any format of the library: it fills up one kind of channels to whole vectors, the other to whole
/// tiles. Filters of one channel each are filled up over the groups.
int64_t packed_room(const Shape& weight, int64_t groups) {
  const int64_t out = weight[0].value() / groups;
  const int64_t in = weight[1].value();
  int64_t room = std::max(to_tiles(out) * to_vectors(in), to_vectors(out) * to_tiles(in));
  if (groups > 1) room = out == 1 && in == 1 ? to_vectors(groups) : to_vectors(out) * to_vectors(in) * groups;
  for (size_t i = 2; i < weight.size(); ++i) room *= weight[i].value();
  return room;
}

/// Returns whether the library computes the convolution.
bool is_large(const Shape& out, const Shape& weight) {
  int64_t work = numel(out);
  for (size_t i = 1; i < weight.size(); ++i) work *= weight[i].value();
  return work >= kLibraryWork;
}

/// Whether the surroundings of a convolution of `image` make this layout worth it.
bool pays(const LayoutCall& call, const Value& image) {
  return call.has_channels_last(image) || call.leads_to_preferring();
}

/// The filters of a convolution of such images that gives such results, both with channels last.
Value packed(const LayoutCall& call, const Shape& image, const Shape& out, bool backward) {
  const Value& weight = call.value(1);
  return pack_filters(weight, packed_room(weight->shape, call.integer(6)), image, out, call[3], call[4],
                      call[5], call[6], backward);
}

}  // namespace

bool layout::convolution(LayoutCall& call) {
  static const OpName convolution{"convolution"};
  const Value& image = call.value(0);
  const Shape& filters = call.in(1).shape;
  if (!is_float32(call) || !is_large(call.result(0).shape, filters) || !pays(call, image)) return false;
  const Value from = call.channels_last(image);
  const Value weight = packed(call, from->shape, channels_last(call.result(0).shape), false);
  call.set_channels_last(
      0, convolution(from, weight, call[2], call[3], call[4], call[5], call[6], true, filters));
  return true;
}

bool layout::convolution_input_gradient(LayoutCall& call) {
  static const OpName convolution_input_gradient{"convolution_input_gradient"};
  const Value& gradient = call.value(0);
  const Shape& filters = call.in(1).shape;
  if (!is_float32(call) || !is_large(gradient->shape, filters) || !pays(call, gradient)) return false;
  const Value from = call.channels_last(gradient);
  const Value weight = packed(call, channels_last(call.result(0).shape), from->shape, true);
  call.set_channels_last(0, convolution_input_gradient(from, weight, call[2], call[3], call[4], call[5],
                                                       call[6], true, filters));
  return true;
}

bool layout::convolution_weight_gradient(LayoutCall& call) {
  const bool near = call.has_channels_last(call.value(0)) || call.has_channels_last(call.value(1));
  return is_float32(call) && near && is_large(call.in(0).shape, call.result(0).shape);
}

DYAD_OP(
    "pack_filters(weight: Tensor, room: int, images: ints, positions: ints, stride: ints, padding: ints, "
    "dilation: ints, groups: int, backward: bool) -> Tensor")
    .doc(
        "Filters in the order in which the convolution of such images, or its gradient, reads them fastest, "
        "in memory of `room` elements; only these operators understand it.")
    .compiler_made()
    .infer(infer_pack)
    .moves(Movement::kOther)
    .numpy("ref.any_values((room,))")
    .samples(
        "call(F(6, 2, 3, 2), room=3072, images=(2, 7, 6, 4), positions=(2, 3, 7, 6), stride=(2, 1), "
        "padding=(1, 0, 2, "
        "1), dilation=(1, 2), groups=2, backward=False)")
    .rejects("dyad._core.named_op('pack_filters')(ones(6, 2), 12, (1, 2), (1, 2), 1, (0, 0), 1, 1, False)",
             "ValueError", "pack_filters: weight has shape (6, 2)");

}  // namespace dyad
