// SPDX-License-Identifier: Apache-2.0
// One artifact as one file: header with checksum, a small JSON that can be read alone (what it is,
// and what it was made from), and the compressed rest.
#pragma once

#include "artifact/artifact.h"
#include "base/files.h"
#include "base/json.h"

namespace parhelion::artifact {

/// Of the file and of the JSON in it.
inline constexpr int file_schema = 1;

/// What list and why_miss read without unpacking.
struct Summary {
  Kind kind = Kind::CpuSharedObject;
  std::string kernel, arch;
  Hash code_hash;
  std::int64_t image_bytes = 0;
  Json origin;  // the key's pre-image, where a cache wrote the file
};

/// `origin` is stored with it. Equal artifacts give equal bytes.
[[nodiscard]] std::string serialize(const Artifact& artifact, const Json& origin = {});
/// PH8201: damaged; PH8202: of a newer schema.
[[nodiscard]] Result<Artifact> deserialize(std::string_view bytes);
[[nodiscard]] Result<Summary> read_summary(const fs::path& path);

[[nodiscard]] Result<void> write_artifact(const fs::path& path, const Artifact& artifact);
[[nodiscard]] Result<Artifact> read_artifact(const fs::path& path);

}  // namespace parhelion::artifact
