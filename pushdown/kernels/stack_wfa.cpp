#include "pushdown/kernels/stack_wfa.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "pushdown/error.h"
#include "pushdown/kernels/arena.h"
#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/simd.h"

namespace pushdown {
namespace {

// With a window, what a later step can reach of the columns before it.
int ReachableColumns(int window) { return std::max(1, window - 1); }

// How much of everything a stack needs.
struct Sizes {
  Sizes(const NondeterministicStackSpec& spec, int max_steps)
      : columns(max_steps + (spec.window > 0 ? ReachableColumns(spec.window) : 1)),
        rows(spec.window > 0 ? spec.window : columns) {}

  // Offsets within a column are ints.
  bool TooLarge(const NondeterministicStackSpec& spec) const {
    const double pairs = spec.pairs();
    return pairs * pairs * rows > 1e9 || pairs * spec.states * columns > 1e9;
  }

  int columns;
  int rows;  // of one column, at most
};

// At most.
std::size_t SparseEntries(const NondeterministicStackSpec& spec) {
  return static_cast<std::size_t>(spec.logits_size() / kSparse);
}

// The lowest row of all, which cannot be popped, as a stack begins.
int FirstRow(const NondeterministicStackSpec& spec) {
  return spec.bottom == Bottom::kFixed ? -1 : 0;
}

// A stack between chunks: where its columns are, `time` steps after its beginning, and how much of
// them the next step reaches.
struct Between {
  Between(const NondeterministicStackSpec& spec, std::int64_t time) {
    const std::int64_t window = spec.window;
    const std::int64_t newest =
        window > 0 ? std::min<std::int64_t>(time, ReachableColumns(spec.window) - 1) : time;
    now = static_cast<int>(newest);
    base = time - newest;
    first = FirstRow(spec);
    if (window > 0) first = static_cast<int>(std::max(first - base, -window - 1));
    low = window > 0 ? std::max(first, now + 1 - spec.window) : first;
  }

  // The rows of a column that are in reach.
  int Rows(int t) const { return std::max(0, t - low); }

  std::int64_t base;
  int now;
  int first;
  int low;
};

// Shares and their sums are at most one, but for rounding.
constexpr double kLargestShare = 1.001;

template <typename T>
void PlaceColumn(const NondeterministicStackSpec& spec, int t, bool gradients, Arena<T>& arena,
                 WfaColumn<T>& column) {
  const std::int64_t pairs = spec.pairs();
  const int rows = spec.window > 0 ? spec.window : t + 1;
  column.stride = RowStride<T>(rows * spec.pairs());
  column.shares = arena.Take(pairs * column.stride);
  // The padding before the gradients' first row is the end of the shares' last.
  if (gradients) column.gradients = arena.Take(pairs * column.stride);
  column.uncovered = arena.Take(std::int64_t{spec.states} * column.stride);
  column.transitions = arena.Take(2 * pairs * pairs + kRowPadding<T>);
  column.pop = arena.Take(pairs * spec.states);
  column.pop_scale = arena.Take(pairs);
  column.alpha = arena.Take(pairs);
  if (spec.window > 0 || spec.vector_size > 0) column.attention = arena.Take(pairs * rows);
  if (spec.window > 0) column.kept = arena.Take(pairs * rows);
}

template <typename T>
void PlaceScratch(const NondeterministicStackSpec& spec, const Sizes& sizes, Arena<T>& arena,
                  WfaView<T>& view) {
  const std::int64_t pairs = spec.pairs();
  view.pop_row_stride = RowStride<T>(sizes.rows * spec.pairs());
  view.pop_rows = arena.Take(std::int64_t{spec.states} * view.pop_row_stride);
  view.row = arena.Take(view.pop_row_stride);
  view.log_alpha_gradients = arena.Take((sizes.columns + 1) * pairs + kRowPadding<T>);
  view.logits = arena.Take(spec.logits_size() + kRowPadding<T>);
  view.weights = arena.Take(2 * pairs * pairs + kRowPadding<T>);
  view.inverse_totals = arena.Take(2 * pairs);
  view.kept_sources = arena.Take(pairs);
  view.period = arena.Take(spec.symbols + kRowPadding<T>);
  view.products = arena.Take(pairs * pairs);
}

template <typename T>
void PlaceDoubles(const NondeterministicStackSpec& spec, const Sizes& sizes, Arena<double>& arena,
                  WfaView<T>& view, WfaColumn<T>* columns) {
  const std::int64_t pairs = spec.pairs();
  double* log_alpha = arena.Take(sizes.columns * pairs);
  for (int t = 0; columns != nullptr && t < sizes.columns; ++t) {
    columns[t].log_alpha = log_alpha == nullptr ? nullptr : log_alpha + t * pairs;
  }
  view.table_stride = RoundUpToVectors<double>(spec.logits_per_pair());
  view.log_weights = arena.Take(pairs * view.table_stride);
  view.peaks = arena.Take(spec.logits_per_pair());
  view.log_pop_totals = arena.Take(pairs);
  view.pop_sums = arena.Take(pairs);
  view.pop_factors = arena.Take(pairs);
  view.scales = arena.Take(2 * pairs);
  view.totals = arena.Take(2 * pairs);
  view.log_totals = arena.Take(pairs);
  view.residues = arena.Take(std::int64_t{spec.symbols} * kRowPadding<double>);
}

}  // namespace

double PopMultiplyAdds(const NondeterministicStackSpec& spec, int steps) {
  const double n = steps;
  const double pairs = spec.pairs();
  return (n * n * n - n) / 6 * spec.states * pairs * pairs;
}

template <typename T>
StackWfa<T>::StackWfa(const NondeterministicStackSpec& spec, int max_steps, bool gradients)
    : spec_(spec) {
  Validate(spec);
  ValidateSteps(max_steps);
  const Sizes sizes(spec, max_steps);
  if (sizes.TooLarge(spec)) {
    throw Error(ErrorKind::kLimit, "pushdown::StackWfa",
                StackName(spec) + " with " + std::to_string(max_steps) + " steps is too large");
  }
  InitializeSimdTarget();
  columns_.resize(static_cast<std::size_t>(sizes.columns));
  entries_.resize(SparseEntries(spec));
  view_.entries = entries_.data();
  const auto pairs = static_cast<std::size_t>(spec.pairs());
  used_ = std::make_unique<bool[]>(columns_.size() * pairs);
  for (std::size_t t = 0; t < columns_.size(); ++t) columns_[t].used = used_.get() + t * pairs;
  row_of_lane_.reserve(static_cast<std::size_t>(spec.pairs() * kRowPadding<T>));
  view_.states = spec.states;
  view_.symbols = spec.symbols;
  view_.pairs = spec.pairs();
  view_.window = spec.window;
  view_.columns = columns_.data();
  for (int phase = 0; phase < spec.pairs(); ++phase) {
    for (int lane = 0; lane < kRowPadding<T>; ++lane) {
      row_of_lane_.push_back(static_cast<hwy::MakeSigned<T>>((phase + lane) / spec.pairs()));
    }
  }
  view_.row_of_lane = row_of_lane_.data();
  buffer_ = PlaceInArena<T>([&](Arena<T>& arena) {
    for (int t = 0; t < sizes.columns; ++t) PlaceColumn(spec, t, gradients, arena, columns_[t]);
    arena.Take(kRowPadding<T>);  // before the pop rows
    PlaceScratch(spec, sizes, arena, view_);
  });
  log_buffer_ = PlaceInArena<double>(
      [&](Arena<double>& arena) { PlaceDoubles(spec, sizes, arena, view_, columns_.data()); });
}

template <typename T>
double StackWfa<T>::EstimateBytes(const NondeterministicStackSpec& spec, int max_steps,
                                  bool gradients) {
  const Sizes sizes(spec, max_steps);
  if (sizes.TooLarge(spec)) return std::numeric_limits<double>::infinity();
  WfaView<T> view{};
  Arena<T> scratch(nullptr);
  PlaceScratch(spec, sizes, scratch, view);
  Arena<double> doubles(nullptr);
  PlaceDoubles<T>(spec, sizes, doubles, view, nullptr);
  auto elements = static_cast<double>(scratch.used());
  for (int t = 0; t < sizes.columns; ++t) {
    WfaColumn<T> column;
    Arena<T> arena(nullptr);
    PlaceColumn(spec, t, gradients, arena, column);
    // With a window all columns are alike.
    elements += static_cast<double>(arena.used()) * (spec.window > 0 ? sizes.columns : 1);
    if (spec.window > 0) break;
  }
  elements += static_cast<double>(spec.pairs()) * kRowPadding<T>;
  return elements * sizeof(T) + static_cast<double>(doubles.used()) * sizeof(double) +
         static_cast<double>(sizes.columns) * (sizeof(WfaColumn<T>) + spec.pairs()) +
         static_cast<double>(SparseEntries(spec)) * sizeof(WfaEntry);
}

template <typename T>
void StackWfa<T>::Reset(Start start) {
  const int pairs = spec_.pairs();
  first_ = FirstRow(spec_);
  now_ = 0;
  boundary_ = 0;
  base_ = 0;
  // gamma[-1->0] and alpha[0] (equations new-rns-rnn-gamma-init and rns-rnn-alpha-init). With the
  // old bottom there is no row yet, and nothing that could be replaced.
  WfaColumn<T>& column = columns_[0];
  column.low = first_;
  std::fill_n(column.used, pairs, true);
  const bool everywhere = start == Start::kEverywhere;
  for (int target = 0; target < pairs; ++target) {
    const bool reached = everywhere || target == 0;
    column.alpha[target] = reached ? T{1} : T{0};
    column.log_alpha[target] = reached ? 0 : -std::numeric_limits<double>::infinity();
    if (first_ < 0) {
      T* shares = column.shares + target * column.stride;
      std::fill_n(shares, pairs + kRowPadding<T>, T{0});
      shares[0] = reached ? T{1} : T{0};
      if (column.attention != nullptr) column.attention[target] = shares[0];
      if (column.kept != nullptr) column.kept[target] = shares[0];
    }
  }
  column.log_scale = 0;
  if (everywhere) {
    column.log_scale = std::log(pairs);
    for (int target = 0; target < pairs; ++target) {
      column.alpha[target] /= static_cast<T>(pairs);
      column.log_alpha[target] -= column.log_scale;
    }
  }
  column.log_weight = column.log_scale;
}

template <typename T>
int StackWfa<T>::Low(int t) const {
  return spec_.window > 0 ? std::max(first_, t - spec_.window) : first_;
}

template <typename T>
void StackWfa<T>::Step(const T* logits) {
  const int t = now_ + 1;
  if (t >= static_cast<int>(columns_.size())) {
    throw Error("pushdown::StackWfa::Step", "more steps than the stack was made for");
  }
  WfaColumn<T>& column = columns_[t];
  column.low = Low(t);
  const FlushDenormals flush;
  ActiveWfaKernels<T>().forward(view_, t, logits);
  if (!std::isfinite(column.log_scale)) {
    const std::string step = "step " + std::to_string(absolute_time(t));
    throw Error(ErrorKind::kNumeric, "pushdown::StackWfa::Step",
                std::isnan(column.log_scale)
                    ? "a logit of " + step + " is NaN or +inf"
                    : "no run of the automaton survives " + step +
                          (spec_.window > 0 ? " within the window" : "") +
                          " (or what survives is beyond the range of " +
                          (std::is_same_v<T, float> ? "float" : "double") + ")");
  }
  column.log_weight = columns_[now_].log_weight + column.log_scale + column.largest_logit;
  now_ = t;
}

template <typename T>
void StackWfa<T>::BackwardStep(int t, const T* log_alpha_gradient, const T* row_gradient,
                               std::ptrdiff_t row_gradient_stride, T* logit_gradient) {
  if (t == now_) {
    std::fill_n(view_.log_alpha_gradients,
                static_cast<std::size_t>(now_ + 2) * static_cast<std::size_t>(spec_.pairs()), T{0});
  }
  view_.boundary = boundary_;
  const FlushDenormals flush;
  ActiveWfaKernels<T>().backward(view_, t, now_, log_alpha_gradient, row_gradient,
                                 row_gradient_stride, logit_gradient);
}

template <typename T>
void StackWfa<T>::RepeatPops() {
  if (columns_[0].gradients == nullptr) {
    throw Error("pushdown::StackWfa::RepeatPops", "made without gradients");
  }
  view_.boundary = boundary_;
  const FlushDenormals flush;
  ActiveWfaKernels<T>().repeat_pops(view_, now_);
}

template <typename T>
int StackWfa<T>::Carry() {
  int shift = 0;
  if (spec_.window > 0) {
    const int kept = std::min(now_ + 1, ReachableColumns(spec_.window));
    shift = now_ + 1 - kept;
    // With a window all columns have room for the same number of rows, and can trade places.
    std::rotate(columns_.begin(), columns_.begin() + shift, columns_.begin() + now_ + 1);
    for (int t = 0; t < kept; ++t) columns_[t].low -= shift;
    first_ = std::max(first_ - shift, -spec_.window - 1);
    base_ += shift;
    now_ -= shift;
  }
  boundary_ = now_;
  return shift;
}

template <typename T>
bool StackWfa<T>::CanCarry(std::int64_t time) const {
  constexpr std::int64_t kLatest = std::int64_t{1} << 60;
  const auto newest = static_cast<std::int64_t>(columns_.size()) - 1;
  return time >= 0 && time <= (spec_.window > 0 ? kLatest : newest);
}

template <typename T>
int StackWfa<T>::CarriedRows(std::int64_t time) const {
  const Between between(spec_, time);
  return between.Rows(between.now);
}

template <typename T>
std::size_t StackWfa<T>::CarriedBytes(std::int64_t time) const {
  const Between between(spec_, time);
  const auto pairs = static_cast<std::size_t>(spec_.pairs());
  std::size_t rows = 0;
  for (int t = 0; t <= between.now; ++t) rows += static_cast<std::size_t>(between.Rows(t));
  const std::size_t row_size = pairs + (spec_.window > 0 ? 1 : 0);  // with what is kept
  return pairs * sizeof(double) + rows * pairs * row_size * sizeof(T);
}

template <typename T>
void StackWfa<T>::AppendCarried(std::string& bytes) const {
  const int pairs = spec_.pairs();
  const Between between(spec_, absolute_time(now_));
  AppendNumbers(columns_[now_].log_alpha, static_cast<std::size_t>(pairs), bytes);
  for (int t = 0; t <= now_; ++t) {
    const WfaColumn<T>& column = columns_[t];
    const auto rows = static_cast<std::size_t>(between.Rows(t));
    if (rows == 0) continue;
    const std::size_t length = rows * static_cast<std::size_t>(pairs);
    const int skipped = between.low - column.low;
    for (int target = 0; target < pairs; ++target) {
      AppendNumbers(column.shares + target * column.stride + skipped * pairs, length, bytes);
    }
    if (column.kept != nullptr) AppendNumbers(column.kept + skipped * pairs, length, bytes);
  }
}

template <typename T>
bool StackWfa<T>::AcceptsCarried(std::string_view bytes) const {
  for (int pair = 0; pair < spec_.pairs(); ++pair) {
    double log_alpha = 0;
    TakeNumbers(bytes, &log_alpha, 1);
    if (!(log_alpha <= std::log(kLargestShare))) return false;
  }
  while (!bytes.empty()) {
    T share = 0;
    TakeNumbers(bytes, &share, 1);
    if (!(share >= 0 && share <= static_cast<T>(kLargestShare))) return false;
  }
  return true;
}

template <typename T>
void StackWfa<T>::RestoreCarried(std::int64_t time, std::string_view bytes) {
  const int pairs = spec_.pairs();
  const Between between(spec_, time);
  first_ = between.first;
  now_ = between.now;
  boundary_ = between.now;
  base_ = between.base;
  TakeNumbers(bytes, columns_[now_].log_alpha, static_cast<std::size_t>(pairs));
  columns_[now_].log_weight = 0;
  for (int t = 0; t <= now_; ++t) {
    WfaColumn<T>& column = columns_[t];
    column.low = Low(t);
    std::fill_n(column.used, pairs, true);
    const auto rows = static_cast<std::size_t>(between.Rows(t));
    if (rows == 0) continue;
    const std::size_t length = rows * static_cast<std::size_t>(pairs);
    const int skipped = between.low - column.low;
    for (int target = 0; target < pairs; ++target) {
      T* shares = column.shares + target * column.stride + skipped * pairs;
      TakeNumbers(bytes, shares, length);
      std::fill_n(shares + length, kRowPadding<T>, T{0});
    }
    if (column.kept != nullptr) TakeNumbers(bytes, column.kept + skipped * pairs, length);
  }
}

template <typename T>
template <typename U>
void StackWfa<T>::CopyFrom(const StackWfa<U>& other) {
  first_ = other.first_;
  now_ = other.now_;
  boundary_ = other.boundary_;
  base_ = other.base_;
  const int pairs = spec_.pairs();
  const int states = spec_.states;
  for (int t = 0; t <= now_; ++t) {
    const WfaColumn<U>& from = other.columns_[t];
    WfaColumn<T>& to = columns_[t];
    const int rows = t - from.low;
    to.low = from.low;
    to.log_scale = from.log_scale;
    to.largest_logit = from.largest_logit;
    to.log_weight = from.log_weight;
    for (int target = 0; target < pairs; ++target) {
      T* shares = to.shares + target * to.stride;
      std::copy_n(from.shares + target * from.stride, rows * pairs, shares);
      std::fill_n(shares + rows * pairs, kRowPadding<T>, T{0});
    }
    std::copy_n(from.log_alpha, pairs, to.log_alpha);
    std::copy_n(from.alpha, pairs, to.alpha);
    std::copy_n(from.transitions, 2 * pairs * pairs, to.transitions);
    std::copy_n(from.pop, pairs * states, to.pop);
    std::copy_n(from.pop_scale, pairs, to.pop_scale);
    for (int r = 0; r < states; ++r) {
      std::copy_n(from.uncovered + r * from.stride, std::max(0, rows - 1) * pairs,
                  to.uncovered + r * to.stride);
    }
    if (to.attention != nullptr) std::copy_n(from.attention, pairs * rows, to.attention);
    if (to.kept != nullptr) std::copy_n(from.kept, pairs * rows, to.kept);
    std::fill_n(to.used, pairs, true);
  }
}

template class StackWfa<float>;
template class StackWfa<double>;
template void StackWfa<double>::CopyFrom(const StackWfa<float>& other);

}  // namespace pushdown
