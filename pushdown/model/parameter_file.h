#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/model/parameters.h"
#include "pushdown/safetensors.h"

namespace pushdown {

// What all files of parameters have in common: they are safetensors, whose metadata say of which
// format they are and have a checksum of the contents.

// The functions below fail in the name of the one that was called.
class FileFailure {
 public:
  explicit FileFailure(const char* function) : function_(function) {}

  [[noreturn]] void operator()(const std::string& message) const {
    throw Error(std::string("pushdown::") + function_, message);
  }

 private:
  const char* function_;
};

// Keys of the metadata.
inline constexpr const char* kFileFormat = "format";
inline constexpr const char* kFileDescription = "description";
inline constexpr const char* kFileChecksum = "checksum";

// Tensors of an arena, float or double, named PREFIX + the layout's names.
template <typename T>
void AppendParameters(const ParameterLayout& layout, const std::string& prefix,
                      const std::vector<T>& values, Safetensors& file);
// The arena of such tensors, which have been checked.
template <typename T>
std::vector<T> ParametersOf(const Safetensors& file, const ParameterLayout& layout,
                            const std::string& prefix);

// The bytes of a file, with its checksum.
std::string SerializeParameterFile(Safetensors file);

// Reads the bytes of a file, which are untrusted, and checks all that can be said without a
// layout: it must have these keys beside the format, and no others.
Safetensors ParseParameterFile(std::string_view text, const std::string& format,
                               std::initializer_list<const char*> keys, const FileFailure& fail);

// A tensor that must be there.
struct ExpectedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
};
std::vector<ExpectedTensor> TensorsOf(const ParameterLayout& layout, const std::string& prefix);

// The tensors must be the expected ones, all of a type, and no others but those that are known
// otherwise.
void CheckTensors(const Safetensors& file, const std::vector<ExpectedTensor>& expected,
                  SafetensorsType type, std::set<std::string> known, const FileFailure& fail);

void CheckChecksum(const Safetensors& file, const FileFailure& fail);

}  // namespace pushdown
