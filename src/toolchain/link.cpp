// SPDX-License-Identifier: Apache-2.0
#include "toolchain/link.h"

#include "artifact/code.h"
#include "artifact/elf.h"
#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::toolchain {

namespace {

/// Whether an object calls into libm or libc. Naming the libraries triples the time of the link, so
/// it is done only then; the library would load without too, but against symbols of no version.
bool needs_libraries(const std::string& object) {
  const Result<std::string> bytes = read_file(object);
  if (!bytes) return true;
  const auto image = artifact::as_bytes(*bytes);
  const auto file = artifact::ElfFile::parse(image);
  if (!file) return true;
  return std::ranges::any_of(file->symbols(), [](const artifact::ElfSymbol& s) {
    return s.section == 0 && !s.name.empty() && s.name != "_GLOBAL_OFFSET_TABLE_";
  });
}

bool is_gnu(const Tool& linker) { return fs::path(linker.path).filename() == "ld"; }

}  // namespace

Result<void> link_library(const BuildFolder& folder, const Tool& linker,
                          const std::vector<std::string>& objects,
                          const std::vector<std::string>& flags, std::chrono::milliseconds limit,
                          artifact::Artifact& made) {
  const std::string library = folder.file("kernel.so");
  std::vector<std::string> arguments = {linker.path, "-shared", "-o", library};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  if (std::ranges::any_of(objects, needs_libraries)) {
    if (!is_gnu(linker)) {  // the others search nothing by themselves
      for (const char* path : {"-L/usr/lib/x86_64-linux-gnu", "-L/usr/lib64", "-L/usr/lib"}) {
        arguments.emplace_back(path);
      }
    }
    for (const char* flag : {"--as-needed", "-lm", "-lc"}) arguments.emplace_back(flag);
  }
  for (const std::string& flag : flags) {
    if (std::ranges::find(arguments, flag) == arguments.end()) arguments.push_back(flag);
  }
  Result<StepResult> linked = run_step(folder, std::move(arguments), {}, limit);
  if (!linked) return std::unexpected(std::move(linked.error()));
  if (!linked->ok) {
    const std::string_view said = trim(linked->step.output);
    return fail(8109, fmt::format("{} cannot link {}: {}", tool_text(linker), made.kernel,
                                  said.substr(0, 500)),
                {}, "check the installation of the compiler with `doctor`");
  }
  made.steps.push_back(std::move(linked->step));
  const Result<std::string> bytes = read_file(library);
  if (!bytes) return std::unexpected(bytes.error());
  made.bytes = artifact::as_bytes(*bytes);
  return artifact::read_code(made);
}

}  // namespace parhelion::toolchain
