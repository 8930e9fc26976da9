#include "data/pipeline/ring.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

class Parallel final : public OverOne {
 public:
  explicit Parallel(StageRef child) : OverOne(std::move(child)) {}
  ~Parallel() override { Parallel::stop(); }
  std::string_view name() const override { return "parallel"; }

  void join(Run& run) override {
    Stage::join(run);
    ring_ = std::make_unique<Ring>(child_, run.workers, run.prefetch);
  }
  void begin(int64_t epoch) override {
    ring_->start(epoch, 1);
    ended_ = false;
  }
  bool claim(Work& work) override {
    ended_ = ended_ || ring_->take(work, false) != Ring::Taken::kRow;
    if (!ended_) count(1);
    return !ended_;
  }
  void finish(Work&) const override {}
  bool finish_stacked(std::vector<Work>&, Row&) const override { return false; }

  void stop() override {
    if (ring_) ring_->stop();
    child_->stop();
    if (ring_) ring_->join();
  }

 private:
  std::unique_ptr<Ring> ring_;
  bool ended_ = true;
};

}  // namespace

StageRef parallel(StageRef child) { return std::make_shared<Parallel>(std::move(child)); }

}  // namespace dyad::data
