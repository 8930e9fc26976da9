#include "kernels/cpu/onednn_matmul.h"

#include <optional>

#include "kernels/cpu/loops.h"
#include "kernels/cpu/onednn.h"
#include "runtime/context.h"

namespace dyad::kernels::onednn {

namespace {

using Description = dnnl::memory::desc;

// Multiplications from which on the library's kernels outweigh what it costs to call them.
constexpr int64_t kLibraryWork = int64_t{1} << 23;

bool is_plain(const MatrixView& view, int64_t rows, int64_t columns) {
  const bool by_rows = view.column_stride == 1 && view.row_stride >= columns;
  const bool by_columns = view.row_stride == 1 && view.column_stride >= rows;
  return by_rows || by_columns;
}

Description described(DType dtype, int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  return {{rows, columns}, library_type(dtype), dnnl::memory::dims{row_stride, column_stride}};
}

bool takes_dtype(DType dtype) {
  return dtype == DType::kFloat32 || (dtype == DType::kBFloat16 && multiplies_bfloat16());
}

class Product {
 public:
  explicit Product(const MatrixProducts& p)
      : a_(described(p.dtype, p.m, p.k, p.a.row_stride, p.a.column_stride)),
        b_(described(p.dtype, p.k, p.n, p.b.row_stride, p.b.column_stride)),
        c_(described(p.dtype, p.m, p.n, p.n, 1)),
        bias_(described(p.dtype, 1, p.n, p.n, 1)) {
    const auto made = p.bias ? dnnl::matmul::primitive_desc(engine(), a_, b_, bias_, c_, caller_scratch())
                             : dnnl::matmul::primitive_desc(engine(), a_, b_, c_, caller_scratch());
    scratch_ = made.scratchpad_desc();
    primitive_ = dnnl::matmul(made);
  }

  void run(const MatrixProducts& p) const {
    dnnl::stream stream(engine());
    const Workspace scratch(scratch_.get_size());
    std::unordered_map<int, dnnl::memory> arguments = {
        {DNNL_ARG_SRC, memory_at(a_, p.a.data)},
        {DNNL_ARG_WEIGHTS, memory_at(b_, p.b.data)},
        {DNNL_ARG_DST, memory_at(c_, p.c)},
        {DNNL_ARG_SCRATCHPAD, memory_at(scratch_, scratch.as<void>())},
    };
    if (p.bias) arguments.emplace(DNNL_ARG_BIAS, memory_at(bias_, p.bias));
    primitive_.execute(stream, arguments);
    stream.wait();
  }

 private:
  Description a_, b_, c_, bias_, scratch_;
  dnnl::matmul primitive_;
};

}  // namespace

bool takes(const MatrixProducts& p) {
  // With several threads the library cuts some long sums and adds up the pieces.
  if (Context::process().deterministic()) return false;
  return takes_dtype(p.dtype) && p.batch.empty() && p.m > 1 && p.n > 1 && p.m * p.n * p.k >= kLibraryWork &&
         is_plain(p.a, p.m, p.k) && is_plain(p.b, p.k, p.n);
}

void multiply(const MatrixProducts& p) {
  const LibraryThreads threads(static_cast<double>(p.m * p.n * p.k) / kGrainWork);
  // Long sums over the rows of a transposed matrix are cut, and their parts added up; others are not.
  std::optional<ActiveThreads> working;
  if (p.a.column_stride == 1) working.emplace();
  static PrimitiveCache<Product> cache;
  Key key("m");
  key.add(p.m)
      .add(p.n)
      .add(p.k)
      .add(p.a.row_stride)
      .add(p.a.column_stride)
      .add(p.b.row_stride)
      .add(p.b.column_stride);
  key.add(p.bias != nullptr).add(static_cast<int64_t>(p.dtype));
  cache.get(key, [&] { return std::make_shared<Product>(p); })->run(p);
}

}  // namespace dyad::kernels::onednn
