#pragma once

#include <functional>
#include <optional>

#include "data/pipeline/columns.h"
#include "data/pipeline/order.h"
#include "data/pipeline/stack.h"
#include "data/pipeline/stage.h"
#include "data/pipeline/stages.h"
#include "data/rows/source.h"
#include "data/rows/transform.h"

namespace dyad::data {

// The kinds of stages. Positions are those of columns; a repeat or a count below 0 is without end.

/// The rows of a source that an order chooses.
StageRef sampled(SourceRef source, OrderRef order);

/// Each row through transforms, one after another.
StageRef mapped(StageRef child, const std::vector<TransformRef>& transforms, Columns columns);

/// How rows become batches.
struct Batching {
  int64_t size = 1;
  std::function<int64_t(int64_t epoch, int64_t batch)>
      size_function;  ///< instead of `size`, where there is one
  bool drop_remainder = false;
  std::optional<std::vector<Padding>> padding;  ///< one per column
  TransformRef transform;                       ///< of whole columns; may be empty
  Columns columns;                              ///< of the transform
  /// What the transform gets for a column's values.
  std::function<Item(Row&&)> as_list;
  std::vector<std::string> names;  ///< of the columns, for errors; may be empty
};
/// Rows stacked into batches. The transform gets, behind the columns, an int64 array of epoch and batch
/// number.
StageRef batched(StageRef child, Batching batching);

/// Rows in a random order, by a buffer of so many from which the next one is drawn.
StageRef shuffled(StageRef child, int64_t buffer);
/// So many epochs of the child as one.
StageRef repeated(StageRef child, int64_t count);
StageRef taken(StageRef child, int64_t count);
StageRef skipped(StageRef child, int64_t count);
/// The columns of one row of each child, side by side; as long as the shortest.
StageRef zipped(std::vector<StageRef> children);
/// The rows of the children, one child after another.
StageRef concatenated(std::vector<StageRef> children);
StageRef projected(StageRef child, std::vector<int64_t> positions);
/// The rows for which the predicate, a transform of the columns at `take`, gives true.
StageRef filtered(StageRef child, TransformRef predicate, std::vector<int64_t> take);

/// How rows of similar length become batches.
struct Bucketing {
  std::vector<int64_t> boundaries;  ///< lengths at which a bucket ends and the next begins
  std::vector<int64_t> sizes;       ///< of the batches, one more than there are boundaries
  TransformRef length;  ///< of the columns at `take`; where it is empty, the first size of the first
  std::vector<int64_t> take;
  std::optional<std::vector<Padding>> padding;
  bool drop_remainder = false;
  bool to_boundary = false;  ///< open sizes of the padding become the longest length of the bucket
  std::vector<std::string> names;
};
/// Batches of rows of similar length.
StageRef bucketed(StageRef child, Bucketing bucketing);

/// The child's rows, made ahead by threads of its own: for stages that need finished rows when they claim.
StageRef parallel(StageRef child);

/// Reads the one result of a transform as a number.
using Question = std::function<int64_t(const Item& answer)>;

/// Finishes rows and notes what a transform of some of their columns says about them, as `Work::finding`.
/// Without a transform, `question` is asked about the first of the columns itself.
StageRef examined(std::string_view name, StageRef child, TransformRef transform, std::vector<int64_t> take,
                  Question question);

/// The rows of arrays and of texts, which have one row for each step along their first dimension. The arrays'
/// memory is kept and read when a row is; a row is a copy.
SourceRef arrays_source(Row columns);

}  // namespace dyad::data
