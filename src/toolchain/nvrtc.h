// SPDX-License-Identifier: Apache-2.0
// NVRTC, loaded at run time.
#pragma once

#include "base/dynamic_library.h"
#include "toolchain/request.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::toolchain {

class Nvrtc {
 public:
  [[nodiscard]] static Result<Nvrtc> open(const std::string& path);  // PH8004

  struct Output {
    bool ok = false;
    std::string ptx, log;
    double wall_s = 0;
  };
  /// `name` stands in messages. Safe from several threads.
  [[nodiscard]] Output compile(std::string_view text, const std::string& name,
                               std::span<const HeaderText> headers,
                               const std::vector<std::string>& flags) const;

 private:
  // The C API, as its header declares it.
  using Program = void*;
  struct Functions {
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*compile)(Program, int, const char* const*);
    int (*ptx_size)(Program, std::size_t*);
    int (*ptx)(Program, char*);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    const char* (*error_text)(int);
  };

  DynamicLibrary library_;
  Functions call_{};
};

}  // namespace parhelion::toolchain
