// SPDX-License-Identifier: Apache-2.0
#include "search/features.h"

namespace parhelion::search {

namespace {

/// Wide domains share bins with their neighbours.
std::uint8_t bin(config::Choice choice, std::int64_t size) {
  constexpr std::int64_t bins = bin_count - 1;
  const std::int64_t at = size <= bins ? choice : choice * bins / size;
  return static_cast<std::uint8_t>(1 + at);
}

}  // namespace

// A permutation is told by the place of each of its items.
Encoder::Encoder(const config::SearchSpace& space) : space_(space) {
  for (const config::Param& param : space.params()) {
    const bool permutation = param.kind == config::ParamKind::Permutation;
    const auto columns = static_cast<std::size_t>(permutation ? param.count : 1);
    ordered_.insert(ordered_.end(), columns, permutation || param.ordered());
  }
}

Row Encoder::encode(const config::Point& point) const {
  Row row;
  row.reserve(columns());
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const config::Param& param = space_.params()[i];
    const bool active = space_.active(point, i);
    if (param.kind != config::ParamKind::Permutation) {
      row.push_back(active ? bin(point[i], param.size()) : std::uint8_t{0});
      continue;
    }
    const auto order = std::get<std::vector<std::int64_t>>(param.value(point[i]));
    Row places(order.size());
    for (std::size_t place = 0; active && place < order.size(); ++place) {
      places[static_cast<std::size_t>(order[place])] = static_cast<std::uint8_t>(1 + place);
    }
    row.insert(row.end(), places.begin(), places.end());
  }
  return row;
}

}  // namespace parhelion::search
