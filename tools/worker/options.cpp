// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <string_view>

namespace parhelion::worker {

namespace {

Result<void> take(Options& options, std::string_view name, std::string_view value) {
  if (name == "--device") {
    const auto device = parse_device(value);
    if (!device) return fail(8702, fmt::format("'{}' is not a device", value));
    options.device = *device;
    return {};
  }
  const auto number = parse_integer(value);
  if (!number || *number < 0) return fail(8702, fmt::format("{} '{}'", name, value));
  if (name == "--shared") {
    options.shared = static_cast<int>(*number);
  } else if (name == "--threads") {
    options.threads = static_cast<int>(*number);
  } else if (name == "--memory-limit") {
    options.memory_limit_bytes = *number;
  } else {
    return fail(8702, fmt::format("'{}' is not an option of the worker", name));
  }
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--pin") {
      options.pin = true;
      continue;
    }
    if (i + 1 == arguments.size()) return fail(8702, fmt::format("{} has no value", name));
    if (auto taken = take(options, name, arguments[++i]); !taken) {
      return std::unexpected(taken.error());
    }
  }
  if (options.shared < 0) {
    return fail(8702, "--shared is missing: the worker is no program to run by hand");
  }
  return options;
}

void limit_process(const Options& options) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (options.memory_limit_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(options.memory_limit_bytes);
    const rlimit memory{bytes, bytes};
    setrlimit(RLIMIT_AS, &memory);
  }
}

}  // namespace parhelion::worker
