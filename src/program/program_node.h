#pragma once

#include "autograd/autograd_meta.h"
#include "program/derivation.h"

namespace dyad::program {

/// A run of a program as one recorded step. It keeps the residuals of the run; its backward is a program.
class ProgramNode final : public autograd::Node {
 public:
  /// `inputs` and `leaves` have one entry per wanted input: where its gradient goes, and the input itself if
  /// that is a leaf. `shapes` are those of the outputs, `residuals` those of levels 1 to `order`.
  ProgramNode(Ref<Derivation> derivation, size_t order, std::vector<autograd::Edge> inputs,
              std::vector<Tensor> leaves, std::vector<Shape> shapes, std::vector<Arg> residuals,
              Ref<Runner> runner);
  ~ProgramNode() override;

  std::string_view name() const override { return derivation_->name(); }
  void backward(std::span<Value> gradients, std::span<Value> inputs, bool recorded) override;
  void forward(autograd::Push& push) override;
  std::vector<ResultSpec> output_specs() const override;
  void free_saved() override;

 private:
  using Level = Derivation::Level;
  /// Residuals in the backward program: as they are, or while that run is recorded as constants, or with the
  /// sources that they had.
  enum class Standing : uint8_t { kSaved, kConstant, kSourced };
  void run_backward(std::span<Value> gradients, std::span<Value> inputs, Standing standing, int transforms);
  template <class Visit>
  void for_each_shown(const Visit& visit) const;
  size_t place_of(const Level& level, size_t residual) const;
  std::vector<Arg> current(const Level& level) const;
  Arg with_source(const Arg& value, const Derivation::Residual& residual) const;
  void forget();

  const Ref<Derivation> derivation_;
  const size_t order_;
  std::vector<Tensor> leaves_;
  const std::vector<Shape> shapes_;
  std::vector<Arg> residuals_;
  std::vector<uint32_t> versions_;  ///< of those that the caller may write to
  Ref<Runner> runner_;
};

}  // namespace dyad::program
