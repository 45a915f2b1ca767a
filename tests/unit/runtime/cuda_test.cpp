// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "support/skip.h"

#include "runtime/cuda/cuda_engine.h"
#include "runtime/cuda/cuda_timing.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace parhelion::runtime::cuda {
namespace {

// y[i] = x[i] * factor; PTX, so that the test needs no compiler.
constexpr std::string_view scale_ptx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 factor) {
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%rd5], %f2;
DONE:
  ret;
}
)";

LaunchFacts scale_facts(std::string entry = "scale") {
  using Kind = LaunchParameter::Kind;
  LaunchFacts facts;
  facts.symbols = {{CallSymbol::Kind::Size, 0, 0}};
  facts.parameters = {
      {.kind = Kind::Pointer, .name = "x", .tensor = 0, .value = SizeProgram::constant(0)},
      {.kind = Kind::Pointer,
       .name = "y",
       .tensor = 1,
       .written = true,
       .value = SizeProgram::constant(0)},
      {.kind = Kind::Integer, .name = "n", .bytes = 4, .value = SizeProgram::symbol(0)},
      {.kind = Kind::Scalar, .name = "factor", .bytes = 4, .value = SizeProgram::constant(0)}};
  facts.phases = {{.entry = std::move(entry),
                   .programs = SizeProgram::parse("s0 128 ceildiv").value(),
                   .threads = 128}};
  return facts;
}

bool has_gpu() { return CudaDevice::open(0).has_value(); }

TEST_CASE("no driver is an ordinary answer") {
  if (has_gpu()) PH_SKIP("this machine has a GPU");
  const auto device = CudaDevice::open(0);
  REQUIRE_FALSE(device.has_value());
  CHECK(device.error()[0].code == 8601);
  CHECK(device.error()[0].help.starts_with("everything but running on a GPU works without"));
  CHECK(make_cuda_engine(0).error()[0].code == 8601);
}

TEST_CASE("a GPU that is not there is refused") {
  if (!has_gpu()) PH_SKIP("no GPU");
  CHECK(CudaDevice::open(999).error()[0].code == 8603);
}

TEST_CASE("a kernel runs on the GPU, in order with copies") {
  if (!has_gpu()) PH_SKIP("no GPU");
  const auto device = CudaDevice::open(0).value();
  MESSAGE(device->name(), " ", device->target().architecture, " ", device->target().multiprocessors,
          " multiprocessors");
  CudaPool pool(device);
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.f);
  const Buffer in = Buffer::copy_of(TensorView(std::span<float>(x)), &pool);
  const Buffer out = Buffer::zeros({1000}, DType::F32, &pool);
  auto kernel =
      CudaKernel::load(device, std::as_bytes(std::span(scale_ptx)), scale_facts(), "scale");
  REQUIRE(kernel.has_value());
  const std::array tensors = {in.view(), out.view()};
  const std::array scalars = {ScalarValue{true, 0.5, 0}};
  auto call = CudaPrepared::make(*kernel, tensors, scalars);
  REQUIRE(call.has_value());
  REQUIRE(call->launch().has_value());
  std::vector<float> y(1000);
  REQUIRE(out.copy_to(TensorView(std::span<float>(y)), &pool).has_value());
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == x[i] * 0.5f);
  CHECK(
      CudaKernel::load(device, std::as_bytes(std::span(scale_ptx)), scale_facts("absent"), "scale")
          .error()[0]
          .code == 8502);
  const std::string text = "no image";
  CHECK(CudaKernel::load(device, std::as_bytes(std::span(text)), {}, "bad").error()[0].code ==
        8602);
}

TEST_CASE("the engine of a GPU checks, times and reports") {
  if (!has_gpu()) PH_SKIP("no GPU");
  auto engine = make_cuda_engine(0).value();
  CHECK(engine->device() == Device{Device::Kind::Cuda, 0});
  const auto make = [&](std::int64_t n) {
    return engine->allocate(static_cast<std::size_t>(n) * 4, Edge::End, 64, 0).value();
  };
  const std::int64_t n = 1 << 20;
  auto x = make(n), y = make(n);
  const std::vector<float> ones(static_cast<std::size_t>(n), 1.f);
  REQUIRE(x->write(std::as_bytes(std::span(ones))).has_value());
  const auto view = [&](const EngineMemory& m, std::int64_t size) {
    return TensorView(m.data(), DType::F32, {size}, engine->device());
  };
  auto kernel = engine->load(std::as_bytes(std::span(scale_ptx)), scale_facts(), "scale").value();
  const std::array scalars = {ScalarValue{true, 2, 2}};
  std::array tensors = {view(*x, n), view(*y, n)};
  auto call = kernel->bind(tensors, scalars).value();
  REQUIRE(call->run().has_value());
  std::vector<float> out(static_cast<std::size_t>(n));
  REQUIRE(y->read(std::as_writable_bytes(std::span(out))).has_value());
  CHECK(out.back() == 2);
  CHECK_FALSE(y->damage().value().has_value());
  const double warm = call->sample_us(200, CacheState::Warm).value();
  const double cold = call->sample_us(3, CacheState::Cold).value();
  MESSAGE("warm ", warm, " us, cold ", cold, " us");
  CHECK(warm > 0.5);
  CHECK(warm < cold * 2);
  // Four elements too many: the zone behind y is written.
  tensors = {view(*x, n), view(*y, n)};
  LaunchFacts wide = scale_facts();
  wide.parameters[1].value = SizeProgram::constant(4);
  auto overrun = engine->load(std::as_bytes(std::span(scale_ptx)), wide, "overrun").value();
  REQUIRE(overrun->bind(tensors, scalars).value()->run().has_value());
  CHECK(y->damage().value() == "byte 0 behind the end was written");
  MESSAGE(engine->environment().dump());
}

}  // namespace
}  // namespace parhelion::runtime::cuda
