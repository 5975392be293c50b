#pragma once

#include "pushdown/experiment/run_record.h"
#include "pushdown/json.h"

namespace pushdown {

// Records in test.json and in exports. This header is not installed, because the JSON library is
// part of its interface.

// A number of things, from 0 on. Throws Error, which names the field.
int ReadCount(const nlohmann::json& value, const char* field);

Json TestRecordJson(const TestRecord& record);
TestRecord ReadTestRecordJson(const nlohmann::json& value);  // throws Error

Json RunRecordJson(const RunRecord& record);
RunRecord ReadRunRecordJson(const nlohmann::json& value);  // throws Error

}  // namespace pushdown
