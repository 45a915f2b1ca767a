// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "artifact/cache.h"
#include "base/dynamic_library.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace parhelion;
using namespace parhelion::toolchain;
using toolchain_test::has;
using toolchain_test::machine;

namespace {

constexpr const char* text =
    "extern \"C\" void scale(float* x, long n) {\n"
    "  for (long i = 0; i < n; ++i) x[i] = x[i] * 2.0f + 1.0f;\n"
    "}\n";

CpuRequest request(const char* controls = "none") {
  CpuRequest r;
  r.kernel = "scale";
  r.text = text;
  r.arch = "x86-64";
  r.required_flags = {"-std=c++20", "-ffp-contract=off"};
  r.controls = *Controls::parse(controls);
  return r;
}

void check_runs(const artifact::Artifact& made) {
  const TemporaryDirectory folder("parhelion-run");
  const fs::path file = folder.path() / "scale.so";
  REQUIRE(write_file(file, artifact::as_text(made.bytes)));
  const auto library = DynamicLibrary::open(file.string());
  REQUIRE(library);
  auto* scale = reinterpret_cast<void (*)(float*, long)>(library->symbol("scale"));
  const bool found = scale != nullptr;
  REQUIRE(found);
  float x[3] = {1, 2, 3};
  scale(x, 3);
  CHECK(x[2] == 7);
}

Diagnostic failure(const Result<artifact::Artifact>& result) {
  REQUIRE_FALSE(result);
  return result.error().front();
}

bool step_has(const artifact::Artifact& made, std::string_view flag) {
  return made.steps.front().command.contains(flag);
}

}  // namespace

TEST_CASE("both compilers make a library that runs") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  auto made = machine().compile_cpu(request());
  REQUIRE_MESSAGE(made, render_text(made.error()));
  CHECK(made->kind == artifact::Kind::CpuSharedObject);
  CHECK(made->kernel == "scale");
  CHECK(made->arch == "x86-64");
  CHECK(made->text == text);
  REQUIRE(made->steps.size() == 2);
  CHECK(made->steps[0].command.ends_with("-O2 -pipe -x c++ -c - -o ./kernel.o"));
  CHECK(made->steps[1].command.contains("-shared"));
  CHECK(made->steps[0].output.empty());
  CHECK(made->facts.code_bytes.value() > 0);
  check_runs(*made);
  // The same again is the same code.
  CHECK(machine().compile_cpu(request())->code_hash == made->code_hash);
  if (!has(ToolKind::Clang)) PH_SKIP("no clang++ on this machine: g++ alone was tried");
  made = machine().compile_cpu(request("compiler name=clang++ clang++ regalloc=basic"));
  REQUIRE_MESSAGE(made, render_text(made.error()));
  CHECK(step_has(*made, "clang++"));
  CHECK(step_has(*made, "-mllvm -regalloc=basic"));
  check_runs(*made);
}

TEST_CASE("settings reach the compiler; those of other tools do not; the canary changes the code") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  const auto usual = machine().compile_cpu(request());
  const auto canary = machine().compile_cpu(request("g++ opt-level=0 rename-registers=on"));
  REQUIRE(canary);
  CHECK(step_has(*canary, " -O0 -frename-registers"));
  CHECK(canary->code_hash != usual->code_hash);
  const auto other = machine().compile_cpu(request("clang++ opt-level=0 ptxas opt-level=0"));
  REQUIRE(other);
  CHECK(other->code_hash == usual->code_hash);
}

TEST_CASE("calls into libm are linked with their versions") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  CpuRequest r = request();
  r.text = "extern \"C\" void scale(float* x, long n) {\n"
           "  for (long i = 0; i < n; ++i) x[i] = __builtin_expf(x[i]) * 0 + 7;\n}\n";
  const auto made = machine().compile_cpu(r);
  REQUIRE_MESSAGE(made, render_text(made.error()));
  CHECK(made->steps[1].command.contains("-lm"));
  check_runs(*made);
}

TEST_CASE("features of the CPU become flags") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  CpuRequest r = request();
  r.arch = "x86-64-v3";
  r.features = {"avx512_bf16", "amx_tile", "sse4_2"};
  const auto made = machine().compile_cpu(r);
  REQUIRE_MESSAGE(made, render_text(made.error()));
  CHECK(step_has(*made, "-march=x86-64-v3"));
  CHECK(step_has(*made, "-mavx512bf16 -mamx-tile -msse4.2"));
  CHECK(made->features == r.features);
}

TEST_CASE("a text that does not compile points at the user's line: PH8101") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  CpuRequest r = request();
  r.text = "using i64 = long;\nextern \"C\" void scale(float* x) {\n  y[0] = x[0];\n}\n";
  r.lines.entries = {{3, "user.cpp", 17, 5}};
  for (const char* name : {"g++", "clang++"}) {
    if (std::string_view(name) == "clang++" && !has(ToolKind::Clang)) continue;
    r.controls.set("compiler", "name", name);
    const Diagnostic d = failure(machine().compile_cpu(r));
    CHECK(d.code == 8101);
    CHECK(d.message.contains("refuses the text of scale: line 3 of the text: "));
    CHECK(d.message.starts_with(name));
    CHECK(d.where == Place{"user.cpp", 17, 5});
    CHECK(d.notes.front().message == "in the text: y[0] = x[0];");
  }
}

TEST_CASE("controls are checked before anything is started") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  CHECK(failure(machine().compile_cpu(request("g++ fast-mth=on"))).code == 8104);
  CHECK(failure(machine().compile_cpu(request("g++ opt-level=9"))).code == 8105);
  const Diagnostic d = failure(machine().compile_cpu(request("g++ fast-math=on")));
  CHECK(d.code == 8107);
  CHECK(d.message == "the settings need the numerics class relaxed; bounded is asked for");
  CpuRequest relaxed = request("g++ fast-math=on");
  relaxed.numerics = Numerics::Relaxed;
  CHECK(machine().compile_cpu(relaxed));
  CpuRequest elsewhere = request();
  elsewhere.controls.target.arch = "sm_90a";
  CHECK(failure(machine().compile_cpu(elsewhere)).code == 8108);
  CHECK(failure(machine().compile_cpu(request("compiler name=g++ version=99"))).code == 8103);
}

TEST_CASE("an origin holds what the code depends on, and nothing else") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  const auto hash = [](const CpuRequest& r) {
    const auto origin = machine().cpu_origin(r);
    REQUIRE(origin);
    return artifact::CacheKey::of(*origin).hash;
  };
  const Hash usual = hash(request());
  CHECK(hash(request("g++ opt-level=2 ivopts=on ptxas opt-level=0")) == usual);
  CHECK(hash(request("g++ opt-level=3")) != usual);
  CpuRequest r = request();
  r.lines.entries = {{1, "moved.cpp", 9, 9}};
  r.kernel = "another name";
  CHECK(hash(r) == usual);
  r.text += "\n";
  CHECK(hash(r) != usual);
  r = request();
  r.launch.phases.push_back({});
  CHECK(hash(r) != usual);
  CHECK(machine().cpu_origin(request("g++ tune=native"))->find("host") != nullptr);
}

TEST_CASE("a compiler that hangs, crashes or breaks down: PH8102") {
  const TemporaryDirectory folder("parhelion-tools");
  const auto make = [&](const char* name, const std::string& body) {
    const fs::path path = folder.path() / name;
    std::ofstream(path) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'tool 12.2.0' && exit 0\n"
                        << body << "\n";
    ::chmod(path.c_str(), 0755);
  };
  make("ld", "exit 1");
  const auto compile = [&](const std::string& body) {
    make("g++", body);
    Toolchain toolchain({}, {{folder.path()}, {}});
    toolchain.set_time_limit(std::chrono::milliseconds(300));
    return failure(toolchain.compile_cpu(request()));
  };
  Diagnostic d = compile("sleep 100");
  CHECK(d.code == 8102);
  CHECK(d.message == "g++ took longer than 300 ms");
  d = compile("kill -SEGV $$");
  CHECK(d.code == 8102);
  CHECK(d.message == "g++ was ended by a signal: Segmentation fault");
  d = compile("echo '<stdin>:1:1: internal compiler error: in expand' >&2; exit 1");
  CHECK(d.code == 8102);
  CHECK(d.message == "g++ broke down (an internal error of its own)");
  CHECK(d.notes.back().message == "<stdin>:1:1: internal compiler error: in expand");
  // An object that no linker takes.
  d = compile("for last; do :; done; echo nonsense > \"$last\"");
  CHECK(d.code == 8109);
  CHECK(d.message == "ld 12.2.0 cannot link scale: ");
}

TEST_CASE("many threads compile at once") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  std::vector<Hash> hashes(4);
  std::vector<std::jthread> threads;
  for (Hash& hash : hashes) {
    threads.emplace_back([&hash] {
      const auto made = machine().compile_cpu(request());
      if (made) hash = made->code_hash;
    });
  }
  threads.clear();
  CHECK(hashes[0] != Hash{});
  CHECK(std::ranges::count(hashes, hashes[0]) == 4);
}
