// Blocks of pixels moved into the batch or into the channels, and back.

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(pad_constant, permute, reshape, slice_view);

/// The arguments (input, block, margins) of an operator on the trailing dimensions.
struct Blocks {
  size_t first;  ///< the first of the dimensions that are cut into blocks
  Dims sizes;    ///< of a block, by dimension
  Dims margins;  ///< before and after, by dimension
};

Blocks blocks_of(const Call& call) {
  const Shape& shape = call.in(0).shape;
  Blocks blocks{0, call.dims(1), call.dims(2)};
  const size_t count = blocks.margins.size() / 2;
  if (blocks.sizes.size() == 1) blocks.sizes = Dims(count, blocks.sizes[0]);
  if (count == 0 || blocks.sizes.size() != count || shape.size() <= count) {
    value_error(
        call.op(), ": input has shape ", shape, ", blocks ", call.dims(1), " and ", count,
        " pairs of margins are given; one block size and one pair belong to each of the trailing dimensions");
  }
  for (Dim size : blocks.sizes) {
    if (size.value() < 1)
      value_error(call.op(), ": the block sizes are ", blocks.sizes, "; they must be 1 or more");
  }
  for (Dim margin : blocks.margins) {
    if (margin.value() < 0) value_error(call.op(), ": a margin is ", margin, "; it must be 0 or more");
  }
  blocks.first = shape.size() - count;
  return blocks;
}

Dim volume(const Dims& sizes) { return size_of(sizes); }

Value to_batch(const Call& call) {
  const Blocks blocks = blocks_of(call);
  const size_t rank = call.in(0).shape.size();
  Dims before(rank, Dim(0));
  Dims after(rank, Dim(0));
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    before[blocks.first + i] = blocks.margins[2 * i];
    after[blocks.first + i] = blocks.margins[2 * i + 1];
  }
  const Value padded = pad_constant(call.value(0), before, after);
  Dims cut(padded->shape.begin(), padded->shape.begin() + blocks.first);
  Dims order;
  Dims result = cut;
  result[0] = cut[0] * volume(blocks.sizes);
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    const Dim size = padded->shape[blocks.first + i];
    if (size.known() && size.value() % blocks.sizes[i].value() != 0) {
      value_error(call.op(), ": dimension ", blocks.first + i, " has size ", size,
                  " with its margins, not a multiple of ", blocks.sizes[i]);
    }
    order.push_back(static_cast<int64_t>(blocks.first + 2 * i + 1));
    cut.push_back(floor_div(size, blocks.sizes[i]));
    cut.push_back(blocks.sizes[i]);
    result.push_back(floor_div(size, blocks.sizes[i]));
  }
  for (size_t d = 0; d < blocks.first; ++d) order.push_back(static_cast<int64_t>(d));
  for (size_t i = 0; i < blocks.sizes.size(); ++i)
    order.push_back(static_cast<int64_t>(blocks.first + 2 * i));
  return reshape(permute(reshape(padded, cut), order), result);
}

Value from_batch(const Call& call) {
  const Blocks blocks = blocks_of(call);
  const Shape& shape = call.in(0).shape;
  const size_t count = blocks.sizes.size();
  const Dim batch = shape[0];
  if (batch.known() && batch.value() % volume(blocks.sizes).value() != 0) {
    value_error(call.op(), ": the batch size ", batch, " is not a multiple of ", volume(blocks.sizes));
  }
  Dims cut = blocks.sizes;
  cut.push_back(floor_div(batch, volume(blocks.sizes)));
  for (size_t d = 1; d < shape.size(); ++d) cut.push_back(shape[d]);
  Dims order;
  Dims whole{cut[count]};
  for (size_t d = 0; d < blocks.first; ++d) order.push_back(static_cast<int64_t>(count + d));
  for (size_t d = 1; d < blocks.first; ++d) whole.push_back(shape[d]);
  Dims starts(shape.size(), Dim(0));
  for (size_t i = 0; i < count; ++i) {
    order.push_back(static_cast<int64_t>(count + blocks.first + i));
    order.push_back(static_cast<int64_t>(i));
    whole.push_back(shape[blocks.first + i] * blocks.sizes[i]);
  }
  Dims stops = whole;
  for (size_t i = 0; i < count; ++i) {
    starts[blocks.first + i] = blocks.margins[2 * i];
    Dim& stop = stops[blocks.first + i];
    stop = stop - blocks.margins[2 * i + 1];
    if (stop.known() && stop.value() < starts[blocks.first + i].value()) {
      value_error(call.op(), ": the margins ", blocks.margins[2 * i], " and ", blocks.margins[2 * i + 1],
                  " take more than the size ", whole[blocks.first + i], " of dimension ", blocks.first + i);
    }
  }
  return slice_view(reshape(permute(reshape(call.value(0), cut), order), whole), starts, stops,
                    Dims(shape.size(), Dim(1)));
}

int64_t block_of_image(const Call& call) {
  infer::require_rank(call, 0, 4, "input");
  if (call.integer(1) < 1)
    value_error(call.op(), ": block_size is ", call.integer(1), "; it must be 1 or more");
  return call.integer(1);
}

void require_multiple(const Call& call, size_t dimension, int64_t factor) {
  const Dim size = call.in(0).shape[dimension];
  if (size.known() && size.value() % factor != 0) {
    value_error(call.op(), ": input has shape ", call.in(0).shape, "; dimension ", dimension,
                " must be a multiple of ", factor);
  }
}

}  // namespace

DYAD_OP("space_to_batch_nd(input: Tensor, block_size: ints, paddings: pairs) -> Tensor")
    .doc(
        "Space to batch: pads the trailing dimensions, cuts them into blocks and moves the positions within "
        "a block to the batch.")
    .formula("out[p · N + n, …, i] = padded[n, …, i · block_size + p], p = position within the block")
    .arg("input", "any dtype, shape (N, …, d₁, …, dₘ).")
    .arg("block_size", "block size of each of the m trailing dimensions.")
    .arg("paddings", "(before, after) for each of the m trailing dimensions.")
    .returns("Tensor of shape (N · Π block_size, …, (dᵢ + paddings) / block_sizeᵢ).")
    .see("ops.batch_to_space_nd")
    .function("space_to_batch_nd(input_x:input, block_size, paddings)")
    .primitive("SpaceToBatchND(block_shape:block_size, paddings)(input_x:input)")
    .primitive("SpaceToBatch(block_size, paddings)(input_x:input)")
    .compose([](const Call& call) { return to_batch(call); })
    .numpy("ref.space_to_batch(input, block_size, paddings)")
    .samples("call(T(2, 1, 2, 2), (2, 2), ((0, 0), (0, 0)))", "call(T(1, 3, 3, 4), (2, 3), ((0, 1), (1, 1)))",
             "call(T(2, 4, 4), 2, ((0, 0), (0, 0)))")
    .rejects("ops.space_to_batch_nd(ones(1, 1, 3, 2), (2, 2), ((0, 0), (0, 0)))", "ValueError",
             "not a multiple of 2");

DYAD_OP("batch_to_space_nd(input: Tensor, block_shape: ints, crops: pairs) -> Tensor")
    .doc(
        "Batch to space, the inverse of `space_to_batch_nd`: moves positions from the batch back into "
        "blocks, and crops.")
    .formula("uncropped[n, …, i · block_shape + p] = input[p · N + n, …, i], p = position within the block")
    .arg("input", "any dtype, shape (N · Π block_shape, …, d₁, …, dₘ).")
    .arg("block_shape", "block size of each of the m trailing dimensions.")
    .arg("crops", "(before, after) for each of the m trailing dimensions.")
    .returns("Tensor of shape (N, …, dᵢ · block_shapeᵢ − crops).")
    .see("ops.space_to_batch_nd")
    .function("batch_to_space_nd(input_x:input, block_shape, crops)")
    .primitive("BatchToSpaceND(block_shape, crops)(input_x:input)")
    .primitive("BatchToSpace(block_size:block_shape, crops)(input_x:input)")
    .compose([](const Call& call) { return from_batch(call); })
    .numpy("ref.batch_to_space(input, block_shape, crops)")
    .samples("call(T(8, 1, 1, 1), (2, 2), ((0, 0), (0, 0)))", "call(T(6, 3, 2, 2), (2, 3), ((0, 1), (1, 1)))",
             "call(T(4, 2, 2), 2, ((0, 0), (0, 0)))")
    .rejects("ops.batch_to_space_nd(ones(3, 1, 2, 2), (2, 2), ((0, 0), (0, 0)))", "ValueError",
             "the batch size 3 is not a multiple of 4");

DYAD_OP("space_to_depth(input: Tensor, block_size: int) -> Tensor")
    .doc(
        "Space to depth: turns (N, C, H·b, W·b) into (N, b²·C, H, W). The positions within a block become "
        "groups of channels.")
    .formula("out[n, (i · b + j) · C + c, h, w] = input[n, c, h · b + i, w · b + j]")
    .arg("input", "any dtype, shape (N, C, H·b, W·b).")
    .arg("block_size", "b, ≥ 2.")
    .returns("Tensor of shape (N, b²·C, H, W).")
    .see("ops.pixel_unshuffle")
    .hidden()
    .primitive("SpaceToDepth(block_size)(x:input)")
    .compose([](const Call& call) {
      const int64_t b = block_of_image(call);
      require_multiple(call, 2, b);
      require_multiple(call, 3, b);
      const Shape& s = call.in(0).shape;
      const Value cut =
          reshape(call.value(0), Dims{s[0], s[1], floor_div(s[2], b), b, floor_div(s[3], b), b});
      return reshape(permute(cut, Dims{0, 3, 5, 1, 2, 4}),
                     Dims{s[0], s[1] * Dim(b) * Dim(b), floor_div(s[2], b), floor_div(s[3], b)});
    })
    .numpy("ref.space_to_depth(input, block_size)")
    .samples("call(T(2, 3, 4, 6), 2)", "call(T(1, 1, 3, 3), 3)")
    .rejects("ops.SpaceToDepth(2)(ones(1, 1, 3, 2))", "ValueError", "dimension 2 must be a multiple of 2");

DYAD_OP("depth_to_space(input: Tensor, block_size: int) -> Tensor")
    .doc(
        "Depth to space: turns (N, b²·C, H, W) into (N, C, H·b, W·b). Groups of channels become the "
        "positions within a block.")
    .formula("out[n, c, h · b + i, w · b + j] = input[n, (i · b + j) · C + c, h, w]")
    .arg("input", "any dtype, shape (N, b²·C, H, W).")
    .arg("block_size", "b, ≥ 2.")
    .returns("Tensor of shape (N, C, H·b, W·b).")
    .see("ops.pixel_shuffle")
    .hidden()
    .primitive("DepthToSpace(block_size)(x:input)")
    .compose([](const Call& call) {
      const int64_t b = block_of_image(call);
      const Dim places = Dim(b) * Dim(b);  // of a block; stays large where integers would wrap around
      require_multiple(call, 1, places.value());
      const Shape& s = call.in(0).shape;
      const Dim channels = floor_div(s[1], places);
      const Value cut = reshape(call.value(0), Dims{s[0], b, b, channels, s[2], s[3]});
      return reshape(permute(cut, Dims{0, 3, 4, 1, 5, 2}), Dims{s[0], channels, s[2] * b, s[3] * b});
    })
    .numpy("ref.depth_to_space(input, block_size)")
    .samples("call(T(2, 12, 2, 3), 2)", "call(T(1, 9, 1, 1), 3)")
    .rejects("ops.DepthToSpace(2)(ones(1, 3, 2, 2))", "ValueError", "dimension 1 must be a multiple of 4")
    .rejects("ops.DepthToSpace(2**48)(ones(1, 3, 2, 2))", "ValueError", "dimension 1 must be a multiple of");

}  // namespace dyad
