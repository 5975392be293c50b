// Any text goes through the reader of `pushdown stack run`, and small files that are valid through
// the stack. Run it with a copy of the corpus, to which it adds what it finds:
//   build/fuzz/fuzz/stack_file_fuzzer -dict=fuzz/stack_file.dict NEW_CORPUS fuzz/corpus/stack_file

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/stack_file_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pushdown::cli::CheckStackFileText<float>(text);
  pushdown::cli::CheckStackFileText<double>(text);
  return 0;
}
