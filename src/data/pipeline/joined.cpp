#include "base/error.h"
#include "data/pipeline/stages.h"

namespace dyad::data {

namespace {

/// A stage over several others.
class OverSeveral : public Stage {
 public:
  OverSeveral(std::string_view name, std::vector<StageRef> children)
      : name_(name), children_(std::move(children)) {
    if (children_.empty()) value_error(name, ": there is no dataset; need at least one");
  }
  std::string_view name() const override { return name_; }
  std::vector<Stage*> children() const override {
    std::vector<Stage*> all;
    for (const StageRef& child : children_) all.push_back(child.get());
    return all;
  }
  void begin(int64_t epoch) override {
    for (const StageRef& child : children_) child->begin(epoch);
    stream_ = epoch_random(epoch).key();
    next_ = 0;
  }

 protected:
  std::string_view name_;
  std::vector<StageRef> children_;
  uint64_t stream_ = 0;
  int64_t next_ = 0;
};

class Zipped final : public OverSeveral {
 public:
  explicit Zipped(std::vector<StageRef> children) : OverSeveral("zipped", std::move(children)) {}

  bool claim(Work& work) override {
    work.parts.clear();
    work.parts.resize(children_.size());
    for (size_t i = 0; i < children_.size(); ++i) {
      if (!children_[i]->claim(work.parts[i])) return false;
    }
    work.stream = stream_;
    work.number = next_++;
    return true;
  }

  void finish(Work& work) const override {
    for (size_t i = 0; i < children_.size(); ++i) {
      children_[i]->finish(work.parts[i]);
      for (Item& item : work.parts[i].row) work.row.push_back(std::move(item));
    }
    count(1);
  }

  std::string origin(const Work& work) const override {
    std::string found;
    for (size_t i = 0; i < work.parts.size() && found.empty(); ++i)
      found = children_[i]->origin(work.parts[i]);
    return found;
  }
};

class Concatenated final : public OverSeveral {
 public:
  explicit Concatenated(std::vector<StageRef> children) : OverSeveral("concatenated", std::move(children)) {}

  void begin(int64_t epoch) override {
    OverSeveral::begin(epoch);
    branch_ = 0;
  }
  bool claim(Work& work) override {
    for (; branch_ < children_.size(); ++branch_) {
      Work next;
      if (!children_[branch_]->claim(next)) continue;
      // Wrapped: a child that is a concatenation itself has its own branch in the row.
      work.stream = next.stream;
      work.number = next.number;
      work.branch = branch_;
      work.parts.clear();
      work.parts.push_back(std::move(next));
      return true;
    }
    return false;
  }
  void finish(Work& work) const override {
    children_[work.branch]->finish(work.parts[0]);
    work.row = std::move(work.parts[0].row);
    count(1);
  }
  std::string origin(const Work& work) const override {
    return work.parts.empty() ? std::string() : children_[work.branch]->origin(work.parts[0]);
  }

 private:
  size_t branch_ = 0;
};

}  // namespace

StageRef zipped(std::vector<StageRef> children) { return std::make_shared<Zipped>(std::move(children)); }
StageRef concatenated(std::vector<StageRef> children) {
  return std::make_shared<Concatenated>(std::move(children));
}

}  // namespace dyad::data
