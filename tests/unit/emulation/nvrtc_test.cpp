// SPDX-License-Identifier: Apache-2.0
// The device prelude under CUDA's own compiler, for the oldest and the newest architecture of the
// first issue: every part alone, and every wrapper down to machine code.
#include "base/dynamic_library.h"
#include "base/files.h"
#include "compiled_text.h"
#include "emit/cuda/prelude_texts.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

using namespace parhelion;

namespace {

using Program = void*;

/// The few functions of NVRTC that this needs, by their C names.
struct Nvrtc {
  DynamicLibrary library;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*destroy)(Program*);
};

template <class F>
void bind(F*& function, const DynamicLibrary& library, const char* name) {
  function = reinterpret_cast<F*>(library.symbol(name));
}

const Nvrtc* nvrtc() {
  static const auto loaded = [] {
    Nvrtc n{};
    for (const char* name :
         {"libnvrtc.so.13", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      Result<DynamicLibrary> opened = DynamicLibrary::open(name);
      if (!opened) continue;
      n.library = std::move(*opened);
      break;
    }
    if (!n.library.loaded()) return n;
    bind(n.create, n.library, "nvrtcCreateProgram");
    bind(n.compile, n.library, "nvrtcCompileProgram");
    bind(n.log_size, n.library, "nvrtcGetProgramLogSize");
    bind(n.log, n.library, "nvrtcGetProgramLog");
    bind(n.destroy, n.library, "nvrtcDestroyProgram");
    return n;
  }();
  return loaded.library.loaded() ? &loaded : nullptr;
}

struct Header {
  std::string name, text;
};

/// The compiler's words; empty when it has none.
std::string compile(const std::string& text, const std::vector<Header>& headers,
                    const std::string& arch) {
  std::vector<const char*> names, texts;
  for (const Header& header : headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  Program program = nullptr;
  REQUIRE(nvrtc()->create(&program, text.c_str(), "test.cu", static_cast<int>(headers.size()),
                          texts.data(), names.data()) == 0);
  const std::string target = "--gpu-architecture=" + arch;
  const char* options[] = {target.c_str(), "--std=c++20"};
  const int result = nvrtc()->compile(program, 2, options);
  std::size_t size = 0;
  nvrtc()->log_size(program, &size);
  std::string log(size, '\0');
  nvrtc()->log(program, log.data());
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  nvrtc()->destroy(&program);
  return result == 0 ? log : log + fmt::format(" (result {})", result);
}

std::string read(const std::string& path) {
  const auto text = read_file(fs::path(PH_SOURCE_DIR) / path);
  REQUIRE(text);
  return *text;
}

std::string everything(int sm) {
  return fmt::format("#define PH_SM {}\n", sm) + read("tests/unit/emulation/everything.cu");
}

}  // namespace

TEST_CASE("each part of the prelude compiles alone") {
  if (nvrtc() == nullptr) PH_SKIP("no NVRTC on this machine");
  const std::string folder = "src/emit/cuda/prelude/";
  const Header types{"types.cuh", read(folder + "types.cuh")};
  for (const char* part : {"barriers", "cp_async", "global", "indices", "matrix", "mbarrier",
                           "numbers", "pairs", "types"}) {
    const Header own{"part.cuh", read(folder + part + ".cuh")};
    for (const char* arch : {"compute_80", "compute_90a"}) {
      CAPTURE(std::string(part));
      CHECK(compile("#include \"part.cuh\"\n", {types, own}, arch) == "");
    }
  }
}

TEST_CASE("every wrapper is used by the text of this test") {
  const std::string text = everything(90);
  for (const emit::Wrapper& wrapper : emit::prelude_wrappers()) {
    CAPTURE(std::string(wrapper.name));
    CHECK(text.find(wrapper.name) != std::string::npos);
  }
}

TEST_CASE("every wrapper assembles, from the whole prelude and from the part in use") {
  if (nvrtc() == nullptr) PH_SKIP("no NVRTC on this machine");
  const Header prelude{"prelude.cuh", std::string(emit::prelude_text())};
  for (const int sm : {80, 90}) {
    const std::string text = everything(sm), arch = sm == 80 ? "sm_80" : "sm_90a";
    CHECK(compile(text, {prelude}, arch) == "");
    const std::string include = "#include \"prelude.cuh\"\n";
    std::string alone = text;
    alone.replace(alone.find(include), include.size(), emit::prelude_used_by(text));
    if (sm == 90) CHECK(compile(alone, {}, arch) == "");
  }
}

TEST_CASE("the same text compiles with the emulated prelude") {
  const emulation_test::CompiledText compiled(everything(90), "everything");
  CHECK(compiled.library().loaded());
}
