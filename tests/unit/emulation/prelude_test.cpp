// SPDX-License-Identifier: Apache-2.0
// One signature table, two preludes.
#include "emit/cuda/prelude_texts.h"
#include "emulation/recipe.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

struct Row {
  int sm;
  const char* signature;
};
constexpr Row rows[] = {
#define PH_WRAPPER(sm, signature) {sm, signature},
#include "target/prelude.def"
#undef PH_WRAPPER
};

std::vector<std::string> table() {
  std::vector<std::string> signatures;
  for (const Row& row : rows) signatures.emplace_back(row.signature);
  std::ranges::sort(signatures);
  return signatures;
}

void remove_all(std::string& text, std::string_view what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what)) {
    text.erase(at, what.size());
  }
}

/// From the head of a definition or declaration: blanks made one, our macros gone.
std::string signature(std::string_view head) {
  std::string text;
  for (const char c : head.substr(0, head.find_first_of("{;"))) {
    const char next = c == '\n' ? ' ' : c;
    if (next != ' ' || (!text.empty() && text.back() != ' ')) text += next;
  }
  while (text.ends_with(' ')) text.pop_back();
  for (const char* macro : {"PH_DEVICE ", "PH_RUNTIME ", ", PH_HERE", "PH_HERE"})
    remove_all(text, macro);
  return text;
}

std::vector<std::string> device_signatures() {
  std::vector<std::string> found;
  for (const parhelion::emit::Wrapper& wrapper : parhelion::emit::prelude_wrappers()) {
    const auto code = wrapper.text.find("PH_DEVICE");
    const auto line = wrapper.text.rfind('\n', code);
    found.push_back(signature(wrapper.text.substr(line == std::string_view::npos ? 0 : line + 1)));
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> emulated_signatures() {
  std::vector<std::string> found;
  const std::string_view text = parhelion::emulation::prelude_text();
  for (std::size_t at = 0; at < text.size();
       at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const bool ours = line.starts_with("PH_DEVICE") || line.starts_with("PH_RUNTIME") ||
                      (line.starts_with("template") && line.find("PH_DEVICE") != line.npos);
    if (ours) found.push_back(signature(text.substr(at)));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("the device prelude has the signatures of the table") {
  CHECK(device_signatures() == table());
}

TEST_CASE("the emulated prelude has the signatures of the table") {
  CHECK(emulated_signatures() == table());
}

TEST_CASE("a text takes only the wrappers it names, and those that they name") {
  const std::string used = parhelion::emit::prelude_used_by("y = max_nan(x, exp2_approx(z));");
  CHECK(used.find("using u32") != std::string::npos);
  CHECK(used.find("float max_nan(float a, float b)") != std::string::npos);
  CHECK(used.find("// NaN if either is.") != std::string::npos);
  CHECK(used.find("ex2.approx.ftz.f32") != std::string::npos);
  CHECK(used.find("min_nan") == std::string::npos);
  CHECK(used.find("log2_approx") == std::string::npos);
  // A name in a comment is no use.
  CHECK(parhelion::emit::prelude_used_by("// like max_nan\n").find("max_nan") == std::string::npos);
}

TEST_CASE("overloads come together") {
  const std::string used = parhelion::emit::prelude_used_by("load_once(x)");
  CHECK(used.find("uint4 load_once(const uint4* pointer)") != std::string::npos);
  CHECK(used.find("u16 load_once(const u16* pointer)") != std::string::npos);
}
