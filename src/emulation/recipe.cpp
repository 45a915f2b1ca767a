// SPDX-License-Identifier: Apache-2.0
#include "emulation/recipe.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <optional>

namespace parhelion::emulation {

extern const std::string_view embedded_abi_h, embedded_language_h, embedded_prelude_h,
    embedded_stub_cpp;

namespace {

struct IncludeLine {
  std::size_t begin, end;  // of the line, newline included
  int number;
};

std::optional<IncludeLine> find_include(std::string_view text) {
  int number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.substr(at, end - at).starts_with("#include \"prelude.cuh\"")) {
      return IncludeLine{at, end, number};
    }
    at = end;
  }
  return std::nullopt;
}

// The prelude stands in the place of its include line, under line markers: with -I a file of that
// name in the current directory would win, and the lines after it would move.
std::string unit_text(std::string_view text, const IncludeLine& include, std::string_view kernel) {
  return fmt::format(
      "# 1 \"kernel.cu\"\n{}# 1 \"language.h\"\n{}# 1 \"prelude.h\"\n{}# {} \"kernel.cu\"\n{}\n"
      "# 1 \"call\"\nextern \"C\" __attribute__((visibility(\"default\"))) void "
      "emulation_call(void** arguments) {{ invoke({}, arguments); }}\n",
      text.substr(0, include.begin), embedded_language_h, embedded_prelude_h, include.number + 1,
      text.substr(include.end), kernel);
}

std::vector<std::string> common_flags() {
  return {"-std=c++20", "-g1", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-w"};
}

std::vector<std::string> text_flags() {
  std::vector<std::string> flags = common_flags();
  const char* own[] = {
      "-O1",
      "-ffp-contract=off",             // one rounding an operation, as the text says
      "-fno-extern-tls-init",          // shared variables have no initialisers
      "-fsanitize=thread",             // a call before each access that can escape
      "-fsanitize=alignment,bounds",   // vector types, register and shared arrays
      "-fsanitize-coverage=trace-pc",  // a call a basic block: the time limit
  };
  flags.insert(flags.end(), std::begin(own), std::end(own));
  return flags;
}

}  // namespace

Result<Recipe> recipe(std::string_view cuda_text, std::string_view kernel_name) {
  const auto include = find_include(cuda_text);
  if (!include) {
    return fail(8041, "the CUDA text does not include \"prelude.cuh\"", {},
                "emulate the text as emitted, not the standalone form");
  }
  if (cuda_text.find(kernel_name) == std::string_view::npos) {
    return fail(8041, fmt::format("the CUDA text has no kernel {}", kernel_name));
  }
  Recipe made;
  made.units.push_back({"text", unit_text(cuda_text, *include, kernel_name), text_flags()});
  std::vector<std::string> stub_flags = common_flags();
  stub_flags.push_back("-O2");
  made.units.push_back(
      {"stub", std::string(embedded_abi_h).append(embedded_stub_cpp), std::move(stub_flags)});
  made.link_flags = {"-shared", "-lm"};
  return made;
}

std::string_view prelude_text() { return embedded_prelude_h; }

}  // namespace parhelion::emulation
