// SPDX-License-Identifier: Apache-2.0
#include "toolchain/control_file.h"

#include "toolchain/version.h"

#include "base/diag.h"
#include "base/subprocess.h"

#include <fmt/format.h>

namespace parhelion::toolchain {

Result<std::vector<std::string>> control_file_flags(const Controls& controls, const Tool& ptxas) {
  if (!controls.payload) return std::vector<std::string>{};
  const auto& [file, sha256] = *controls.payload;
  constexpr std::string_view since = "13.3";
  if (compare_versions(ptxas.version, since) < 0) {
    return fail(8110, fmt::format("ptxas {} takes no control files; {} and newer do",
                                  ptxas.version, since),
                {}, "install a newer ptxas, or leave the payload out");
  }
  // coreutils rather than an own SHA-256: the hash is part of the pack format, not of our keys.
  Command command;
  command.arguments = {"sha256sum", "--binary", "--", file};
  const Result<Finished> said = run(command);
  if (!said) return std::unexpected(said.error());
  if (!said->ok()) {
    return fail(8110, fmt::format("the control file '{}' cannot be read", file), {},
                "check its path");
  }
  if (!sha256.empty() && !said->output.starts_with(sha256)) {
    return fail(8110, fmt::format("the control file '{}' is not the one that the controls name",
                                  file),
                {}, "its sha256 differs: use the file that the pack came with");
  }
  return std::vector<std::string>{"--apply-controls", file};
}

}  // namespace parhelion::toolchain
