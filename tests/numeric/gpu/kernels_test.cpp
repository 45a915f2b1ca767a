// SPDX-License-Identifier: Apache-2.0
// The kernel library on a GPU: compiled for sm_90a, launched through the driver, judged by the
// interpreter. Prints one line a case: time, and the worst error in units of the bound.
#include "driver/pipeline.h"
#include "driver/specialize.h"
#include "interp/interp.h"
#include "library.h"
#include "runtime/cuda/cuda_engine.h"
#include "runtime/elements.h"
#include "session/state.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace ph = parhelion;

namespace {

struct Case {
  std::string kernel;
  ph::Shape shape;
  ph::DType dtype;
  std::string config;
};

struct Made {
  std::unique_ptr<ph::runtime::EngineMemory> memory;
  ph::TensorView view;  // of the device
};

void check(ph::runtime::Engine& engine, const ph::toolchain::Toolchain& tools, const Case& c) {
  std::string label = c.kernel + " " + std::string(ph::name(c.dtype));
  for (const auto& [key, value] : c.shape) label += " " + key + "=" + std::to_string(value);
  INFO(label);
  const ph::ProgramKernel* kernel = ph::kernels::find(c.kernel);
  REQUIRE(kernel != nullptr);
  std::vector<ph::Buffer> host;
  std::vector<ph::TensorView> views;
  for (const ph::ArgumentSpec& spec : kernel->arguments(c.shape, c.dtype)) {
    host.push_back(ph::Buffer::empty(spec.sizes, spec.dtype));
    ph::runtime::fill(host.back().view(), ph::runtime::Distribution::Normal, 7, host.size());
    views.push_back(host.back().view());
  }
  const std::vector<ph::Argument> arguments = kernel->call(views);
  const auto function = ph::session::source_of(kernel->kernel).trace(arguments);
  REQUIRE(function.has_value());
  std::vector<ph::ir::CallTensor> call;
  for (const ph::TensorView& v : views) call.push_back(ph::ir::call_tensor(v));
  const auto state = ph::ir::evaluate_host(*function, call, {});
  REQUIRE(state.has_value());
  ph::ir::Specialization s = ph::driver::specialize(*function, *state, views);
  for (const ph::ir::Axis& axis : function->axes) {
    if (axis.kind != ph::ir::AxisKind::Extent) continue;
    if (const auto symbol = function->sizes.symbol_index(axis.extent))
      s.symbol_static[*symbol] = true;
  }
  const auto target = ph::parse_target("sm_90a");
  REQUIRE(target.has_value());
  const auto compiled = ph::driver::compile(
      {*function, s, *target, *ph::Config::parse(c.config), {}, ph::Numerics::Bounded}, tools,
      nullptr);
  REQUIRE_MESSAGE(compiled.has_value(), (compiled ? "" : ph::render_text(compiled.error())));

  std::vector<Made> made;
  std::vector<ph::TensorView> device;
  for (std::size_t i = 0; i < function->tensors.size(); ++i) {
    const auto& layout = state->tensors[i];
    const ph::DType dtype = function->tensors[i].dtype;
    const auto bytes = static_cast<std::size_t>(layout.span() * ph::size_bytes(dtype));
    auto memory = engine.allocate(bytes, ph::runtime::Edge::End, 256, 0);
    REQUIRE(memory.has_value());
    if (i < host.size()) {
      const auto* data = static_cast<const std::byte*>(host[i].data());
      REQUIRE((*memory)->write({data, bytes}).has_value());
    }
    device.emplace_back((*memory)->data(), dtype, layout.sizes, layout.strides,
                        ph::Device{ph::Device::Kind::Cuda, 0});
    made.push_back({std::move(*memory), device.back()});
  }
  const ph::artifact::Artifact& a = compiled->artifact;
  auto loaded = engine.load(a.bytes, a.launch, a.kernel);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : ph::render_text(loaded.error())));
  auto bound = (*loaded)->bind(device, {});
  REQUIRE_MESSAGE(bound.has_value(), (bound ? "" : ph::render_text(bound.error())));
  const auto ran = (*bound)->run();
  REQUIRE_MESSAGE(ran.has_value(), (ran ? "" : ph::render_text(ran.error())));

  ph::interp::Inputs inputs;
  inputs.tensors = views;
  ph::interp::Options options;
  options.runs = 1;
  options.sample = 16;
  options.dot.kind = c.dtype == ph::f32 ? ph::interp::Accumulation::Kind::Chain
                                        : ph::interp::Accumulation::Kind::Mma;
  const auto expected = ph::interp::run(*function, inputs, options);
  REQUIRE(expected.has_value());
  double worst = 0;
  for (std::size_t i = 0; i < function->returns.size(); ++i) {
    const std::size_t id = function->returns[i].index();
    ph::Buffer out = ph::Buffer::empty(state->tensors[id].sizes, function->tensors[id].dtype);
    auto* data = static_cast<std::byte*>(out.data());
    const auto bytes =
        static_cast<std::size_t>(out.elements() * ph::size_bytes(function->tensors[id].dtype));
    REQUIRE(made[id].memory->read({data, bytes}).has_value());
    const auto damage = made[id].memory->damage();
    REQUIRE(damage.has_value());
    CHECK_MESSAGE(!damage->has_value(), damage->value_or(""));
    const auto compared = ph::interp::compare(expected->outputs[i], out.view());
    CHECK_MESSAGE(compared.ok(), compared.text());
    worst = std::max(worst, compared.worst_ratio);
  }
  std::vector<double> samples;
  for (int i = 0; i < 21; ++i) {
    const auto us = (*bound)->sample_us(20, ph::runtime::CacheState::Warm);
    if (us) samples.push_back(*us);
  }
  std::ranges::sort(samples);
  if (samples.empty()) return;
  std::printf("%-60s median %9.2f us [%9.2f %9.2f] n=%zu warm  worst/bound %.3f  registers %lld\n",
              label.c_str(), samples[samples.size() / 2], samples[samples.size() / 4],
              samples[samples.size() * 3 / 4], samples.size(), worst,
              static_cast<long long>(a.facts.registers.value_or(0)));
}

}  // namespace

TEST_CASE("vector_add, softmax and matmul on the GPU") {
  auto engine = ph::runtime::cuda::make_cuda_engine(0);
  if (!engine) PH_SKIP("no GPU with a CUDA driver on this machine");
  const ph::toolchain::Toolchain tools(ph::fs::path{});
  const std::vector<Case> cases = {
      {"vector_add", {{"N", 4194304}}, ph::f32, ""},
      {"vector_add", {{"N", 1000003}}, ph::f32, ""},
      {"vector_add", {{"N", 1}}, ph::bf16, ""},
      {"softmax", {{"M", 2048}, {"N", 3584}}, ph::f16, ""},
      {"softmax", {{"M", 4096}, {"N", 4096}}, ph::bf16, ""},
      {"softmax", {{"M", 37}, {"N", 1001}}, ph::f32, ""},
      {"softmax", {{"M", 5}, {"N", 7}}, ph::bf16, ""},
      {"matmul", {{"M", 1024}, {"N", 1024}, {"K", 1024}}, ph::f32, ""},
      {"matmul", {{"M", 64}, {"N", 6144}, {"K", 4096}}, ph::bf16, ""},
      {"matmul", {{"M", 4096}, {"N", 4096}, {"K", 4096}}, ph::bf16, ""},
      {"matmul", {{"M", 127}, {"N", 65}, {"K", 33}}, ph::f16, ""},
      {"matmul_bias_gelu", {{"M", 200}, {"N", 136}, {"K", 72}}, ph::bf16, ""},
  };
  for (const Case& c : cases) check(**engine, tools, c);
}
