// Writes the file that read_safetensors.py expects, to the path that is its only argument.

#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/output_file.h"
#include "pushdown/safetensors.h"

namespace {

void Write(const std::string& path) {
  using Limits = std::numeric_limits<float>;
  pushdown::Safetensors file;
  file.metadata = {{"format", "test"}, {"text", "line\n\"quoted\" \\ \u00e9\u4e2d\U0001f600"}};
  std::vector<float> steps;
  for (int n = 0; n < 3 * 5 * 7; ++n) steps.push_back(static_cast<float>(n - 20) / 8);
  file.tensors = {
      {"z.steps", {3, 5, 7}, steps},
      {"empty", {4, 0}, {}},
      {"scalar", {}, {1.5F}},
      {"a \"name\" of \u00e9",
       {6},
       {-0.0F, Limits::denorm_min(), Limits::max(), Limits::lowest(), Limits::infinity(), 0.1F}},
      {"bytes", {5}, {}, pushdown::SafetensorsType::kU8, std::string("\0\xff\na\x80", 5)},
      {"doubles",
       {2, 2},
       {},
       pushdown::SafetensorsType::kF64,
       {},
       {-std::numeric_limits<double>::infinity(), 0.1, std::numeric_limits<double>::max(), -0.0}}};
  pushdown::OutputFile out(path);
  out.Write(pushdown::SerializeSafetensors(file));
  out.Commit();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) return 2;
    Write(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
