#include "python/bindings/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/analysis/inspection.h"
#include "pushdown/analysis/inspection_json.h"
#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/beam_search.h"
#include "pushdown/run/evaluation_json.h"
#include "pushdown/run/model_file.h"
#include "pushdown/run/recognizer_directory.h"
#include "pushdown/run/scoring.h"
#include "pushdown/run/trained_model.h"
#include "python/bindings/arrays.h"
#include "python/bindings/automaton_runs.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/threads.h"
#include "python/bindings/values.h"

namespace pushdown::python {
namespace {

using Symbols = std::vector<int>;
using Range = std::pair<int, int>;  // the shortest and the longest length

std::optional<LengthRange> RangeOf(const std::optional<Range>& lengths) {
  if (!lengths) return std::nullopt;
  return LengthRange{.min = lengths->first, .max = lengths->second};
}

StageProgress Checking(const Attention& attention) {
  return [&attention](const std::string& /*stage*/, double /*fraction*/) { attention.Check(); };
}

// With its warnings.
std::pair<std::shared_ptr<TrainedModel>, std::vector<std::string>> Open(const std::string& path) {
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
  auto model = std::make_shared<TrainedModel>(
      Interruptible([&](Attention& /*attention*/) { return OpenModel(path, warn); }));
  return {std::move(model), std::move(warnings)};
}

py::dict Description(const TrainedModel& model) {
  const ModelSpec& spec = model.spec;
  py::dict result;
  result["name"] = ModelName(spec);
  result["kind"] = KindName(model.kind);
  result["hidden_units"] = spec.hidden_units;
  result["symbols"] = spec.symbols;
  if (spec.is_text()) result["embedding_size"] = spec.embedding_size;
  if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    if (stack->window > 0) result["window"] = stack->window;
    result["bottom"] = stack->bottom == Bottom::kOld ? "old" : "fixed";
    if (stack->vector_size > 0) {
      result["initial_vector"] =
          stack->initial_vector == InitialVector::kPaperCode ? "paper-code" : "correct";
    }
  } else if (const SuperpositionStackSpec* stacks = spec.superposition()) {
    if (stacks->depth_limit > 0) result["depth_limit"] = stacks->depth_limit;
  }
  return result;
}

py::dict Weights(const TrainedModel& model) {
  py::dict result;
  for (const ParameterTensor& tensor : ParameterLayout(model.spec).tensors) {
    py::array_t<float> array(std::vector<py::ssize_t>(tensor.shape.begin(), tensor.shape.end()));
    std::copy_n(model.parameters.data() + tensor.offset, tensor.size(), array.mutable_data());
    result[py::str(tensor.name)] = array;
  }
  return result;
}

std::shared_ptr<TrainedModel> WithWeights(const TrainedModel& model, const py::dict& weights) {
  const auto refuse = [](const std::string& message) {
    throw Error("pushdown.Model.with_weights", message);
  };
  const ParameterLayout layout(model.spec);
  std::vector<std::string> names;
  for (const ParameterTensor& tensor : layout.tensors) names.push_back(tensor.name);
  for (const auto& [key, value] : weights) {
    const std::string name = py::str(key);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(fmt::format("there are no weights {}; the model has {}", Quoted(name),
                         fmt::join(names, ", ")));
    }
  }
  auto result = std::make_shared<TrainedModel>(model);
  result->path.clear();
  for (const ParameterTensor& tensor : layout.tensors) {
    const py::str name(tensor.name);
    if (!weights.contains(name)) refuse("the weights " + tensor.name + " are missing");
    const py::array_t<float, py::array::c_style | py::array::forcecast> array(
        AsArray<float>(weights[name], tensor.name.c_str()));
    const std::vector<int> shape(array.shape(), array.shape() + array.ndim());
    if (shape != tensor.shape) {
      refuse(fmt::format("{} has the shape [{}], must have [{}]", tensor.name,
                         fmt::join(shape, ", "), fmt::join(tensor.shape, ", ")));
    }
    const float* values = array.data();
    if (!std::all_of(values, values + tensor.size(), [](float x) { return std::isfinite(x); })) {
      refuse(tensor.name + " has values that are not finite");
    }
    std::copy_n(values, tensor.size(), result->parameters.data() + tensor.offset);
  }
  return result;
}

// Of each string log p of its symbols and of its end.
std::vector<std::vector<double>> Scores(const TrainedModel& model,
                                        const std::vector<Symbols>& strings, bool in_double,
                                        bool running, std::optional<int> threads) {
  const ScoringOptions options = {
      .running = running, .in_double = in_double, .threads = threads.value_or(Threads())};
  return Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    std::vector<std::vector<double>> result;
    for (StringScore& score : ScoreStrings(model, strings, options, Checking(attention))) {
      result.push_back(std::move(score.log_probabilities));
    }
    return result;
  });
}

py::list ScoreArrays(const TrainedModel& model, const std::vector<Symbols>& strings, bool in_double,
                     bool running, std::optional<int> threads) {
  py::list result;
  for (const std::vector<double>& score : Scores(model, strings, in_double, running, threads)) {
    result.append(Copied<double>(score));
  }
  return result;
}

template <typename T>
py::dict TraceDict(const TrainedModel& model, const Symbols& string) {
  const TraceOf<T> trace = Interruptible([&](Attention& /*attention*/) {
    const OneBlasThread one;
    return model.Read<T>(string);
  });
  const auto columns = [](const std::vector<std::vector<T>>& rows) {
    return rows.empty() ? py::ssize_t{0} : static_cast<py::ssize_t>(rows.front().size());
  };
  py::dict result;
  result["log_probabilities"] = Copied<double>(trace.log_probabilities);
  result["readings"] = Matrix<T>(trace.readings, columns(trace.readings));
  result["hidden"] = Matrix<T>(trace.hidden, columns(trace.hidden));
  result["actions"] = Matrix<T>(trace.actions, columns(trace.actions));
  return result;
}

py::dict Trace(const TrainedModel& model, const Symbols& string, bool in_double) {
  model.CheckSymbols(string);
  return in_double ? TraceDict<double>(model, string) : TraceDict<float>(model, string);
}

py::dict Next(const TrainedModel& model, const Symbols& prefix, int top) {
  model.CheckSymbols(prefix);
  const std::vector<NextSymbol> next = Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    const auto predictor = model.MakePredictor(std::max(1, static_cast<int>(prefix.size())));
    return NextSymbols(*predictor, prefix, top, [&] { attention.Check(); });
  });
  py::dict result;
  for (const NextSymbol& each : next) result[py::str(model.OutputName(each.symbol))] = each.log_p;
  return result;
}

py::list StringList(const TrainedModel& model, const std::vector<SampledString>& strings) {
  py::list result;
  for (const SampledString& string : strings) {
    py::dict entry;
    entry["string"] = model.Decode(string.symbols);
    entry["length"] = string.symbols.size();
    entry["log_p"] = string.log_p;
    entry["ended"] = string.ended;
    result.append(entry);
  }
  return result;
}

// For strings of up to max_length symbols; a longer prompt is a string that is cut at once.
std::unique_ptr<Predictor> PredictorFor(const TrainedModel& model, int max_length,
                                        const Symbols& prompt) {
  return model.MakePredictor(std::max(max_length, static_cast<int>(prompt.size())));
}

py::list Sample(const TrainedModel& model, int count, std::uint64_t seed, double temperature,
                int top_k, std::optional<int> max_length, const Symbols& prompt, bool running) {
  model.CheckSymbols(prompt);
  const SamplingOptions options = {.seed = seed,
                                   .temperature = temperature,
                                   .top_k = top_k,
                                   .max_length = max_length.value_or(model.DefaultMaxLength()),
                                   .prompt = prompt,
                                   .running = running};
  return StringList(model, Interruptible([&](Attention& attention) {
                      const OneBlasThread one;
                      const auto predictor = PredictorFor(model, options.max_length, prompt);
                      Sampler sampler(*predictor, options, [&] { attention.Check(); });
                      std::vector<SampledString> samples;
                      for (int n = 0; n < count; ++n) samples.push_back(sampler.Next());
                      return samples;
                    }));
}

py::list Beams(const TrainedModel& model, int beams, std::optional<int> max_length,
               const Symbols& prompt) {
  model.CheckSymbols(prompt);
  const BeamOptions options = {.beams = beams,
                               .max_length = max_length.value_or(model.DefaultMaxLength()),
                               .prompt = prompt};
  return StringList(model, Interruptible([&](Attention& attention) {
                      const OneBlasThread one;
                      const auto predictor = PredictorFor(model, options.max_length, prompt);
                      return BeamSearch(*predictor, options,
                                        [&](double /*fraction*/) { attention.Check(); });
                    }));
}

py::object Inspect(const TrainedModel& model, Symbols string, const std::optional<Range>& lengths,
                   int runs, int samples, std::uint64_t seed, int depths, double min_probability) {
  model.CheckSymbols(string);
  if (model.kind == DataKind::kText) string.push_back(model.end());
  const InspectionOptions options = {
      .runs = runs, .samples = samples, .seed = seed, .depths = depths};
  return FromJson(Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    const Inspector inspector(model, RangeOf(lengths), Checking(attention));
    CheckMemory(inspector.EstimateBytes(static_cast<int>(string.size()), options),
                ModelName(model.spec), "a shorter string needs less");
    return InspectionJson(
        inspector.Inspect(string, options, [&](double /*done*/) { attention.Check(); }),
        {.min_probability = min_probability});
  }));
}

py::object Runs(const TrainedModel& model, const Symbols& string) {
  return RunsObject(
      [&](const std::function<void()>& check) { return RunsOf(model, string, check); });
}

// With its warnings.
std::pair<py::object, std::vector<std::string>> EvaluateStrings(
    const TrainedModel& model, const std::string& path, const std::string& split,
    const std::optional<Range>& lengths, const std::optional<std::string>& bound,
    const std::optional<Range>& bound_lengths, const std::string& data,
    std::optional<int> threads) {
  EvaluationRequest request = {.split = ParseSplit(split),
                               .lengths = RangeOf(lengths),
                               .bound_lengths = RangeOf(bound_lengths),
                               .data = data,
                               .parameters = model.parameters,
                               .threads = threads.value_or(Threads())};
  if (bound) request.bound = ParseBound(*bound);
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
  const Json found = Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    return EvaluationJson(Evaluate(path, request, Checking(attention), warn), request.split);
  });
  return {FromJson(found), warnings};
}

std::pair<py::object, std::vector<std::string>> EvaluateTexts(
    const TrainedModel& model, const std::string& path, const std::string& split,
    const std::string& data, int rows, int chunk_length, std::optional<int> threads) {
  const TextEvaluationRequest request = {.split = ParseSplit(split),
                                         .data = data,
                                         .parameters = model.parameters,
                                         .rows = rows,
                                         .chunk_length = chunk_length,
                                         .threads = threads.value_or(Threads())};
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
  const Json found = Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    return EvaluationJson(EvaluateText(path, request, Checking(attention), warn), request.split);
  });
  return {FromJson(found), warnings};
}

}  // namespace

void BindModels(py::module_& module) {
  module.def("holds_recognizer", &HoldsRecognizer, py::arg("path"));
  module.def("open_model", &Open, py::arg("path"));
  module.def(
      "model_of_bytes",
      [](const py::bytes& bytes) {
        return std::make_shared<TrainedModel>(ParseModelFile(std::string_view(bytes)).model);
      },
      py::arg("bytes"));
  module.def("evaluate_strings", &EvaluateStrings, py::arg("model"), py::arg("path"),
             py::arg("split"), py::arg("lengths"), py::arg("bound"), py::arg("bound_lengths"),
             py::arg("data"), py::arg("threads"));
  module.def("evaluate_text", &EvaluateTexts, py::arg("model"), py::arg("path"), py::arg("split"),
             py::arg("data"), py::arg("rows"), py::arg("chunk_length"), py::arg("threads"));
  py::class_<TrainedModel, std::shared_ptr<TrainedModel>>(module, "Model")
      .def_readonly("path", &TrainedModel::path)
      .def_property_readonly("run_directory", &TrainedModel::RunDirectory)
      .def_property_readonly("kind", [](const TrainedModel& m) { return KindName(m.kind); })
      .def_property_readonly("name", [](const TrainedModel& m) { return ModelName(m.spec); })
      .def_property_readonly("vocabulary",
                             [](const TrainedModel& m) { return m.vocabulary.names(); })
      .def_property_readonly("description", &Description)
      .def_property_readonly("parameters",
                             [](const TrainedModel& m) { return m.parameters.size(); })
      .def("weights", &Weights)
      .def("with_weights", &WithWeights, py::arg("weights"))
      .def(
          "save",
          [](const TrainedModel& m, const std::string& path) {
            WriteFile(path, SerializeModel(m, std::nullopt));
          },
          py::arg("path"))
      .def("bytes",
           [](const TrainedModel& m) { return py::bytes(SerializeModel(m, std::nullopt)); })
      .def("encode", &TrainedModel::EncodePrompt, py::arg("text"))
      .def("scores", &ScoreArrays, py::arg("strings"), py::arg("in_double"), py::arg("running"),
           py::arg("threads"))
      .def("trace", &Trace, py::arg("string"), py::arg("in_double"))
      .def("next", &Next, py::arg("prefix"), py::arg("top"))
      .def("sample", &Sample, py::arg("count"), py::arg("seed"), py::arg("temperature"),
           py::arg("top_k"), py::arg("max_length"), py::arg("prompt"), py::arg("running"))
      .def("beam_search", &Beams, py::arg("beams"), py::arg("max_length"), py::arg("prompt"))
      .def("inspect", &Inspect, py::arg("string"), py::arg("lengths"), py::arg("runs"),
           py::arg("samples"), py::arg("seed"), py::arg("depths"), py::arg("min_probability"))
      .def("runs", &Runs, py::arg("string"));
}

}  // namespace pushdown::python
