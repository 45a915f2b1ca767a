// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/driver.h"

#include "base/diag.h"

#include <fmt/format.h>

namespace parhelion::runtime::cuda {

namespace {
constexpr std::string_view install_help =
    "everything but running on a GPU works without: emit, compile and emulate for sm_90a, run on "
    "--target cpu";
}

Result<std::shared_ptr<const Driver>> Driver::load() {
  auto library = DynamicLibrary::open("libcuda.so.1");
  if (!library) {
    return fail(8601, "there is no CUDA driver on this machine (libcuda.so.1)", {},
                std::string(install_help));
  }
  auto driver = std::make_shared<Driver>();
  std::string_view missing;
  const auto find = [&](auto& member, const char* symbol) {
    void* address = library->symbol(symbol);
    if (address == nullptr) missing = symbol;
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(address);
  };
#define PH_DRIVER(member, symbol, parameters) find(driver->member, symbol);
  PH_DRIVER_FUNCTIONS(PH_DRIVER)
#undef PH_DRIVER
  if (!missing.empty()) {
    return fail(8601, fmt::format("the CUDA driver is too old: it has no {}", missing), {},
                "version 12.0 and later have it");
  }
  driver->library = std::move(*library);
  if (auto ready = driver->check(driver->init(0), "cuInit"); !ready) {
    Diagnostics errors = {
        diag(8601, "the CUDA driver finds no GPU that it can use", {}, std::string(install_help))};
    errors.push_back(ready.error()[0]);
    return std::unexpected(std::move(errors));
  }
  return driver;
}

Result<void> Driver::check(Status status, std::string_view doing) const {
  if (status == 0) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(status, &name) != 0) name = nullptr;
  if (error_text(status, &text) != 0) text = nullptr;
  return fail(8602, fmt::format("{}: {} ({})", doing, text != nullptr ? text : "unknown error",
                                name != nullptr ? name : fmt::format("{}", status)));
}

}  // namespace parhelion::runtime::cuda
