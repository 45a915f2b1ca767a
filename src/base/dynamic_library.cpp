// SPDX-License-Identifier: Apache-2.0
#include "base/dynamic_library.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <utility>

namespace parhelion {

Result<DynamicLibrary> DynamicLibrary::open(const std::string& path) {
  DynamicLibrary library;
  library.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) {
    const char* reason = ::dlerror();
    return fail(8004, fmt::format("cannot load '{}': {}", path, reason != nullptr ? reason : "?"),
                {}, "`parhelion doctor` lists what is found on this machine");
  }
  return library;
}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* DynamicLibrary::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace parhelion
