// SPDX-License-Identifier: Apache-2.0
#include "emulation/findings.h"

#include <fmt/format.h>

#include <utility>

namespace parhelion::emulation {

void Findings::add(Kind kind, Place place, Place other, int block, std::vector<int> threads,
                   std::string message) {
  if (!wanted(kind, place, other)) return;
  known_.insert({kind, place, other});
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.block = block;
  finding.threads = std::move(threads);
  found_.push_back({std::move(finding), place, other});
}

std::vector<Finding> Findings::finish() {
  std::vector<Place> places;
  for (const Raw& raw : found_) {
    places.push_back(raw.place);
    places.push_back(raw.other);
  }
  const std::map<Place, int> lines = image_.lines(places);
  std::vector<Finding> finished;
  // Two places of one line are one finding for the reader.
  std::set<std::tuple<Kind, int, int>> lines_seen;
  for (Raw& raw : found_) {
    raw.finding.line = lines.at(raw.place);
    raw.finding.other_line = lines.at(raw.other);
    if (raw.finding.other_line != 0) {
      raw.finding.message += fmt::format(" at line {}", raw.finding.other_line);
    }
    const bool first =
        lines_seen.insert({raw.finding.kind, raw.finding.line, raw.finding.other_line}).second;
    if (first) finished.push_back(std::move(raw.finding));
  }
  return finished;
}

}  // namespace parhelion::emulation
