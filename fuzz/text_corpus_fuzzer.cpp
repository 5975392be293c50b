// Any text goes through the readers of running text.
//   build/fuzz/fuzz/text_corpus_fuzzer -dict=fuzz/text_corpus.dict NEW_CORPUS
//       fuzz/corpus/text_corpus

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/text_corpus_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckTextCorpus({reinterpret_cast<const char*>(data), size});
  return 0;
}
