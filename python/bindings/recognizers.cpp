#include "python/bindings/recognizers.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/input_file.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/recognizer/compile.h"
#include "pushdown/recognizer/recognizer.h"
#include "pushdown/recognizer/recognizer_file.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/run/recognizer_directory.h"
#include "pushdown/safetensors.h"
#include "python/bindings/arrays.h"
#include "python/bindings/interrupts.h"

namespace pushdown::python {
namespace {

// A recognizer for strings of any length, one at a time.
class AnyLengthRecognizer {
 public:
  explicit AnyLengthRecognizer(CompiledRecognizer compiled) : compiled_(std::move(compiled)) {}

  const CompiledRecognizer& compiled() const { return compiled_; }

  // May be called by several threads, which then wait for each other.
  Recognition Recognize(const std::vector<int>& string, const Attention& attention) {
    constexpr std::chrono::milliseconds kBetweenChecks(20);
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock_for(kBetweenChecks)) attention.Check();
    const OneBlasThread one;
    const int length = static_cast<int>(std::min<std::size_t>(string.size(), kMaxLength));
    if (!recognizer_ || max_length_ < length) {
      recognizer_.reset();
      max_length_ = LengthFor(length);
      recognizer_.emplace(compiled_.automaton, compiled_.network, max_length_);
    }
    return recognizer_->Recognize(string);
  }

 private:
  static constexpr int kMaxLength = 1'000'000;

  // The length to make a recognizer for: half as long again as before, if memory allows, so that
  // strings that grow one by one do not make one each time.
  int LengthFor(int length) const {
    const ModelSpec& spec = compiled_.network.spec;
    const int longer = std::max(length, max_length_ + max_length_ / 2);
    if (Recognizer::EstimateBytes(spec, longer) <= MemoryLimit()) return longer;
    CheckMemory(Recognizer::EstimateBytes(spec, length),
                fmt::format("{} with strings of {} symbols", ModelName(spec), length),
                "shorter strings need less");
    return length;
  }

  CompiledRecognizer compiled_;
  std::timed_mutex mutex_;
  int max_length_ = 0;
  std::optional<Recognizer> recognizer_;
};

// What a network is made from. Returns the warnings about a grammar.
class Sources {
 public:
  std::vector<std::string> AddGrammar(const std::string& text, const std::string& name) {
    ParsedGrammar parsed =
        Interruptible([&](Attention&) { return ParseGrammar(text, name, GrammarUse::kLanguage); });
    sources_.push_back({name, std::move(parsed.grammar)});
    return std::move(parsed.warnings);
  }
  void AddAutomaton(const std::string& text, const std::string& name) {
    sources_.push_back(
        {name, Interruptible([&](Attention&) { return ParseAutomaton(text, name); })});
  }
  std::vector<std::string> AddFile(const std::string& file) {
    constexpr double kMaxBytes = 64e6;
    std::vector<std::string> warnings;
    const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
    if (file.ends_with(".pda")) {
      AddAutomaton(ReadFile(file, kMaxBytes), file);
    } else {
      sources_.push_back({file, Interruptible([&](Attention&) {
                            return ReadGrammarFile(file, GrammarUse::kLanguage, warn);
                          })});
    }
    return warnings;
  }

  const std::vector<LanguageSource>& sources() const { return sources_; }

 private:
  std::vector<LanguageSource> sources_;
};

std::shared_ptr<AnyLengthRecognizer> Compile(const Sources& sources,
                                             std::vector<std::string> alphabet,
                                             std::size_t max_size, std::uint64_t max_parameters) {
  const CompileOptions options = {
      .alphabet = std::move(alphabet), .max_size = max_size, .max_parameters = max_parameters};
  return Interruptible([&](Attention&) {
    return std::make_shared<AnyLengthRecognizer>(CompileRecognizer(sources.sources(), options));
  });
}

std::shared_ptr<AnyLengthRecognizer> Load(const std::string& path) {
  return Interruptible(
      [&](Attention&) { return std::make_shared<AnyLengthRecognizer>(ReadRecognizer(path)); });
}

const char* DecisionName(Decision decision) {
  switch (decision) {
    case Decision::kOutput:
      return "output";
    case Decision::kReading:
      return "reading";
    case Decision::kOutOfRange:
      break;
  }
  return "out of range";
}

py::dict Recognize(AnyLengthRecognizer& recognizer, const std::vector<int>& string) {
  const Recognition recognition = Interruptible(
      [&](const Attention& attention) { return recognizer.Recognize(string, attention); });
  py::dict result;
  result["accepted"] = recognition.accepted;
  result["decision"] = DecisionName(recognition.decision);
  result["y"] = recognition.y;
  result["log_runs"] = recognition.log_runs;
  result["acceptance"] = recognition.acceptance;
  return result;
}

py::dict Weights(const AnyLengthRecognizer& recognizer) {
  // The names and shapes are those of the file.
  const Safetensors file = ParseSafetensors(SerializeRecognizer(recognizer.compiled().network, ""));
  py::dict weights;
  for (const SafetensorsTensor& tensor : file.tensors) {
    py::array_t<double> array(std::vector<py::ssize_t>(tensor.shape.begin(), tensor.shape.end()));
    std::copy(tensor.doubles.begin(), tensor.doubles.end(), array.mutable_data());
    weights[py::str(tensor.name)] = std::move(array);
  }
  return weights;
}

}  // namespace

void BindRecognizers(py::module_& module) {
  module.def(
      "normal_automaton",
      [](const std::string& text, const std::string& name) {
        const PushdownAutomaton automaton = ParseAutomaton(text, name);
        return std::tuple(SerializeAutomaton(automaton), automaton.inputs.names(), automaton.states,
                          automaton.stack_symbols);
      },
      py::arg("text"), py::arg("name"));
  py::class_<Sources>(module, "Sources")
      .def(py::init<>())
      .def("add_grammar", &Sources::AddGrammar, py::arg("text"), py::arg("name"))
      .def("add_automaton", &Sources::AddAutomaton, py::arg("text"), py::arg("name"))
      .def("add_file", &Sources::AddFile, py::arg("file"))
      .def("compile", &Compile, py::arg("alphabet"), py::arg("max_size"),
           py::arg("max_parameters"));
  module.def("load_recognizer", &Load, py::arg("path"));
  py::class_<AnyLengthRecognizer, std::shared_ptr<AnyLengthRecognizer>>(module, "Recognizer")
      .def_property_readonly(
          "alphabet",
          [](const AnyLengthRecognizer& r) { return r.compiled().automaton.inputs.names(); })
      .def_property_readonly("sources",
                             [](const AnyLengthRecognizer& r) { return r.compiled().sources; })
      .def_property_readonly(
          "automaton",
          [](const AnyLengthRecognizer& r) { return SerializeAutomaton(r.compiled().automaton); })
      .def_property_readonly(
          "model",
          [](const AnyLengthRecognizer& r) { return ModelName(r.compiled().network.spec); })
      .def_property_readonly("weights", &Weights)
      .def("recognize", &Recognize, py::arg("string"))
      .def("save", [](const AnyLengthRecognizer& r, const std::string& path) {
        WriteRecognizer(path, r.compiled());
      });
}

}  // namespace pushdown::python
