#pragma once

#include <span>
#include <string>
#include <vector>

#include "pushdown/analysis/model_vectors.h"
#include "pushdown/analysis/transition_averages.h"
#include "pushdown/analysis/vector_pca.h"

namespace pushdown {

// Analyses as text for other programs. kJson has everything; docs/inside.md describes it. kVegaLite
// is a specification of Vega-Lite 5 with its data, kPgfPlots a tikzpicture for
// \usepackage{pgfplots} and \pgfplotsset{compat=1.13} or newer.
enum class FigureFormat { kCsv, kJson, kVegaLite, kPgfPlots };
// "csv", "json", "vega-lite" or "pgfplots". Throws Error for other names.
FigureFormat ParseFigureFormat(const std::string& name);

// The functions whose names end in Bytes estimate how much memory making a figure takes, for the
// check that comes before an analysis: rather too much than too little.

// A scatter plot of the first two components, with a colour for each symbol.
std::string PcaFigure(const TrainedModel& model, const VectorPca& pca, FigureFormat format);
double PcaFigureBytes(FigureFormat format, int components);  // of each point

// A heatmap of the vectors of each string by time.
std::string SeriesFigure(const TrainedModel& model, VectorKind of,
                         std::span<const VectorSeries> series, FigureFormat format);
double SeriesFigureBytes(FigureFormat format, int vector_size);  // of each symbol
// The colours of a heatmap go from `low`, which is 0, or negative if a number is, to `high`.
struct ShadeRange {
  double low = 0;
  double high = 1;
};
ShadeRange ShadesOf(std::span<const VectorSeries> series);

// The transitions whose average probability is at least the threshold, the largest first. Throws
// Error for kVegaLite and kPgfPlots: there is no figure.
std::string TransitionsFigure(const TrainedModel& model, std::span<const TransitionAverages> parts,
                              double threshold, FigureFormat format);
// Of each symbol of each part.
double TransitionsFigureBytes(const ModelSpec& spec, double threshold, FigureFormat format);
// How many transitions of a symbol a threshold leaves at most; of sup, the number of stacks.
double MostTransitions(const ModelSpec& spec, double threshold);

}  // namespace pushdown
