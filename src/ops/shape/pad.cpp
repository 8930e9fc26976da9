#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(pad_constant, slice_view, index_gather, tensor_of_ints, copy, cast, full, where);

/// Margins of every dimension, from the last one backwards as pairs (before, after).
struct Margins {
  Dims before;
  Dims after;
};

Margins margins_of(const Call& call) {
  const size_t rank = call.in(0).shape.size();
  const Dims& padding = call.dims(1);
  if (padding.size() % 2 != 0 || padding.size() > 2 * rank) {
    value_error(call.op(), ": padding ", padding, " has ", padding.size(), " entries for a tensor of shape ",
                call.in(0).shape, "; pairs for at most each dimension are accepted");
  }
  Margins margins{Dims(rank, 0), Dims(rank, 0)};
  const size_t count = padding.size() / 2;
  const bool pairs = call.flag(4);
  for (size_t i = 0; i < count; ++i) {
    margins.before[rank - 1 - i] = padding[pairs ? 2 * i : i];
    margins.after[rank - 1 - i] = padding[pairs ? 2 * i + 1 : count + i];
  }
  return margins;
}

int64_t wrapped(int64_t at, int64_t size) { return ((at % size) + size) % size; }

/// Where the element at `at`, counted from the first one of the tensor, comes from.
int64_t source_of(const Call& call, const std::string& mode, int64_t at, int64_t size) {
  if (mode == "replicate") return std::clamp<int64_t>(at, 0, size - 1);
  const int64_t period = mode == "symmetric" ? 2 * size : 2 * (size - 1);
  if (period == 0) value_error(call.op(), ": a dimension of size 1 has nothing to reflect");
  const int64_t inside = wrapped(at, period);
  if (mode == "symmetric") return inside < size ? inside : period - 1 - inside;
  return inside < size ? inside : period - inside;
}

void check_margin(const Call& call, const std::string& mode, size_t d, int64_t size, int64_t margin) {
  const int64_t most = mode == "reflect" ? size - 1 : size;
  if (size == 0 || (mode != "replicate" && margin > most)) {
    value_error(call.op(), ": padding ", margin, " in mode '", mode, "' is too wide for dimension ", d,
                " of size ", size, "; at most ", most);
  }
  constexpr int64_t kWidest = int64_t{1} << 28;  // each place is listed
  if (margin > kWidest) {
    value_error(call.op(), ": padding ", margin, " in mode '", mode, "' is too wide; at most ", kWidest,
                " is accepted");
  }
}

/// Pads by reading elements of the tensor again.
Value pad_by_index(const Call& call, const Margins& margins, const std::string& mode) {
  Value result = call.value(0);
  for (size_t d = 0; d < margins.before.size(); ++d) {
    const int64_t before = margins.before[d].value();
    const int64_t after = margins.after[d].value();
    if (before == 0 && after == 0) continue;
    const int64_t size = result->shape[d].value();
    check_margin(call, mode, d, size, std::max(before, after));
    if (size + before + after < 0)
      value_error(call.op(), ": padding takes more than the size ", size, " of dimension ", d);
    Dims places;
    if (mode == "circular") {
      // What negative margins take away does not come round again.
      const int64_t first = std::max<int64_t>(-before, 0);
      const int64_t left = size - first - std::max<int64_t>(-after, 0);
      check_margin(call, mode, d, left, std::max(before, after));
      const int64_t stop = left + std::max<int64_t>(after, 0);
      for (int64_t at = -std::max<int64_t>(before, 0); at < stop; ++at)
        places.push_back(first + wrapped(at, left));
    } else {
      for (int64_t at = -before; at < size + after; ++at) places.push_back(source_of(call, mode, at, size));
    }
    ValueList indices(d);
    indices.push_back(tensor_of_ints(call.builder(), places));
    result = index_gather(result, indices);
  }
  return result == call.value(0) ? copy(result) : result;
}

/// Margins of the element of a tensor: where the tensor itself does not lie.
Value pad_with_element(const Call& call, const Margins& margins, size_t value_at) {
  const Value& x = call.value(0);
  const Value inside =
      pad_constant(full(call.builder(), x->shape, true, DType::kBool), margins.before, margins.after, 0);
  const Value element = cast(single_element(call, value_at, "value"), x->dtype);
  return where(inside, pad_constant(x, margins.before, margins.after, 0), element);
}

/// `value_at` is the index of the argument that fills margins, if there is one.
Value pad_with(const Call& call, const Margins& margins, const std::string& mode,
               std::optional<size_t> value_at = {}) {
  if (mode == "constant") {
    if (value_at && call.is_value(*value_at)) return pad_with_element(call, margins, *value_at);
    const bool given = value_at && call.has(*value_at);
    return pad_constant(call.value(0), margins.before, margins.after, given ? call[*value_at] : Arg(0));
  }
  if (mode != "reflect" && mode != "replicate" && mode != "circular" && mode != "symmetric") {
    value_error(call.op(), ": mode is '", mode,
                "'; accepted are 'constant', 'reflect', 'replicate' and 'circular'");
  }
  return pad_by_index(call, margins, mode);
}

void infer_pad_constant(const Arguments& args, Results& results) {
  Shape shape = args.in(0).shape;
  if (args.dims(1).size() != shape.size() || args.dims(2).size() != shape.size()) {
    value_error(args.op(), ": margins ", args.dims(1), " and ", args.dims(2),
                " must have one entry for each dimension of ", shape);
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    const Dim padded = shape[d] + args.dims(1)[d] + args.dims(2)[d];
    if (padded.known() && padded.value() < 0) {
      value_error(args.op(), ": margins ", args.dims(1)[d], " and ", args.dims(2)[d],
                  " take more than the size ", shape[d], " of dimension ", d);
    }
    shape[d] = padded;
  }
  results.add(args.in(0).dtype, shape);
}

Dims negated(const Dims& dims) {
  Dims result;
  for (Dim d : dims) result.push_back(Dim(0) - d);
  return result;
}

}  // namespace

DYAD_OP("pad_constant(input: Tensor, before: ints, after: ints, value: Number=0) -> Tensor")
    .doc("The tensor with margins of one number; a negative margin cuts off.")
    .hidden()
    .infer(infer_pad_constant)
    .grad([](GradCall& g) { g.set(0, pad_constant(g.grad(), negated(g.dims(1)), negated(g.dims(2)), 0)); })
    .batch(batch::padded_margins)
    .moves(Movement::kOther)
    .numpy("ref.pad_constant(input, before, after, value)")
    .samples("call(T(2, 3), (1, 0), (2, 1), dtypes='all')", "call(T(4), (-1,), (2,), 5)",
             "call(T(2, 3), (0, 0), (-2, 1), 1)", "call(T(), (), ())")
    .rejects("dyad._core.named_op('pad_constant')(ones(2), (-2,), (-1,))", "ValueError",
             "take more than the size 2");

DYAD_OP(
    "pad(input: Tensor, padding: ints, mode: str='constant', value: Operand?=None, contiguous: bool=True) -> "
    "Tensor")
    .doc(
        "Padding around a tensor, as (before, after) pairs from the last dimension on. Negative padding "
        "removes elements.")
    .formula("out[…, i, …] = input[…, i − before, …] where it exists")
    .formula("out = value", "elsewhere, mode='constant'")
    .formula("out[−i] = input[i], mirrored at the edge element", "elsewhere, mode='reflect'")
    .formula("out = the nearest edge element", "elsewhere, mode='replicate'")
    .formula("out[i] = input[i mod n]", "elsewhere, mode='circular'")
    .arg("input", "any dtype and shape.")
    .arg("padding", "(before, after) of the last dimension, then of the one before it, and so on.")
    .arg("mode", "'constant', 'reflect', 'replicate' or 'circular'.")
    .arg("value", "padding value of 'constant'; None: 0.")
    .arg("contiguous",
         "whether before and after of a dimension are neighbors in `padding`; if not, all before come first.")
    .returns("Tensor with the padded shape.")
    .see("ops.slice, nn.Pad")
    .function("pad(input_x:input, padding, mode='constant', value=None)")
    .primitive(
        "PadV3(mode='constant', paddings_contiguous:contiguous=True)(x:input, paddings:padding, "
        "constant_value:value=None)")
    .alias("input_x", "input")
    .alias("x", "input")
    .alias("pad", "padding")
    .compose([](const Call& call) { return pad_with(call, margins_of(call), call.text(2), 3); })
    .numpy("ref.pad(input, padding if contiguous else np.reshape(padding, (2, -1)).T.ravel(), mode, value)")
    .samples("call(T(2, 3), (1, 2))", "call(T(2, 3), (1, 0, 0, 2), 'constant', 1.5)",
             "call(T(2, 3), (1, 0, 0, 2), 'constant', T())", "call(T(3, 4), (2, 1), 'reflect')",
             "call(T(3, 4), (2, 1, 1, 1), 'replicate')", "call(T(3, 4), (2, 1), 'circular')",
             "call(T(3, 4), (-1, 2), 'circular')", "call(T(5), (-1, -2))", "call(T(2, 3), ())",
             "call(T(2, 3), (1, 0, 2, 3), 'constant', 0, False)")
    .rejects("ops.pad(ones(2), (1,))", "ValueError", "padding (1,) has 1 entries")
    .rejects("ops.pad(ones(2), (1, 1), 'mirror')", "ValueError", "mode is 'mirror'")
    .rejects("ops.pad(ones(2), (2, 0), 'reflect')", "ValueError", "is too wide for dimension 0 of size 2");

DYAD_OP("pad_pairs(input: Tensor, paddings: pairs, mode: str='constant') -> Tensor")
    .doc("Padding around a tensor, as (before, after) pairs from the first dimension on.")
    .formula("out[…, i, …] = input[…, i − before, …] where it exists")
    .formula("out = 0", "elsewhere, mode='constant'")
    .formula("out = mirrored at the edge element", "elsewhere, mode='reflect'")
    .formula("out = mirrored after the edge element", "elsewhere, mode='symmetric'")
    .arg("input", "any dtype and shape.")
    .arg("paddings", "a (before, after) pair for each dimension.")
    .arg("mode", "'constant', 'reflect' or 'symmetric', in any case.")
    .returns("Tensor with the padded shape.")
    .see("ops.pad, nn.Pad")
    .hidden()
    .primitive("Pad(paddings)(input_x:input)")
    .primitive("MirrorPad(mode='REFLECT')(input_x:input, paddings)")
    .compose([](const Call& call) {
      const size_t rank = call.in(0).shape.size();
      const Dims& paddings = call.dims(1);
      if (paddings.size() != 2 * rank) {
        value_error(call.op(), ": ", paddings.size(), " paddings are given for a tensor of shape ",
                    call.in(0).shape, "; ", 2 * rank, " are needed");
      }
      Margins margins;
      for (size_t d = 0; d < rank; ++d) {
        margins.before.push_back(paddings[2 * d]);
        margins.after.push_back(paddings[2 * d + 1]);
      }
      std::string mode = call.text(2);
      std::transform(mode.begin(), mode.end(), mode.begin(), [](unsigned char c) { return std::tolower(c); });
      return pad_with(call, margins, mode);
    })
    .numpy("np.pad(input, paddings, mode.lower())")
    .samples("call(T(2, 3), ((1, 2), (0, 1)))", "call(T(3, 3), ((1, 2), (0, 1)), 'REFLECT')",
             "call(T(3, 3), ((1, 2), (0, 3)), 'symmetric')")
    .rejects("ops.Pad(((1, 1), (1, 1)))(ones(2))", "ValueError",
             "4 paddings are given for a tensor of shape (2,); 2 are needed")
    .rejects("ops.Pad((1, 1))(ones(2))", "TypeError", "it must be a tuple of pairs of ints");

DYAD_OP("padding(x: Tensor, pad_dim_size: int=8) -> Tensor")
    .doc("Padding of the last dimension, of size 1, to `pad_dim_size` with zeros.")
    .formula("out[…, 0] = x[…, 0], out[…, i] = 0 for i > 0")
    .arg("x", "any dtype, at least 2 dimensions, the last of size 1.")
    .arg("pad_dim_size", "size of the last dimension in the result, ≥ 1.")
    .returns("Tensor of shape (*x.shape[:-1], pad_dim_size).")
    .see("ops.pad")
    .primitive("Padding(pad_dim_size=8)(x)")
    .compose([](const Call& call) {
      const Value& x = call.value(0);
      const int64_t size = call.integer(1);
      if (x->rank() < 2 || (x->shape.back().known() && x->shape.back().value() != 1)) {
        value_error(call.op(), ": x has shape ", x->shape,
                    "; it must have at least 2 dimensions, the last of size 1");
      }
      if (size < 1) value_error(call.op(), ": pad_dim_size is ", size, "; it must be at least 1");
      Dims before(x->shape.size(), 0), after(x->shape.size(), 0);
      after.back() = size - 1;
      return pad_constant(x, before, after);
    })
    .numpy("np.pad(x, [(0, 0)] * (np.ndim(x) - 1) + [(0, pad_dim_size - 1)])")
    .samples("call(T(2, 1), 3, dtypes='real')", "call(T(2, 3, 1))", "call(T(2, 1), 1)")
    .rejects("ops.padding(ones(2, 3))", "ValueError", "padding: x has shape (2, 3)");

}  // namespace dyad
