#include "pushdown/analysis/best_weights.h"

#include <algorithm>
#include <cstddef>

#include "pushdown/kernels/max_plus.h"
#include "pushdown/kernels/simd.h"

namespace pushdown {
namespace {

// Rows with padding at their ends, where -inf stands.
std::unique_ptr<double[]> MakeRow(int length) {
  const auto size = static_cast<std::size_t>(length + kMaxPlusPadding);
  std::unique_ptr<double[]> row(new double[size]);
  std::fill_n(row.get(), size, BestWeights::kImpossible);
  return row;
}

bool Possible(double log_weight) { return log_weight > BestWeights::kImpossible; }

}  // namespace

// The terms of a column: rows that are reached, each with its coefficients.
struct BestWeights::Products {
  std::vector<MaxPlusRow> rows;
  std::vector<double> coefficients;
  std::vector<double> out;  // rows that are computed side by side

  void Clear(std::size_t coefficient_count) {
    rows.clear();
    coefficients.clear();
    // Rows point to their coefficients, which must not move.
    coefficients.reserve(coefficient_count);
  }
  // Adds a row with the coefficients of `outputs` outputs, unless all of them are impossible.
  template <typename Coefficient>
  void Add(const double* values, int length, int outputs, const Coefficient& coefficient) {
    const std::size_t begin = coefficients.size();
    bool possible = false;
    for (int r = 0; r < outputs; ++r) {
      coefficients.push_back(coefficient(r));
      possible = possible || Possible(coefficients.back());
    }
    if (possible) {
      rows.push_back({values, length, coefficients.data() + begin});
    } else {
      coefficients.resize(begin);
    }
  }
};

BestWeights::BestWeights(const NondeterministicStackSpec& spec, const StepLogits& logits,
                         const std::function<void()>& check)
    : spec_(spec), logits_(logits), columns_(static_cast<std::size_t>(logits.steps()) + 1) {
  InitializeSimdTarget();
  Start();
  Products products;
  for (int t = 1; t <= logits_.steps(); ++t) {
    check();
    Advance(t, products);
  }
}

// Equations new-rns-rnn-gamma-init and rns-rnn-alpha-init.
void BestWeights::Start() {
  const auto pairs = static_cast<std::size_t>(spec_.pairs());
  const int first = spec_.bottom == Bottom::kFixed ? -1 : 0;
  for (int t = 0; t <= logits_.steps(); ++t) {
    Column& column = columns_[static_cast<std::size_t>(t)];
    column.low = spec_.window > 0 ? std::max(first, t - spec_.window) : first;
    column.alpha.assign(pairs, kImpossible);
    column.rows.resize(pairs);
  }
  columns_[0].alpha[0] = 0;
  if (first < 0) {
    columns_[0].rows[0] = MakeRow(spec_.pairs());
    columns_[0].rows[0][0] = 0;
  }
}

void BestWeights::Advance(int t, Products& products) {
  AdvancePopped(t, products);
  for (int symbol = 0; symbol < spec_.symbols; ++symbol) AdvanceSymbol(t, symbol, products);

  // Equation new-rns-rnn-alpha.
  const int pairs = spec_.pairs();
  Column& column = columns_[static_cast<std::size_t>(t)];
  for (int target = 0; target < pairs; ++target) {
    const double* row = Row(t, target);
    if (row == nullptr) continue;
    double best = kImpossible;
    for (int i = column.low; i < t; ++i) {
      // Under row -1 there is only the start.
      const int sources = i < 0 ? 1 : pairs;
      for (int source = 0; source < sources; ++source) {
        const double below = i < 0 ? 0 : Alpha(i, source);
        best = std::max(best, below + row[(i - column.low) * pairs + source]);
      }
    }
    column.alpha[static_cast<std::size_t>(target)] = best;
    if (!Possible(best)) column.rows[static_cast<std::size_t>(target)].reset();
  }
}

// Equation new-rns-rnn-gamma-prime.
void BestWeights::AdvancePopped(int t, Products& products) {
  const int pairs = spec_.pairs();
  const int states = spec_.states;
  Column& column = columns_[static_cast<std::size_t>(t)];
  const int length = std::max(0, t - 1 - column.low) * pairs;
  column.popped_stride = length + kMaxPlusPadding;
  column.popped.assign(static_cast<std::size_t>(states * column.popped_stride), kImpossible);
  products.Clear(static_cast<std::size_t>(pairs * states));
  for (int from = 0; from < pairs && length > 0; ++from) {
    const double* row = Row(t - 1, from);
    if (row == nullptr) continue;
    products.Add(row + (column.low - low(t - 1)) * pairs, length, states,
                 [&](int r) { return logits_.Pop(t, from, r); });
  }
  MaxPlusRows(products.rows, {column.popped.data(), column.popped_stride, states}, length);
}

// Equation new-rns-rnn-gamma for all (r,y) of a symbol y: push, replace and pop.
void BestWeights::AdvanceSymbol(int t, int symbol, Products& products) {
  const int pairs = spec_.pairs();
  const int states = spec_.states;
  Column& column = columns_[static_cast<std::size_t>(t)];
  const auto target = [&](int r) { return r * spec_.symbols + symbol; };
  const int old_length = std::max(0, t - 1 - column.low) * pairs;
  const int length = (t - column.low) * pairs;
  const int stride = length + kMaxPlusPadding;
  products.out.assign(static_cast<std::size_t>(states * stride), kImpossible);
  const Rows<double> out = {products.out.data(), stride, states};

  const int columns = std::max(0, t - 2 - column.low);  // that can be popped back to
  products.Clear(static_cast<std::size_t>((columns + 1) * states + pairs) *
                 static_cast<std::size_t>(states));
  for (int k = column.low + 1; k <= t - 2; ++k) {
    for (int u = 0; u < states; ++u) {
      const double* row = Row(k, target(u));
      if (row == nullptr) continue;
      products.Add(row + (column.low - low(k)) * pairs, (k - column.low) * pairs, states,
                   [&](int r) { return Popped(k, t, target(u), r); });
    }
  }
  for (int from = 0; from < pairs && old_length > 0; ++from) {
    const double* row = Row(t - 1, from);
    if (row == nullptr) continue;
    products.Add(row + (column.low - low(t - 1)) * pairs, old_length, states,
                 [&](int r) { return logits_.Replace(t, from, target(r)); });
  }
  MaxPlusRows(products.rows, out, old_length);

  for (int r = 0; r < states; ++r) {
    double* row = out.data + r * stride;
    for (int from = 0; from < pairs; ++from) {
      // Nothing leaves a pair in which no run is.
      if (!Possible(Alpha(t - 1, from))) continue;
      row[old_length + from] = logits_.Push(t, from, target(r));
    }
    if (std::none_of(row, row + length, Possible)) continue;
    std::unique_ptr<double[]>& kept = column.rows[static_cast<std::size_t>(target(r))];
    kept = MakeRow(length);
    std::copy_n(row, length, kept.get());
  }
}

double BestWeights::EstimateBytes(const NondeterministicStackSpec& spec, int steps) {
  const double pairs = spec.pairs();
  const double n = steps;
  const double rows =
      spec.window > 0 && spec.window < steps ? n * spec.window : n * (n + 3) / 2;  // of all columns
  const double padding = (pairs + spec.states) * kMaxPlusPadding * (n + 1);
  return sizeof(double) * (rows * pairs * (pairs + spec.states) + padding + n * pairs * 3);
}

}  // namespace pushdown
