// SPDX-License-Identifier: Apache-2.0
#include "emit/cuda/prelude_texts.h"

#include <array>
#include <set>
#include <vector>

namespace parhelion::emit {

extern const std::string_view embedded_types_cuh, embedded_indices_cuh, embedded_numbers_cuh,
    embedded_pairs_cuh, embedded_global_cuh, embedded_barriers_cuh, embedded_cp_async_cuh,
    embedded_mbarrier_cuh, embedded_matrix_cuh;

namespace {

constexpr std::string_view device = "PH_DEVICE ";

std::array<std::string_view, 9> parts() {
  return {embedded_types_cuh,    embedded_indices_cuh,  embedded_numbers_cuh,
          embedded_pairs_cuh,    embedded_global_cuh,   embedded_barriers_cuh,
          embedded_cp_async_cuh, embedded_mbarrier_cuh, embedded_matrix_cuh};
}

bool identifier_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Calls `visit` with each line, newline included.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    visit(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Outside comments: a comment may name a wrapper that the code does without.
std::set<std::string_view> identifiers(std::string_view text) {
  std::set<std::string_view> found;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (!identifier_character(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && identifier_character(text[end])) ++end;
    found.insert(text.substr(i, end - i));
    i = end;
  }
  return found;
}

/// The prelude is one file in memory: what ties its parts together as files goes.
std::string join_parts() {
  std::string all = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n";
  for (const std::string_view part : parts()) {
    each_line(part, [&](std::string_view line) {
      if (line.starts_with("#include") || line.starts_with("#pragma once")) return;
      if (line.starts_with("// SPDX")) return;
      all += line;
    });
    all += '\n';
  }
  return all;
}

/// Cuts by the rule in types.cuh: a wrapper starts where a line begins with PH_DEVICE or its
/// template head, and ends on that line if it ends in `}`, else at the next line that is `}`.
std::vector<Wrapper> cut(std::string_view all) {
  std::vector<Wrapper> wrappers;
  std::size_t at = 0, comment = std::string_view::npos, start = std::string_view::npos;
  std::string_view name;
  each_line(all, [&](std::string_view line) {
    const std::size_t begin = at;
    at += line.size();
    if (start == std::string_view::npos) {
      const auto head = line.find(device);
      if (head == 0 || (head != std::string_view::npos && line.starts_with("template"))) {
        start = comment == std::string_view::npos ? begin : comment;
        const std::size_t open = line.find('(', head), last = line.rfind(' ', open) + 1;
        name = line.substr(last, open - last);
      } else {
        const bool is_comment = line.starts_with("//");
        if (!is_comment) comment = std::string_view::npos;
        if (is_comment && comment == std::string_view::npos) comment = begin;
        return;
      }
      if (!line.ends_with("}\n")) return;
    } else if (line != "}\n") {
      return;
    }
    wrappers.push_back({name, all.substr(start, at - start)});
    start = comment = std::string_view::npos;
  });
  return wrappers;
}

}  // namespace

std::string_view prelude_text() {
  static const std::string text = join_parts();
  return text;
}

std::span<const Wrapper> prelude_wrappers() {
  static const std::vector<Wrapper> wrappers = cut(prelude_text());
  return wrappers;
}

std::string prelude_used_by(std::string_view kernel_text) {
  std::set<std::string_view> used = identifiers(kernel_text);
  const auto wrappers = prelude_wrappers();
  for (std::size_t before = 0; before != used.size();) {
    before = used.size();
    for (const Wrapper& w : wrappers) {
      if (used.contains(w.name)) used.merge(identifiers(w.text));
    }
  }
  std::string text;
  each_line(embedded_types_cuh, [&](std::string_view line) {
    if (line.starts_with("using") || line.starts_with("#define")) text += line;
  });
  for (const Wrapper& w : wrappers) {
    if (used.contains(w.name)) text.append("\n").append(w.text);
  }
  return text;
}

}  // namespace parhelion::emit
