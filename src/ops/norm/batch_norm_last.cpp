// Batch normalisation of tensors whose channels lie innermost, together with what surrounds it in networks: a
// sum with another branch and a rectifier. The compiler writes these operators.

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

void require_tensor(const Arguments& args, size_t at) {
  infer::require_dtype(args, at, args.in(at).dtype == DType::kFloat32, "float32");
  if (args.in(at).rank() < 2) {
    value_error(args.op(), ": input has shape ", args.in(at).shape,
                "; it must have samples first and channels last");
  }
}

void require_per_channel(const Arguments& args, size_t at, std::string_view name, Dim channels) {
  if (!args.has(at)) return;
  infer::require_dtype(args, at, args.in(at).dtype == DType::kFloat32, "float32");
  if (args.in(at).shape == Shape{channels}) return;
  value_error(args.op(), ": ", name, " has shape ", args.in(at).shape,
              "; it must have one number for each of ", channels, " channels");
}

void require_like(const Arguments& args, size_t at, std::string_view name, size_t input) {
  if (!args.has(at)) return;
  infer::require_dtype(args, at, args.in(at).dtype == DType::kFloat32, "float32");
  infer::require_like(args, at, name, args.in(input));
}

void infer_gradient(const Arguments& args, Results& results) {
  require_tensor(args, 1);
  const Shape& shape = args.in(1).shape;
  require_like(args, 0, "gradient", 1);
  require_per_channel(args, 2, "mean", shape.back());
  require_per_channel(args, 3, "variance", shape.back());
  require_per_channel(args, 4, "weight", shape.back());
  require_like(args, 5, "output", 1);
  results.add(DType::kFloat32, shape);
  results.add(DType::kFloat32, {shape.back()});
  results.add(DType::kFloat32, {shape.back()});
}

}  // namespace

DYAD_OP(
    "batch_norm_train_last(input: Tensor, weight: Tensor?, bias: Tensor?, added: Tensor?, eps: float, "
    "rectified: bool) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Normalises each channel, the last dimension, by its own mean and variance, which it gives too; adds "
        "`added` and takes away what is negative where that is asked for.")
    .compiler_made()
    .infer([](const Arguments& args, Results& results) {
      require_tensor(args, 0);
      const Shape& shape = args.in(0).shape;
      require_per_channel(args, 1, "weight", shape.back());
      require_per_channel(args, 2, "bias", shape.back());
      require_like(args, 3, "added", 0);
      results.add(DType::kFloat32, shape);
      results.add(DType::kFloat32, {shape.back()});
      results.add(DType::kFloat32, {shape.back()});
    })
    .cost(9)
    .numpy("ref.batch_norm_train_last(input, weight, bias, added, eps, rectified)")
    .samples("call(F(4, 3), F(3), F(3), None, 1e-5, False)",
             "call(F(4, 5, 6, 19), None, None, None, 1e-5, True)",
             "call(F(2, 70, 3), F(3), F(3), F(2, 70, 3), 1e-5, True)",
             "call(strided(F(2, 7, 300)), F(300), None, F(2, 7, 300), 1e-3, False)")
    .rejects("dyad._core.named_op('batch_norm_train_last')(ones(2), None, None, None, 1e-5, False)",
             "ValueError", "batch_norm_train_last: input has shape (2,)")
    .rejects("dyad._core.named_op('batch_norm_train_last')(ones(2, 3), ones(2), None, None, 1e-5, False)",
             "ValueError", "weight has shape (2,); it must have one number for each of 3 channels");

DYAD_OP(
    "batch_norm_train_grad_last(gradient: Tensor, input: Tensor, mean: Tensor, variance: Tensor, weight: "
    "Tensor?, output: Tensor?, eps: float) -> (Tensor, Tensor, Tensor)")
    .doc(
        "Gradients of input, weight and bias of batch normalisation over the last dimension. With the output "
        "of a rectifier the gradient counts only where that is positive.")
    .compiler_made()
    .infer(infer_gradient)
    .cost(12)
    .numpy("ref.batch_norm_train_grad_last(gradient, input, mean, variance, weight, output, eps)")
    .samples("call(F(4, 3), F(4, 3), F(3), F(3, lo=0.5, hi=2), F(3), None, 1e-5)",
             "call(F(4, 70, 5), F(4, 70, 5), F(5), F(5, lo=0.5, hi=2), None, F(4, 70, 5), 1e-5)")
    .rejects(
        "dyad._core.named_op('batch_norm_train_grad_last')(ones(2), ones(2, 3), ones(3), ones(3), None, "
        "None, 0.1)",
        "ValueError", "batch_norm_train_grad_last: gradient has shape (2,)");

}  // namespace dyad
