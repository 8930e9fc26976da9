#include "kernels/cpu/gemm.h"
#include "kernels/cpu/best_table.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/thread_count.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/onednn_matmul.h"
#include "runtime/allocator.h"

namespace dyad::kernels {

namespace {

const GemmTable& table() {
  static const GemmTable& best = best_table(baseline::gemm_table, avx2::gemm_table, avx512::gemm_table);
  return best;
}

// Multiply-adds that take about as long as a grain of `parallel_for`.
constexpr int64_t kGrainWork = 1 << 18;
// Pieces of a split product repeat some packing, so that they should not be smaller than this without need.
constexpr int64_t kPieceWork = 1 << 25;
// Columns and rows are split at multiples of a tile.
constexpr int64_t kColumnUnit = kPanelColumns;
constexpr int64_t kRowUnit = 6;
// Up to so many rows it costs more to pack a transposed b than to read it once for each.
constexpr int64_t kFewRows = 12;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

int threads_for(int64_t work) {
  return worthwhile_threads(static_cast<double>(work) / static_cast<double>(kGrainWork));
}

/// Items per piece, for a number of pieces that keeps all threads equally busy.
int64_t piece_size(int64_t items, int64_t work, int64_t threads) {
  const int64_t rounds = std::clamp<int64_t>(work / (kPieceWork * threads), 1, 4);
  return std::max<int64_t>(1, ceil_div(items, threads * rounds));
}

const char* at(const void* data, int64_t elements, DType dtype) {
  return static_cast<const char*>(data) + elements * itemsize(dtype);
}

void run_task(GemmTask task, DType dtype) {
  const GemmTable& kernels = table();
  const Workspace workspace(kernels.workspace_bytes(task));
  task.workspace = workspace.as<void>();
  kernels.run[static_cast<size_t>(dtype)](task);
}

/// One product on several cores: the longer side of the result is cut.
void run_split(const GemmTask& task, DType dtype) {
  const DType computed = compute_dtype(dtype);
  const int64_t work = task.m * task.n * task.k;
  const int threads = threads_for(work);
  if (threads == 1) return run_task(task, dtype);
  // Whole rows are better to finish; columns, where there are enough, to read.
  const bool by_columns = task.n >= (task.finish ? 4 * task.m : task.m);
  const bool wide = task.in_panels || task.n >= kColumnUnit * 2;
  const bool high = task.m >= kRowUnit * 16;
  const int64_t unit = by_columns ? (wide ? kColumnUnit : 16) : (high ? kRowUnit : 2);
  const int64_t units = ceil_div(by_columns ? task.n : task.m, unit);
  parallel_pieces(units, piece_size(units, work, threads), threads, [&](int64_t begin, int64_t end) {
    GemmTask part = task;
    if (by_columns) {
      part.n = std::min(task.n, end * unit) - begin * unit;
      part.b.data = at(task.b.data, begin * unit * (task.in_panels ? task.k : task.b.column_stride), dtype);
      part.first_column += begin * unit;
      part.c = const_cast<char*>(at(task.c, begin * unit, computed));
      if (task.bias) part.bias = at(task.bias, begin * unit, computed);
    } else {
      part.m = std::min(task.m, end * unit) - begin * unit;
      part.a.data = at(task.a.data, begin * unit * task.a.row_stride, dtype);
      part.first_row += begin * unit;
      part.c = const_cast<char*>(at(task.c, begin * unit * task.c_stride, computed));
    }
    run_task(part, dtype);
  });
}

void run_all(const MatrixProducts& p, void* c, const void* bias) {
  const DType computed = compute_dtype(p.dtype);
  int64_t count = 1;
  for (int64_t size : p.batch) count *= size;
  GemmTask task{p.m, p.n, p.k, p.a, p.b, c, p.n, bias, nullptr, nullptr, p.in_panels};
  task.finish = p.finish;
  // The product of a matrix and a column is the same numbers as that of a row and the transposed matrix.
  const bool column = p.n == 1 && p.m > 1 && !bias && !p.in_panels && !p.finish;
  if (column) {
    task = {1,
            p.m,
            p.k,
            {p.b.data, p.b.column_stride, p.b.row_stride},
            {p.a.data, p.a.column_stride, p.a.row_stride},
            c,
            p.m,
            nullptr,
            nullptr,
            nullptr};
  }
  task.by_dots = !task.in_panels && task.m <= kFewRows && task.b.row_stride == 1 && task.a.column_stride == 1;
  const Strides& left = column ? p.b_batch : p.a_batch;
  const Strides& right = column ? p.a_batch : p.b_batch;
  auto run_range = [&](int64_t begin, int64_t end, auto run) {
    for (int64_t index = begin; index < end; ++index) {
      GemmTask one = task;
      int64_t rest = index;
      for (size_t d = p.batch.size(); d-- > 0;) {
        const int64_t place = rest % p.batch[d];
        rest /= p.batch[d];
        one.a.data = at(one.a.data, place * left[d], p.dtype);
        one.b.data = at(one.b.data, place * right[d], p.dtype);
      }
      one.c = const_cast<char*>(at(c, index * p.m * p.n, computed));
      one.first_row = index * p.m;
      run(one, p.dtype);
    }
  };
  const int64_t work = std::max<int64_t>(1, p.m * p.n * p.k);
  const int threads = count > 1 ? threads_for(count * work) : 1;
  if (count > 1 && count >= threads) {
    parallel_pieces(count, piece_size(count, count * work, threads), threads,
                    [&](int64_t begin, int64_t end) { run_range(begin, end, run_task); });
  } else {
    run_range(0, count, run_split);
  }
}

/// Whether the elements of a matrix are all there are between its first and its last one.
bool fills_its_memory(const MatrixView& view, int64_t rows, int64_t columns) {
  return (view.column_stride == 1 && view.row_stride == columns) ||
         (view.row_stride == 1 && view.column_stride == rows);
}

void convert(DType from, DType to, int64_t count, const void* in, void* out) {
  const Convert run = converter(from, to);
  parallel_for(count, 1 << 16, [&](int64_t begin, int64_t end) {
    run(end - begin, at(in, begin, from), const_cast<char*>(at(out, begin, to)));
  });
}

/// float16 and bfloat16: sums are float32. Operands that fill their memory are converted in one go, which is
/// faster than while they are packed.
void multiply_narrow(const MatrixProducts& narrow, int64_t count) {
  MatrixProducts p = narrow;
  const bool at_once = p.batch.empty() && fills_its_memory(p.a, p.m, p.k) && fills_its_memory(p.b, p.k, p.n);
  const auto room = [](int64_t elements) { return static_cast<size_t>(elements) * sizeof(float); };
  const Workspace a(room(at_once ? p.m * p.k : 0));
  const Workspace b(room(at_once ? p.k * p.n : 0));
  const Workspace bias(room(p.bias ? p.n : 0));
  const Workspace c(room(count));
  if (p.bias) convert(p.dtype, DType::kFloat32, p.n, p.bias, bias.as<void>());
  if (at_once) {
    convert(p.dtype, DType::kFloat32, p.m * p.k, p.a.data, a.as<void>());
    convert(p.dtype, DType::kFloat32, p.k * p.n, p.b.data, b.as<void>());
    p.dtype = DType::kFloat32;
    p.a.data = a.as<void>();
    p.b.data = b.as<void>();
    p.c = c.as<void>();
    p.bias = narrow.bias ? bias.as<void>() : nullptr;
    multiply_matrices(p);
  } else {
    run_all(p, c.as<void>(), p.bias ? bias.as<void>() : nullptr);
  }
  convert(DType::kFloat32, narrow.dtype, count, c.as<void>(), narrow.c);
}

}  // namespace

void multiply_matrices(const MatrixProducts& products) {
  int64_t count = products.m * products.n;
  for (int64_t size : products.batch) count *= size;
  if (count == 0) return;
  if (!products.in_panels && !products.finish && onednn::takes(products)) return onednn::multiply(products);
  if (!is_narrow_float(products.dtype)) return run_all(products, products.c, products.bias);
  multiply_narrow(products, count);
}

void multiply_here(DType dtype, GemmTask task) {
  if (task.m * task.n > 0) run_task(task, dtype);
}

void pack_panels(DType dtype, const MatrixView& matrix, int64_t rows, int64_t columns, void* out) {
  const auto pack = dtype == DType::kFloat64 ? table().pack_double : table().pack_float;
  const int64_t panel_size = rows * kPanelColumns;
  parallel_for(ceil_div(columns, kPanelColumns), 1 + (1 << 15) / (panel_size + 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t panel = begin; panel < end; ++panel) {
                   const int64_t first = panel * kPanelColumns;
                   const MatrixView part{at(matrix.data, first * matrix.column_stride, dtype),
                                         matrix.row_stride, matrix.column_stride};
                   pack(part, rows, std::min(kPanelColumns, columns - first),
                        const_cast<char*>(at(out, panel * panel_size, dtype)));
                 }
               });
}

}  // namespace dyad::kernels
