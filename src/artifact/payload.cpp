// SPDX-License-Identifier: Apache-2.0
#include "artifact/payload.h"

#include "base/diag.h"

#include <zstd.h>

namespace parhelion::artifact {

std::string compress(std::string_view text) {
  // Level 1: artifacts are written on the path of a first call, and are small.
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1);
  PH_ASSERT(ZSTD_isError(size) == 0, ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::optional<std::string> decompress(std::string_view bytes, std::size_t size) {
  // The stored size is checked first: a damaged one must not make us allocate it.
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size) return std::nullopt;
  std::string out(size, '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return out;
}

}  // namespace parhelion::artifact
