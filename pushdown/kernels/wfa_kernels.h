#pragma once

#include <hwy/base.h>

#include <cstddef>

namespace pushdown {

// What one time step leaves behind. Pairs (state, symbol) are numbered state * |Gamma| + symbol.
// P = pairs, Q = states.
template <typename T>
struct WfaColumn {
  int low = 0;                  // the shares of this column are those of i = low .. t-1
  int stride = 0;               // of the rows of `shares`, `gradients` and `uncovered`
  T* shares = nullptr;          // [P (r,y)][(i,q,x)]: S[i->t][q,x | r,y]
  T* gradients = nullptr;       // the same shape: the loss's derivatives by the shares
  T* uncovered = nullptr;       // [Q r][(k,u,y)]: gamma'[k->t][u,y->r] / alpha[t][r,y], k > low
  T* transitions = nullptr;     // [P (s,z)][push P | replace P]: alpha[t-1] * D_t / alpha[t]
  T* pop = nullptr;             // [P (s,z)][Q r]: alpha[t-1] * D_t, at a scale of its own
  T* pop_scale = nullptr;       // [P (r,y)]: turns that scale into that of `uncovered`
  T* alpha = nullptr;           // [P]: the reading alpha[t][r,y], summing to one
  double* log_alpha = nullptr;  // [P]
  // log of the sum of all weights, minus that of column t-1 and the largest logit of step t; column
  // 0 has the log itself
  double log_scale = 0;
  double largest_logit = 0;  // of step t
  double log_weight = 0;     // log of the sum of all weights, since Reset or RestoreCarried
  T* attention = nullptr;  // [P (r,y)][i]: shares summed over (q,x); with a window or vectors only
  T* kept = nullptr;       // [i][P (r,y)]: attention summed over all rows from i on; window only
  bool* used = nullptr;    // [P (r,y)]: false if all shares of a pair are zeros
};

// A step is sparse if at most one logit in kSparse is more than -inf. It takes the time of its
// transitions then, not of all pairs (but without a window only).
inline constexpr int kSparse = 16;

// A transition of a sparse step.
struct WfaEntry {
  int source;         // (s,z)
  int target;         // as in a row of logits: push (r,y) | replace (r,y) | pop r
  double log_weight;  // log(alpha[t-1] * D_t)
};

// Everything the kernels of one step see; the buffers belong to a StackWfa.
template <typename T>
struct WfaView {
  int states;
  int symbols;
  int pairs;
  int window;             // 0: none
  int boundary;           // the newest time that gradients do not reach
  WfaColumn<T>* columns;  // by time
  int pop_row_stride;
  T* pop_rows;             // [Q][(k,u,y)]: derivatives by gamma' of a step
  T* log_alpha_gradients;  // [i + 1][P]: the loss's derivatives by log alpha[i]

  // Scratch. All of these may be written to the end of a vector.
  int table_stride;
  T* logits;               // [P sources][2P + Q targets]
  double* log_weights;     // [P sources][2P + Q targets, table_stride]: log(alpha[t-1] * D_t)
  double* peaks;           // [2P + Q]: the largest of these by target
  double* log_pop_totals;  // [P]
  double* pop_sums;        // [P]
  double* pop_factors;     // [P]
  double* scales;          // [2P]
  double* totals;          // [2P]
  double* log_totals;      // [P]
  double* residues;        // [|Gamma|] vectors
  T* weights;              // [P sources][2P targets]
  T* inverse_totals;       // [2P]
  T* kept_sources;         // [P]
  T* period;               // [|Gamma|] and a vector more
  T* products;             // [P][P]
  T* row;                  // one row
  WfaEntry* entries;       // [P (2P + Q) / kSparse]
  const hwy::MakeSigned<T>* row_of_lane;  // [P phase][lane]: (phase + lane) / P
};

// The kernels of a stack WFA, those of the active SIMD target; see dispatch.h.
template <typename T>
struct WfaKernels {
  // Column t from its logits and the columns before it. columns[t].low is set. Afterwards log_scale
  // is -inf if no run survives, and NaN if a logit is NaN or +inf; the column is then not usable.
  void (*forward)(const WfaView<T>& view, int t, const T* logits);
  // Column t of the backward pass; `last` is the newest column, and all those after t are done.
  void (*backward)(const WfaView<T>& view, int t, int last, const T* log_alpha_gradient,
                   const T* row_gradient, std::ptrdiff_t row_gradient_stride, T* logit_gradient);
  // The products that take cubic time, of columns up to `last`, forward and backward.
  void (*repeat_pops)(const WfaView<T>& view, int last);
};

template <typename T>
const WfaKernels<T>& ActiveWfaKernels();

}  // namespace pushdown
