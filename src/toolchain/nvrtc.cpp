// SPDX-License-Identifier: Apache-2.0
#include "toolchain/nvrtc.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <chrono>
#include <dlfcn.h>

namespace parhelion::toolchain {

namespace {

template <class Function>
bool bind(const DynamicLibrary& library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(library.symbol(name));
  return function != nullptr;
}

/// Texts of NVRTC end in a NUL that their size counts.
template <class Program>
std::string text_of(Program program, int (*size)(Program, std::size_t*),
                    int (*get)(Program, char*)) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(program, text.data()) != 0) return {};
  text.resize(bytes - 1);
  return text;
}

}  // namespace

Result<Nvrtc> Nvrtc::open(const std::string& path) {
  Result<DynamicLibrary> library = DynamicLibrary::open(path);
  if (!library) return std::unexpected(std::move(library.error()));
  // Stays until the process ends: unloaded, it would leave memory of its own behind, and loading it
  // again costs a quarter of a second.
  ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  Nvrtc nvrtc;
  nvrtc.library_ = std::move(*library);
  Functions& f = nvrtc.call_;
  const DynamicLibrary& l = nvrtc.library_;
  const bool all = bind(l, "nvrtcCreateProgram", f.create) &&
                   bind(l, "nvrtcDestroyProgram", f.destroy) &&
                   bind(l, "nvrtcCompileProgram", f.compile) &&
                   bind(l, "nvrtcGetPTXSize", f.ptx_size) && bind(l, "nvrtcGetPTX", f.ptx) &&
                   bind(l, "nvrtcGetProgramLogSize", f.log_size) &&
                   bind(l, "nvrtcGetProgramLog", f.log) &&
                   bind(l, "nvrtcGetErrorString", f.error_text);
  if (!all) {
    return fail(8004, fmt::format("'{}' is no NVRTC: functions are missing", path), {},
                "reinstall the CUDA toolkit");
  }
  return nvrtc;
}

Nvrtc::Output Nvrtc::compile(std::string_view text, const std::string& name,
                             std::span<const HeaderText> headers,
                             const std::vector<std::string>& flags) const {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<const char*> texts, names, options;
  for (const HeaderText& h : headers) {
    texts.push_back(h.text.c_str());
    names.push_back(h.name.c_str());
  }
  for (const std::string& flag : flags) options.push_back(flag.c_str());
  const std::string terminated(text);
  Output output;
  Program program = nullptr;
  int status = call_.create(&program, terminated.c_str(), name.c_str(),
                            static_cast<int>(texts.size()), texts.data(), names.data());
  if (status == 0) {
    status = call_.compile(program, static_cast<int>(options.size()), options.data());
    output.log = text_of(program, call_.log_size, call_.log);
    if (status == 0) output.ptx = text_of(program, call_.ptx_size, call_.ptx);
    call_.destroy(&program);
  }
  output.ok = status == 0 && !output.ptx.empty();
  if (!output.ok && output.log.empty()) output.log = call_.error_text(status);
  output.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return output;
}

}  // namespace parhelion::toolchain
