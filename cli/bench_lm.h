#pragma once

#include "cli/bench_table.h"

namespace pushdown::cli {

// `pushdown bench --lm`.
void BenchText(const BenchCommand& command);

}  // namespace pushdown::cli
