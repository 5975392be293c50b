#include "pushdown/train/state_text.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/json_text.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

using nlohmann::json;

[[noreturn]] void Fail(const std::string& field, const std::string& message) {
  throw Error("[pushdown::TrainingState] " + field + ": " + message);
}

std::string NumberText(double number) {
  return std::isfinite(number) ? json(number).dump() : std::to_string(number);
}

// What a TrainingState has beside arrays of the parameters' size. The same list writes and reads.
template <typename Fields, typename Plateau>
void PlateauFields(Fields& fields, Plateau& plateau) {
  fields.Value("any", plateau.any);
  fields.Value("best", plateau.best);
  fields.Value("bad_epochs", plateau.bad_epochs);
}

template <typename Fields, typename EarlyStopping>
void EarlyStoppingFields(Fields& fields, EarlyStopping& early_stopping) {
  fields.Value("any", early_stopping.any);
  fields.Value("best", early_stopping.best);
  fields.Value("best_epoch", early_stopping.best_epoch);
  fields.Value("bad_epochs", early_stopping.bad_epochs);
}

template <typename Fields, typename Epoch>
void EpochFields(Fields& fields, Epoch& epoch) {
  fields.Value("epoch", epoch.epoch);
  fields.Value("training_cross_entropy", epoch.training_cross_entropy);
  fields.Value("validation_cross_entropy", epoch.validation_cross_entropy);
  fields.Value("learning_rate", epoch.learning_rate);
  fields.Value("largest_gradient_norm", epoch.largest_gradient_norm);
  fields.Value("best", epoch.best);
}

template <typename Fields, typename State>
void StateFields(Fields& fields, State& state) {
  fields.Value("adam_steps", state.adam.steps);
  fields.Value("learning_rate", state.learning_rate);
  fields.Object("plateau", [&](auto& inner) { PlateauFields(inner, state.plateau); });
  fields.Object("early_stopping",
                [&](auto& inner) { EarlyStoppingFields(inner, state.early_stopping); });
  fields.Array("epochs", state.epochs, [](auto& inner, auto& epoch) { EpochFields(inner, epoch); });
  fields.Value("batches", state.batches);
  fields.Value("loss", state.loss);
  fields.Value("largest_gradient_norm", state.largest_gradient_norm);
}

class FieldWriter {
 public:
  const json& object() const { return object_; }

  template <typename T>
  void Value(const char* key, const T& value) {
    object_[key] = value;
  }

  template <typename Write>
  void Object(const char* key, const Write& write) {
    FieldWriter inner;
    write(inner);
    object_[key] = std::move(inner.object_);
  }

  template <typename T, typename Write>
  void Array(const char* key, const std::vector<T>& elements, const Write& write) {
    json& array = object_[key] = json::array();
    for (const T& element : elements) {
      FieldWriter inner;
      write(inner, element);
      array.push_back(std::move(inner.object_));
    }
  }

 private:
  json object_ = json::object();
};

class FieldReader {
 public:
  // `path` is in front of the names of fields in messages.
  FieldReader(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) pushdown::Fail(path_, "expected an object");
  }

  void Value(const char* key, bool& value) {
    const json& field = Field(key);
    if (!field.is_boolean()) Fail(key, "expected true or false");
    value = field.get<bool>();
  }

  void Value(const char* key, double& value) {
    const json& field = Field(key);
    if (!field.is_number()) Fail(key, "expected a number");
    value = field.get<double>();
  }

  void Value(const char* key, int& value) { value = Integer<int>(key); }
  void Value(const char* key, long long& value) { value = Integer<long long>(key); }

  template <typename Read>
  void Object(const char* key, const Read& read) {
    FieldReader inner(Field(key), PathOf(key));
    read(inner);
    inner.Finish();
  }

  template <typename T, typename Read>
  void Array(const char* key, std::vector<T>& elements, const Read& read) {
    const json& field = Field(key);
    if (!field.is_array()) Fail(key, "expected an array");
    for (std::size_t n = 0; n < field.size(); ++n) {
      FieldReader inner(field[n], PathOf(key) + '[' + std::to_string(n) + ']');
      read(inner, elements.emplace_back());
      inner.Finish();
    }
  }

  // To be called after the last field: there must be no others.
  void Finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (!known_.contains(key)) Fail(Printable(key), "unknown field");
    }
  }

 private:
  std::string PathOf(const std::string& key) const { return path_ + '.' + key; }

  [[noreturn]] void Fail(const std::string& key, const std::string& message) const {
    pushdown::Fail(PathOf(key), message);
  }

  const json& Field(const char* key) {
    known_.insert(key);
    const auto field = object_.find(key);
    if (field == object_.end()) Fail(key, "missing");
    return *field;
  }

  template <typename T>
  T Integer(const char* key) {
    const json& field = Field(key);
    const bool fits = field.is_number_unsigned() ? std::in_range<T>(field.get<std::uint64_t>())
                                                 : field.is_number_integer() &&
                                                       std::in_range<T>(field.get<std::int64_t>());
    if (!fits) Fail(key, "expected an integer, and not a larger one than the program writes");
    return field.get<T>();
  }

  const json& object_;
  std::string path_;
  std::set<std::string> known_;
};

// What must be true of the numbers of every state; what else a training relies on, Trainer checks.
class StateChecker {
 public:
  explicit StateChecker(const TrainingState& state) : state_(state) {}

  void Check() const {
    NotNegative("adam_steps", state_.adam.steps);
    Positive("learning_rate", state_.learning_rate);
    Finite("plateau.best", state_.plateau.best);
    NotNegative("plateau.bad_epochs", state_.plateau.bad_epochs);
    CheckEarlyStopping();
    for (std::size_t n = 0; n < state_.epochs.size(); ++n) {
      CheckEpoch(state_.epochs[n], n);
    }
    NotNegative("batches", state_.batches);
    Finite("loss", state_.loss);
    NotNegative("largest_gradient_norm", state_.largest_gradient_norm);
  }

 private:
  void CheckEarlyStopping() const {
    const EarlyStoppingState& early_stopping = state_.early_stopping;
    Finite("early_stopping.best", early_stopping.best);
    NotNegative("early_stopping.bad_epochs", early_stopping.bad_epochs);
    const int epochs = static_cast<int>(state_.epochs.size());
    const int epoch = early_stopping.best_epoch;
    const int first = early_stopping.any ? 1 : 0;
    const int last = early_stopping.any ? epochs : 0;
    if (epoch < first || epoch > last) {
      Fail("early_stopping.best_epoch", std::to_string(epoch) + " is not from " +
                                            std::to_string(first) + " to " + std::to_string(last) +
                                            ", as after " + std::to_string(epochs) + " epochs");
    }
  }

  void CheckEpoch(const EpochMetrics& epoch, std::size_t index) const {
    const std::string path = "epochs[" + std::to_string(index) + "].";
    if (epoch.epoch < 1 || static_cast<std::size_t>(epoch.epoch) != index + 1) {
      Fail(path + "epoch",
           "expected " + std::to_string(index + 1) + ", found " + std::to_string(epoch.epoch));
    }
    Finite(path + "training_cross_entropy", epoch.training_cross_entropy);
    Finite(path + "validation_cross_entropy", epoch.validation_cross_entropy);
    Positive(path + "learning_rate", epoch.learning_rate);
    NotNegative(path + "largest_gradient_norm", epoch.largest_gradient_norm);
  }

  [[noreturn]] void Fail(const std::string& field, const std::string& message) const {
    pushdown::Fail("state." + field, message);
  }

  void Finite(const std::string& field, double value) const {
    if (!std::isfinite(value)) Fail(field, NumberText(value) + " is not a finite number");
  }
  void Positive(const std::string& field, double value) const {
    Finite(field, value);
    if (value <= 0) Fail(field, NumberText(value) + " is not positive");
  }
  template <typename T>
  void NotNegative(const std::string& field, T value) const {
    Finite(field, static_cast<double>(value));
    if (value < 0) Fail(field, NumberText(static_cast<double>(value)) + " is negative");
  }

  const TrainingState& state_;
};

}  // namespace

std::string StateText(const TrainingState& state) {
  StateChecker(state).Check();
  FieldWriter fields;
  StateFields(fields, state);
  return fields.object().dump();
}

TrainingState ParseState(std::string_view text) {
  json root;
  try {
    root = ReadJson(text);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    Fail("state", std::string(message.substr(message.find("] ") + 2)));
  }
  TrainingState state;
  FieldReader fields(root, "state");
  StateFields(fields, state);
  fields.Finish();
  StateChecker(state).Check();
  return state;
}

}  // namespace pushdown
