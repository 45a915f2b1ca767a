// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <parhelion/tensor.h>

#include <cstdint>
#include <span>

namespace parhelion::worker {

struct Options {
  int shared = -1;  // descriptor of the memory file
  Device device;
  int threads = 0;
  bool pin = false;
  std::int64_t memory_limit_bytes = 0;
};

/// PH8702: the command line belongs to the protocol, no user types it.
[[nodiscard]] Result<Options> parse_options(std::span<char* const> arguments);

/// No core files, and the memory limit; errors are left to the first allocation that fails.
void limit_process(const Options& options);

}  // namespace parhelion::worker
