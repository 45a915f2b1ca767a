// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "artifact/cache.h"
#include "artifact/code.h"
#include "support/skip.h"

#include <doctest/doctest.h>

using namespace parhelion;
using namespace parhelion::toolchain;
using toolchain_test::has;
using toolchain_test::machine;

namespace {

constexpr const char* text =
    "#include \"prelude.cuh\"\n"
    "extern \"C\" __global__ void __launch_bounds__(128) scale(float* x, int n) {\n"
    "  __shared__ float part[256];\n"
    "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
    "  part[threadIdx.x] = x[i];\n"
    "  __syncthreads();\n"
    "  if (i < n) x[i] = twice(part[threadIdx.x ^ 1]) + 1.0f;\n"
    "}\n";

CudaRequest request(const char* controls = "none") {
  CudaRequest r;
  r.kernel = "scale";
  r.text = text;
  r.headers = {{"prelude.cuh", "__device__ inline float twice(float x) { return x * 2.0f; }\n"}};
  r.controls = *Controls::parse(controls);
  return r;
}

Diagnostic failure(const Result<artifact::Artifact>& result) {
  REQUIRE_FALSE(result);
  return result.error().front();
}

/// A toolchain that has no NVRTC.
const Toolchain& by_nvcc() {
  static const Toolchain toolchain({}, [] {
    ToolPlaces places = ToolPlaces::standard();
    places.libraries.clear();
    return places;
  }());
  return toolchain;
}

bool ends_in_mul_add(const artifact::Artifact& ptx) {
  return artifact::as_text(ptx.bytes).contains("add.rn.f32") ||
         artifact::as_text(ptx.bytes).contains("add.f32");
}

void check_ptx(const Toolchain& toolchain) {
  const auto ptx = toolchain.compile_ptx(request());
  REQUIRE_MESSAGE(ptx, render_text(ptx.error()));
  CHECK(ptx->kind == artifact::Kind::Ptx);
  CHECK(ptx->arch == "sm_90a");
  CHECK(artifact::as_text(ptx->bytes).contains(".target sm_90a"));
  CHECK(artifact::as_text(ptx->bytes).contains(".entry scale"));
  CHECK(ends_in_mul_add(*ptx));  // two roundings stay two
  CHECK(ptx->steps.size() == 1);
  const auto fused = toolchain.compile_ptx(request("nvrtc fmad=on"));
  REQUIRE(fused);
  CHECK(artifact::as_text(fused->bytes).contains("fma.rn.f32"));
  CHECK(fused->code_hash != ptx->code_hash);
}

void check_refused(const Toolchain& toolchain) {
  CudaRequest r = request();
  r.text = "#include \"prelude.cuh\"\nextern \"C\" __global__ void scale(float*) {\n  y = 1;\n}\n";
  r.lines.entries = {{3, "user.cpp", 21, 4}};
  const Diagnostic d = failure(toolchain.compile_ptx(r));
  CHECK(d.code == 8101);
  CHECK(d.message.contains("refuses the text of scale: line 3 of the text: identifier \"y\""));
  CHECK(d.where == Place{"user.cpp", 21, 4});
  CHECK(d.notes.front().message == "in the text: y = 1;");
}

}  // namespace

TEST_CASE("CUDA text to PTX by NVRTC") {
  if (!has(ToolKind::Nvrtc)) PH_SKIP("no NVRTC on this machine");
  machine().load_nvrtc();
  check_ptx(machine());
  check_refused(machine());
}

TEST_CASE("CUDA text to PTX by nvcc, where there is no NVRTC") {
  if (!has(ToolKind::Nvcc)) PH_SKIP("no nvcc on this machine");
  CHECK(by_nvcc().tools().find(ToolKind::Nvrtc) == nullptr);
  check_ptx(by_nvcc());
  check_refused(by_nvcc());
}

TEST_CASE("one PTX under many controls; registers, shared memory and spills are read") {
  if (!has(ToolKind::Nvrtc) || !has(ToolKind::Ptxas)) PH_SKIP("no NVRTC or no ptxas here");
  const auto ptx = machine().compile_ptx(request());
  REQUIRE(ptx);
  const auto usual = machine().assemble(*ptx, {});
  REQUIRE_MESSAGE(usual, render_text(usual.error()));
  CHECK(usual->kind == artifact::Kind::Cubin);
  CHECK(usual->text == text);
  CHECK(usual->steps.size() == 2);
  CHECK(usual->facts.registers.value() > 0);
  CHECK(usual->facts.shared_bytes == 1024);
  CHECK(usual->facts.spill_store_bytes == 0);
  CHECK(usual->facts.code_bytes.value() > 0);
  CHECK(machine().assemble(*ptx, {})->code_hash == usual->code_hash);

  const auto canary = machine().assemble(*ptx, *Controls::parse("ptxas opt-level=0"));
  REQUIRE(canary);
  CHECK(canary->code_hash != usual->code_hash);
  const auto no_op = machine().assemble(*ptx, *Controls::parse("ptxas return-at-end=on"));
  REQUIRE(no_op);
  CHECK(no_op->steps.back().command.contains("--return-at-end"));

  const auto key = [&](const char* controls) {
    return artifact::CacheKey::of(*machine().cubin_origin(*ptx, *Controls::parse(controls))).hash;
  };
  CHECK(key("none") == key("ptxas opt-level=3 g++ opt-level=1"));
  CHECK(key("none") != key("ptxas opt-level=1"));
}

TEST_CASE("the registers of the log are those of the cubin") {
  if (!has(ToolKind::Nvrtc) || !has(ToolKind::Ptxas)) PH_SKIP("no NVRTC or no ptxas here");
  const auto cubin = machine().assemble(*machine().compile_ptx(request()), {});
  REQUIRE(cubin);
  artifact::Artifact bare;  // without what the log told
  bare.kind = artifact::Kind::Cubin;
  bare.bytes = cubin->bytes;
  REQUIRE(artifact::read_code(bare));
  CHECK(bare.facts.registers == cubin->facts.registers);
  CHECK(bare.facts.stack_bytes == cubin->facts.stack_bytes);
  CHECK(bare.code_hash == cubin->code_hash);
}

TEST_CASE("PTX that ptxas refuses: PH8101 with its line") {
  if (!has(ToolKind::Ptxas)) PH_SKIP("no ptxas on this machine");
  artifact::Artifact ptx;
  ptx.kind = artifact::Kind::Ptx;
  ptx.kernel = "scale";
  ptx.arch = "sm_90a";
  ptx.bytes = artifact::as_bytes(".version 8.0\n.target sm_90a\nbad instruction\n");
  const Diagnostic d = failure(machine().assemble(ptx, {}));
  CHECK(d.code == 8101);
  CHECK(d.message.contains("refuses the text of scale: line 3 of the text: "));
  CHECK(d.notes.front().message == "in the text: bad instruction");
}

TEST_CASE("a control file needs an assembler that takes one: PH8110") {
  if (!has(ToolKind::Ptxas)) PH_SKIP("no ptxas on this machine");
  artifact::Artifact ptx;
  ptx.kind = artifact::Kind::Ptx;
  ptx.arch = "sm_90a";
  Controls controls;
  controls.payload = {"missing.acf", "00"};
  const Diagnostic d = failure(machine().assemble(ptx, controls));
  CHECK(d.code == 8110);
  const Tool* newer = machine().tools().find(ToolKind::Ptxas, ">=13.3");
  CHECK(d.message.contains(newer != nullptr ? "cannot be read" : "takes no control files"));
}

TEST_CASE("an old or unknown ptxas that is asked for: PH8103") {
  if (!has(ToolKind::Ptxas)) PH_SKIP("no ptxas on this machine");
  artifact::Artifact ptx;
  ptx.kind = artifact::Kind::Ptx;
  ptx.arch = "sm_90a";
  const Diagnostic d = failure(machine().assemble(ptx, *Controls::parse("ptxas version=99.1")));
  CHECK(d.code == 8103);
  CHECK(d.message.starts_with("no ptxas 99.1: version "));
}
