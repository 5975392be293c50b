#include "pushdown/report/pca_input.h"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/report/json_field.h"

namespace pushdown {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

Json Model(const JsonField& field) {
  return {{"path", field["path"].Text()},
          {"name", field["name"].Text()},
          {"hidden_units", field["hidden_units"].Integer(0, kMost)}};
}

Json Separability(const JsonField& field) {
  return {{"symbols", field["symbols"].Integer(0, kMost)},
          {"majority", ShortNumberOrNull(field["majority"])},
          {"nearest_centroid", ShortNumberOrNull(field["nearest_centroid"])},
          {"silhouette", ShortNumberOrNull(field["silhouette"])},
          {"silhouette_points", field["silhouette_points"].Integer(0, kMost)}};
}

}  // namespace

bool IsPca(const nlohmann::json& object) {
  return object.contains("components") && object.contains("points");
}

Json ReadPca(const nlohmann::json& object) {
  const JsonField field(object);
  const std::vector<std::string> names = field["names"].Texts();
  Json components = Json::array();
  const JsonField all_components = field["components"];
  if (all_components.size() == 0) all_components.Fail("expected at least one");
  for (std::size_t n = 0; n < all_components.size(); ++n) {
    const JsonField each = all_components.At(n);
    components.push_back({{"variance", ShortNumber(each["variance"].Number())},
                          {"share", ShortNumberOrNull(each["share"])},
                          {"direction", ShortNumbers(each["direction"].Numbers(names.size()))}});
  }
  Json points = Json::array();
  const JsonField all_points = field["points"];
  for (std::size_t n = 0; n < all_points.size(); ++n) {
    const JsonField each = all_points.At(n);
    points.push_back({{"string", each["string"].Integer(0, kMost)},
                      {"position", each["position"].Integer(0, kMost)},
                      {"symbol", each["symbol"].Text()},
                      {"projected", ShortNumbers(each["projected"].Numbers(components.size()))}});
  }
  const JsonField separability = field["separability"];
  return {{"model", Model(field["model"])},
          {"of", field["of"].Text()},
          {"positions", field["positions"].Text()},
          {"strings", field["strings"].Integer(0, kMost)},
          {"names", names},
          {"mean", ShortNumbers(field["mean"].Numbers(names.size()))},
          {"variances", ShortNumbers(field["variances"].Numbers(names.size()))},
          {"components", std::move(components)},
          {"separability",
           {{"all_dimensions", Separability(separability["all_dimensions"])},
            {"components", Separability(separability["components"])}}},
          {"points", std::move(points)}};
}

}  // namespace pushdown
