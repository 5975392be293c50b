#include "pushdown/train/checkpoint.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/safetensors.h"
#include "tests/files/training_state.h"

namespace pushdown {
namespace {

using testing_state::RandomFloats;
using testing_state::RandomState;

ParameterLayout SmallLayout(const char* name = "rns-1-2", int symbols = 2) {
  return ParameterLayout(ParseModelSpec(name, /*hidden_units=*/2, symbols));
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

void ExpectEqual(const TrainingState& a, const TrainingState& b) {
  EXPECT_TRUE(SameBits(a.parameters, b.parameters));
  EXPECT_TRUE(SameBits(a.best_parameters, b.best_parameters));
  EXPECT_TRUE(SameBits(a.optimizer.mean, b.optimizer.mean));
  EXPECT_TRUE(SameBits(a.optimizer.square, b.optimizer.square));
  EXPECT_EQ(a.optimizer.steps, b.optimizer.steps);
  EXPECT_EQ(a.learning_rate, b.learning_rate);
  EXPECT_EQ(a.plateau.any, b.plateau.any);
  EXPECT_EQ(a.plateau.best, b.plateau.best);
  EXPECT_EQ(a.plateau.bad_epochs, b.plateau.bad_epochs);
  EXPECT_EQ(a.early_stopping.any, b.early_stopping.any);
  EXPECT_EQ(a.early_stopping.best, b.early_stopping.best);
  EXPECT_EQ(a.early_stopping.best_epoch, b.early_stopping.best_epoch);
  EXPECT_EQ(a.early_stopping.bad_epochs, b.early_stopping.bad_epochs);
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.largest_gradient_norm, b.largest_gradient_norm);
  ASSERT_EQ(a.epochs.size(), b.epochs.size());
  for (std::size_t n = 0; n < b.epochs.size(); ++n) {
    EXPECT_EQ(a.epochs[n].epoch, b.epochs[n].epoch);
    EXPECT_EQ(a.epochs[n].training_cross_entropy, b.epochs[n].training_cross_entropy);
    EXPECT_EQ(a.epochs[n].validation_cross_entropy, b.epochs[n].validation_cross_entropy);
    EXPECT_EQ(a.epochs[n].learning_rate, b.epochs[n].learning_rate);
    EXPECT_EQ(a.epochs[n].largest_gradient_norm, b.epochs[n].largest_gradient_norm);
    EXPECT_EQ(a.epochs[n].best, b.epochs[n].best);
  }
}

std::string SmallCheckpoint(const ParameterLayout& layout, int epochs = 2) {
  Random random(3);
  return SerializeCheckpoint(layout, {.state = RandomState(layout.size, epochs, random),
                                      .description = R"({"model": "a \u00e9"})"});
}

std::string Refusal(std::string_view text, const ParameterLayout& layout) {
  try {
    ParseCheckpoint(text, layout);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

// Whoever changes a file on purpose can have the right checksum; what it is of is no secret.
std::string WithChecksum(Safetensors file) {
  Fingerprint fingerprint;
  const auto add = [&](std::string_view bytes) {
    fingerprint.Add(bytes.size());
    fingerprint.Add(bytes);
  };
  file.metadata.erase("checksum");
  for (const auto& [key, value] : file.metadata) {
    add(key);
    add(value);
  }
  std::map<std::string, SafetensorsTensor> sorted;
  for (const SafetensorsTensor& tensor : file.tensors) sorted[tensor.name] = tensor;
  for (const auto& [name, tensor] : sorted) {
    add(name);
    for (const std::int64_t size : tensor.shape) fingerprint.Add(size);
    if (tensor.type == SafetensorsType::kU8) add("U8");
    if (tensor.type == SafetensorsType::kF64) add("F64");
    add(tensor.data());
  }
  file.metadata["checksum"] = fingerprint.Text();
  return SerializeSafetensors(file);
}

// As without Adam, in the midst of an epoch of something that is carried from batch to batch.
Checkpoint CarryingCheckpoint(const ParameterLayout& layout) {
  Random random(4);
  Checkpoint checkpoint = {.state = RandomState(layout.size, 2, random),
                           .description = "{}",
                           .carried = std::string("\0\xff carried \0", 11)};
  checkpoint.state.optimizer.mean.clear();
  checkpoint.state.optimizer.square.clear();
  return checkpoint;
}

// The refusal of a file with a change, and a checksum that agrees with it.
std::string RefusalOf(const std::function<void(Safetensors&)>& change, int epochs = 2) {
  const ParameterLayout layout = SmallLayout();
  Safetensors file = ParseSafetensors(SmallCheckpoint(layout, epochs));
  change(file);
  return Refusal(WithChecksum(file), layout);
}

SafetensorsTensor& TensorOf(Safetensors& file, std::string_view name) {
  return const_cast<SafetensorsTensor&>(*file.Find(name));
}

TEST(Checkpoint, SurvivesWritingAndReading) {
  for (const char* name : {"lstm", "sup-3", "sup-1-2", "sup-h", "rns-2-2", "vrns-2-2-3"}) {
    const ParameterLayout layout = SmallLayout(name);
    for (const int epochs : {0, 1, 7}) {
      Random random(static_cast<std::uint64_t>(epochs));
      const Checkpoint checkpoint = {.state = RandomState(layout.size, epochs, random),
                                     .description = "{\"name\": \"\n\\ \u00e9\"}"};
      const Checkpoint again = ParseCheckpoint(SerializeCheckpoint(layout, checkpoint), layout);
      EXPECT_EQ(again.description, checkpoint.description);
      ExpectEqual(again.state, checkpoint.state);
    }
  }
}

TEST(Checkpoint, HasWhatIsCarriedAndNothingOfAdamWithoutIt) {
  const ParameterLayout layout = SmallLayout();
  const Checkpoint checkpoint = CarryingCheckpoint(layout);
  const std::string text = SerializeCheckpoint(layout, checkpoint);
  const Checkpoint again = ParseCheckpoint(text, layout);
  EXPECT_EQ(again.carried, checkpoint.carried);
  ExpectEqual(again.state, checkpoint.state);
  const Safetensors file = ParseSafetensors(text);
  EXPECT_EQ(file.tensors.size(), 2 * layout.tensors.size() + 1);
  ASSERT_NE(file.Find("carried"), nullptr);
  EXPECT_EQ(file.Find("carried")->bytes, checkpoint.carried);
  EXPECT_EQ(ParseSafetensors(SmallCheckpoint(layout)).Find("carried"), nullptr);
}

TEST(Checkpoint, HasItsTensorsByName) {
  const ParameterLayout layout = SmallLayout();
  const Safetensors file = ParseSafetensors(SmallCheckpoint(layout));
  Random random(3);
  const TrainingState state = RandomState(layout.size, 2, random);
  EXPECT_EQ(file.metadata.at("format"), "pushdown checkpoint 1");
  EXPECT_EQ(file.tensors.size(), 4 * layout.tensors.size());
  for (const ParameterTensor& tensor : layout.tensors) {
    const auto expect = [&](const char* prefix, const std::vector<float>& arena) {
      const SafetensorsTensor* found = file.Find(prefix + tensor.name);
      ASSERT_NE(found, nullptr) << prefix << tensor.name;
      EXPECT_EQ(found->shape, std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end()));
      const auto begin = arena.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
      EXPECT_TRUE(
          SameBits(found->values, {begin, begin + static_cast<std::ptrdiff_t>(tensor.size())}));
    };
    expect("model.", state.parameters);
    expect("best.", state.best_parameters);
    expect("adam.mean.", state.optimizer.mean);
    expect("adam.square.", state.optimizer.square);
  }
}

TEST(Checkpoint, EveryChangedByteIsNoticed) {
  const ParameterLayout layout = SmallLayout();
  for (const std::string& good :
       {SmallCheckpoint(layout), SerializeCheckpoint(layout, CarryingCheckpoint(layout))}) {
    ASSERT_EQ(Refusal(good, layout), "read");
    for (std::size_t place = 0; place < good.size(); ++place) {
      // All bits, the lowest one, and what is a space in JSON too.
      for (const int flip : {0xff, 0x01, 0x20, ' ' ^ '\n'}) {
        std::string bad = good;
        bad[place] = static_cast<char>(bad[place] ^ flip);
        EXPECT_NE(Refusal(bad, layout), "read") << "byte " << place << " xor " << flip;
      }
    }
  }
}

TEST(Checkpoint, EveryTruncationIsNoticed) {
  const ParameterLayout layout = SmallLayout();
  const std::string good = SmallCheckpoint(layout);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(Refusal(std::string_view(good).substr(0, size), layout), "read") << size;
  }
  EXPECT_NE(Refusal(good + '\0', layout), "read");
  EXPECT_NE(Refusal(good + good, layout), "read");
}

TEST(Checkpoint, ChangedValuesAreReportedAsDamage) {
  const ParameterLayout layout = SmallLayout();
  std::string bad = SmallCheckpoint(layout);
  bad.back() = static_cast<char>(bad.back() ^ 1);
  const std::string refusal = Refusal(bad, layout);
  EXPECT_TRUE(refusal.starts_with("[pushdown::ParseCheckpoint] the checksum is ")) << refusal;
  EXPECT_TRUE(refusal.ends_with("; it was damaged or changed after it was written")) << refusal;
}

TEST(Checkpoint, OfAnotherModelIsRefused) {
  const std::string good = SmallCheckpoint(SmallLayout());
  EXPECT_EQ(Refusal(good, SmallLayout("rns-1-2", 3)),
            "[pushdown::ParseCheckpoint] tensor \"model.controller.weights\": has shape [6,8], and "
            "the model's is [7,8]");
  EXPECT_EQ(Refusal(good, SmallLayout("vrns-1-2-1")),
            "[pushdown::ParseCheckpoint] tensor \"model.stack.vector.weights\": missing; is the "
            "file of another model?");
  EXPECT_EQ(Refusal(good, SmallLayout("lstm")),
            "[pushdown::ParseCheckpoint] tensor \"model.controller.weights\": has shape [6,8], and "
            "the model's is [4,8]");
}

TEST(Checkpoint, TensorsMustBeThoseOfTheModel) {
  EXPECT_EQ(RefusalOf([](Safetensors&) {}), "read");
  EXPECT_EQ(RefusalOf([](Safetensors& file) {
              file.tensors.push_back({"model.x", {}, {1}});
            }),
            "[pushdown::ParseCheckpoint] tensor \"model.x\": the model has none of this name");
  EXPECT_EQ(RefusalOf([](Safetensors& file) { TensorOf(file, "best.output.bias").name = "x"; }),
            "[pushdown::ParseCheckpoint] tensor \"best.output.bias\": missing; is the file of "
            "another model?");
  EXPECT_EQ(RefusalOf([](Safetensors& file) {
              TensorOf(file, "model.output.bias").shape = {3, 1};
            }),
            "[pushdown::ParseCheckpoint] tensor \"model.output.bias\": has shape [3,1], and the "
            "model's is [3]");
  EXPECT_EQ(RefusalOf([](Safetensors& file) {
              std::erase_if(file.tensors,
                            [](const auto& t) { return t.name.starts_with("best."); });
            }),
            "[pushdown::TrainingState] there is a best epoch, but not its parameters");
  EXPECT_EQ(RefusalOf(
                [](Safetensors& file) {
                  for (std::size_t n = 0, count = file.tensors.size(); n < count; ++n) {
                    if (!file.tensors[n].name.starts_with("model.")) continue;
                    SafetensorsTensor copy = file.tensors[n];
                    copy.name.replace(0, 5, "best");
                    file.tensors.push_back(copy);
                  }
                },
                /*epochs=*/0),
            "[pushdown::TrainingState] there are best parameters, but no best epoch");
}

TEST(Checkpoint, ValuesMustBeFinite) {
  using Limits = std::numeric_limits<float>;
  for (const char* tensor : {"model.output.bias", "best.output.bias", "adam.mean.output.bias",
                             "adam.square.output.bias"}) {
    for (const float value : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
      EXPECT_EQ(RefusalOf([&](Safetensors& file) { TensorOf(file, tensor).values[1] = value; }),
                std::string("[pushdown::TrainingState] tensor \"") + tensor +
                    "\": value 2 is not a finite number");
    }
  }
  EXPECT_EQ(RefusalOf([&](Safetensors& file) {
              TensorOf(file, "adam.square.output.bias").values[2] = -1;
            }),
            "[pushdown::TrainingState] tensor \"adam.square.output.bias\": value 3 is negative, "
            "and a mean of squares never is");
}

TEST(Checkpoint, WhatIsCarriedMustBeBytes) {
  const std::string refusal =
      "[pushdown::ParseCheckpoint] tensor \"carried\": is not a sequence of bytes";
  const auto with = [](const SafetensorsTensor& tensor) {
    return RefusalOf([&](Safetensors& file) { file.tensors.push_back(tensor); });
  };
  EXPECT_EQ(with({"carried", {2}, {}, SafetensorsType::kU8, "ab"}), "read");
  EXPECT_EQ(with({"carried", {1}, {1}}), refusal);
  EXPECT_EQ(with({"carried", {1, 2}, {}, SafetensorsType::kU8, "ab"}), refusal);
  EXPECT_EQ(with({"carried", {0}, {}, SafetensorsType::kU8, ""}), refusal);
  EXPECT_EQ(with({"carried.x", {2}, {}, SafetensorsType::kU8, "ab"}),
            "[pushdown::ParseCheckpoint] tensor \"carried.x\": the model has none of this name");
  EXPECT_EQ(RefusalOf([](Safetensors& file) {
              SafetensorsTensor& tensor = TensorOf(file, "model.output.bias");
              tensor.bytes = tensor.data();
              tensor.shape = {12};
              tensor.type = SafetensorsType::kU8;
              tensor.values.clear();
            }),
            "[pushdown::ParseCheckpoint] tensor \"model.output.bias\": has bytes, and the model's "
            "has 32-bit floats");
}

TEST(Checkpoint, DoublesAreNotFloats) {
  const auto widen = [](SafetensorsTensor& tensor) {
    tensor.doubles.assign(tensor.values.begin(), tensor.values.end());
    tensor.type = SafetensorsType::kF64;
    tensor.values.clear();
  };
  EXPECT_EQ(RefusalOf([&](Safetensors& file) { widen(TensorOf(file, "model.output.bias")); }),
            "[pushdown::ParseCheckpoint] tensor \"model.output.bias\": has 64-bit floats, and the "
            "model's has 32-bit floats");
  EXPECT_EQ(RefusalOf([&](Safetensors& file) {
              file.tensors.push_back({"carried", {1}, {}, SafetensorsType::kF64, {}, {1}});
            }),
            "[pushdown::ParseCheckpoint] tensor \"carried\": is not a sequence of bytes");
}

TEST(Checkpoint, AdamIsThereOrNot) {
  const auto without = [](const char* prefix) {
    return RefusalOf([&](Safetensors& file) {
      std::erase_if(file.tensors, [&](const auto& t) { return t.name.starts_with(prefix); });
    });
  };
  EXPECT_EQ(without("adam."), "read") << "it is up to the trainer whether it needs it";
  for (const char* prefix : {"adam.mean.", "adam.square.", "adam.mean.output.bias"}) {
    EXPECT_NE(without(prefix), "read") << prefix;
  }
}

TEST(Checkpoint, MetadataMustBeComplete) {
  EXPECT_EQ(RefusalOf([](Safetensors& file) { file.metadata.erase("format"); }),
            "[pushdown::ParseCheckpoint] the metadata have no format; this is not a file of "
            "pushdown");
  EXPECT_EQ(RefusalOf([](Safetensors& file) { file.metadata["format"] = "pushdown model 1"; }),
            "[pushdown::ParseCheckpoint] the file is a \"pushdown model 1\", expected a \"pushdown "
            "checkpoint 1\"");
  EXPECT_EQ(RefusalOf([](Safetensors& file) { file.metadata.erase("state"); }),
            "[pushdown::ParseCheckpoint] metadata: state: missing");
  EXPECT_EQ(RefusalOf([](Safetensors& file) { file.metadata.erase("description"); }),
            "[pushdown::ParseCheckpoint] metadata: description: missing");
  EXPECT_EQ(RefusalOf([](Safetensors& file) { file.metadata["x"] = ""; }),
            "[pushdown::ParseCheckpoint] metadata: x: unknown field");
  EXPECT_EQ(RefusalOf([](Safetensors& file) { file.metadata["state"] = "{}"; }),
            "[pushdown::TrainingState] state.adam_steps: missing");
  const ParameterLayout layout = SmallLayout();
  Safetensors file = ParseSafetensors(SmallCheckpoint(layout));
  file.metadata.erase("checksum");
  EXPECT_EQ(Refusal(SerializeSafetensors(file), layout),
            "[pushdown::ParseCheckpoint] metadata: checksum: missing");
}

TEST(Checkpoint, IsNotWrittenIfItCouldNotBeRead) {
  const ParameterLayout layout = SmallLayout();
  const auto refuses = [&](const std::function<void(Checkpoint&)>& change) {
    Random random(1);
    Checkpoint checkpoint = {.state = RandomState(layout.size, 2, random), .description = "{}"};
    change(checkpoint);
    try {
      SerializeCheckpoint(layout, checkpoint);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_FALSE(refuses([](Checkpoint&) {}));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.parameters.pop_back(); }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.best_parameters.clear(); }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.optimizer.mean.push_back(0); }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.optimizer.square.clear(); }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.parameters[0] = std::nanf(""); }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.loss = std::nan(""); }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.state.epochs[1].epoch = 1; }));
  EXPECT_TRUE(refuses([](Checkpoint& c) { c.description = "\xff"; }));
}

TEST(ModelFile, SurvivesWritingAndReading) {
  for (const char* name : {"lstm", "sup-1-2", "vrns-2-2-3"}) {
    const ParameterLayout layout = SmallLayout(name);
    Random random(1);
    const std::vector<float> parameters = RandomFloats(layout.size, random);
    const std::string text = SerializeParameters(layout, parameters, "{\"a\": 1}");
    EXPECT_TRUE(SameBits(ParseParameters(text, layout), parameters));
    const Safetensors file = ParseSafetensors(text);
    EXPECT_EQ(file.metadata.at("format"), "pushdown model 1");
    EXPECT_EQ(file.metadata.at("description"), "{\"a\": 1}");
    EXPECT_EQ(file.tensors.size(), layout.tensors.size());
    EXPECT_NE(file.Find("output.weights"), nullptr);
  }
}

TEST(ModelFile, MayHaveBeenRewrittenByAnotherProgram) {
  const ParameterLayout layout = SmallLayout();
  Random random(1);
  const std::vector<float> parameters = RandomFloats(layout.size, random);
  Safetensors file = ParseSafetensors(SerializeParameters(layout, parameters, "{}"));
  std::reverse(file.tensors.begin(), file.tensors.end());
  EXPECT_TRUE(SameBits(ParseParameters(SerializeSafetensors(file), layout), parameters));
}

TEST(ModelFile, DamageAndOtherModelsAreNoticed) {
  const ParameterLayout layout = SmallLayout();
  Random random(1);
  const std::string good =
      SerializeParameters(layout, RandomFloats(layout.size, random), "{\"a\": 1}");
  for (std::size_t place = 0; place < good.size(); ++place) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 1);
    EXPECT_THROW(ParseParameters(bad, layout), Error) << "byte " << place;
    EXPECT_THROW(ParseParameters(good.substr(0, place), layout), Error) << place << " bytes";
  }
  EXPECT_THROW(ParseParameters(good, SmallLayout("rns-1-2", 3)), Error);
  EXPECT_THROW(ParseParameters(good, SmallLayout("lstm")), Error);
  EXPECT_THROW(ParseParameters(SmallCheckpoint(layout), layout), Error)
      << "a checkpoint is no model";
  EXPECT_THROW(ParseCheckpoint(good, layout), Error) << "a model is no checkpoint";
  EXPECT_THROW(SerializeParameters(layout, std::vector<float>(layout.size - 1), ""), Error);
  EXPECT_THROW(SerializeParameters(layout, std::vector<float>(layout.size, std::nanf("")), ""),
               Error);
}

}  // namespace
}  // namespace pushdown
