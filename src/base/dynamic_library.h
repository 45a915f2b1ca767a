// SPDX-License-Identifier: Apache-2.0
// dlopen with an owner. A missing library is an ordinary answer.
#pragma once

#include <parhelion/diagnostic.h>

#include <string>

namespace parhelion {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  [[nodiscard]] static Result<DynamicLibrary> open(const std::string& path);  // PH8004
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  ~DynamicLibrary();
  [[nodiscard]] void* symbol(const char* name) const;  // nullptr when absent
  [[nodiscard]] bool loaded() const { return handle_ != nullptr; }

 private:
  void* handle_ = nullptr;
};

}  // namespace parhelion
