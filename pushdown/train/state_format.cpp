#include "pushdown/train/state_format.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/json.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

using nlohmann::json;

[[noreturn]] void Fail(const std::string& field, const std::string& message) {
  throw Error("pushdown::TrainingState", field + ": " + message);
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
  fields.Value("adam_steps", state.optimizer.steps);
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

}  // namespace

std::string SerializeState(const TrainingState& state) {
  CheckNumbers(state);
  FieldWriter fields;
  StateFields(fields, state);
  return fields.object().dump();
}

TrainingState ParseState(std::string_view text) {
  json root;
  try {
    root = ReadJson(text);
  } catch (const Error& error) {
    Fail("state", error.message());
  }
  TrainingState state;
  FieldReader fields(root, "state");
  StateFields(fields, state);
  fields.Finish();
  CheckNumbers(state);
  return state;
}

}  // namespace pushdown
