// SPDX-License-Identifier: Apache-2.0
#include "toolchain/ptxas_log.h"

#include "base/text.h"

#include <algorithm>
#include <optional>
#include <string>

namespace parhelion::toolchain {

namespace {

/// The number in front of `unit`: "1024 bytes smem".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view head = trim(line.substr(0, at));
  const std::size_t begin = head.find_last_not_of("0123456789");
  return parse_integer(head.substr(begin == std::string_view::npos ? 0 : begin + 1));
}

void keep_largest(std::optional<std::int64_t>& largest, std::optional<std::int64_t> value) {
  if (value) largest = std::max(largest.value_or(0), *value);
}

/// "ptxas warning : text", "ptxas info : (C7510) Potential Performance Loss: ...".
std::optional<std::string> warning_of(std::string_view line) {
  if (!starts_with(line, "ptxas ")) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view text = trim(line.substr(colon + 1));
  if (starts_with(text, "(C")) {
    const std::size_t close = text.find(')');
    if (close != std::string_view::npos) {
      return std::string(text.substr(1, close - 1)) + ": " +
             std::string(trim(text.substr(close + 1)));
    }
  }
  if (line.substr(0, colon).contains("warning")) return std::string(text);
  return std::nullopt;
}

}  // namespace

artifact::CodeFacts parse_ptxas_log(std::string_view log) {
  artifact::CodeFacts facts;
  for (const std::string_view line : split(log, '\n')) {
    keep_largest(facts.stack_bytes, number_before(line, " bytes stack frame"));
    keep_largest(facts.spill_store_bytes, number_before(line, " bytes spill stores"));
    keep_largest(facts.spill_load_bytes, number_before(line, " bytes spill loads"));
    if (const auto registers = number_before(line, " registers"); line.contains("Used ")) {
      keep_largest(facts.registers, registers);
      // The line leaves out what is 0.
      keep_largest(facts.shared_bytes, number_before(line, " bytes smem").value_or(0));
    }
    if (auto warning = warning_of(line)) facts.warnings.push_back(std::move(*warning));
  }
  return facts;
}

}  // namespace parhelion::toolchain
