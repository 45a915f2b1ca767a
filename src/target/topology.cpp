// SPDX-License-Identifier: Apache-2.0
#include "target/cpuid.h"

#include "base/text.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace parhelion::target {

namespace {

std::optional<std::string> read_word(const fs::path& path) {
  auto content = read_file(path);
  if (!content) return std::nullopt;
  return std::string(trim(*content));
}

/// "48K", "1024K", "32M".
std::int64_t parse_size(std::string_view text) {
  if (text.empty()) return 0;
  const char unit = text.back();
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
  const auto number = parse_integer(shift != 0 ? text.substr(0, text.size() - 1) : text);
  return number ? *number << shift : 0;
}

void read_caches(const fs::path& cpu, Topology& topology) {
  for (int i = 0; i < 8; ++i) {
    const fs::path folder = cpu / "cache" / fmt::format("index{}", i);
    const auto level = read_word(folder / "level"), kind = read_word(folder / "type");
    const auto size = read_word(folder / "size");
    if (!level || !kind || !size) return;
    if (*kind == "Instruction") continue;
    const std::int64_t bytes = parse_size(*size);
    if (*level == "1") topology.l1d_bytes = bytes;
    if (*level == "2") topology.l2_bytes = bytes;
    if (*level == "3") topology.l3_bytes = bytes;
  }
}

}  // namespace

Topology read_topology(const fs::path& root, const std::vector<int>& allowed) {
  Topology topology;
  topology.logical_cpus = static_cast<int>(allowed.size());
  std::set<std::pair<std::string, std::string>> cores;
  for (const int index : allowed) {
    const fs::path cpu = root / fmt::format("cpu{}", index);
    const auto package = read_word(cpu / "topology" / "physical_package_id");
    const auto core = read_word(cpu / "topology" / "core_id");
    if (package && core) cores.emplace(*package, *core);
  }
  topology.physical_cores = static_cast<int>(cores.size());
  if (!allowed.empty()) read_caches(root / fmt::format("cpu{}", allowed.front()), topology);
  return topology;
}

}  // namespace parhelion::target
