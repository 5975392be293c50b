#pragma once

#include <string>

#include "pushdown/analysis/inspection.h"

namespace pushdown::cli {

struct InspectionTextOptions {
  int first = 0;  // the steps that are printed, of 0 .. N
  int last = 0;
  int top = 3;                    // how many transitions and readings of a step, at most,
  double min_probability = 0.01;  // and how probable they are at least
  bool table = false;             // runs are tables of steps, not drawings of stacks
};

// An inspection for people, in lines of at most 80 columns. `optimum_fault` says why there is no
// optimum.
std::string InspectionText(const Inspection& inspection, const InspectionTextOptions& options,
                           const std::string& optimum_fault);

}  // namespace pushdown::cli
