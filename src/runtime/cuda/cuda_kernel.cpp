// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cuda_kernel.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace parhelion::runtime::cuda {

namespace {

// More dynamic shared memory than this must be asked for by attribute.
constexpr std::int64_t plain_shared_bytes = 48 << 10;
constexpr std::int64_t largest_grid = 0x7fffffff;

}  // namespace

struct CudaKernel::Loaded {
  std::shared_ptr<CudaDevice> device;
  LaunchFacts facts;
  Module module = nullptr;
  std::vector<Function> functions;

  ~Loaded() {
    if (module == nullptr) return;
    (void)device->enter();
    device->driver().module_unload(module);
  }
};

const LaunchFacts& CudaKernel::facts() const { return loaded_->facts; }
Function CudaKernel::function(std::size_t phase) const { return loaded_->functions[phase]; }
CudaDevice& CudaKernel::device() const { return *loaded_->device; }

Result<CudaKernel> CudaKernel::load(std::shared_ptr<CudaDevice> device,
                                    std::span<const std::byte> image, const LaunchFacts& facts,
                                    std::string_view name) {
  if (auto ok = device->enter(); !ok) return std::unexpected(ok.error());
  const Driver& d = device->driver();
  auto loaded = std::make_shared<Loaded>();
  loaded->device = device;
  loaded->facts = facts;
  // PTX must end with a zero byte, which an artifact's bytes need not have.
  std::string bytes(reinterpret_cast<const char*>(image.data()), image.size());
  auto made = d.check(d.module_load(&loaded->module, bytes.c_str()),
                      fmt::format("loading kernel '{}'", name));
  if (!made) return std::unexpected(made.error());
  for (const LaunchPhase& phase : facts.phases) {
    Function function = nullptr;
    if (d.module_function(&function, loaded->module, phase.entry.c_str()) != 0) {
      return fail(8502, fmt::format("kernel '{}' has no entry '{}'", name, phase.entry));
    }
    if (phase.dynamic_shared_bytes > plain_shared_bytes) {
      auto set = d.check(d.function_set(function, function_dynamic_shared_bytes,
                                        static_cast<int>(phase.dynamic_shared_bytes)),
                         fmt::format("giving '{}' {} bytes of shared memory", phase.entry,
                                     phase.dynamic_shared_bytes));
      if (!set) return std::unexpected(set.error());
    }
    loaded->functions.push_back(function);
  }
  CudaKernel kernel;
  kernel.loaded_ = std::move(loaded);
  return kernel;
}

Result<CudaPrepared> CudaPrepared::make(CudaKernel kernel, std::span<const TensorView> tensors,
                                        std::span<const ScalarValue> scalars) {
  auto call = bind_call(kernel.facts(), tensors, scalars);
  if (!call) return std::unexpected(call.error());
  for (const std::int64_t programs : call->programs) {
    if (programs > largest_grid) {
      return fail(8503, fmt::format("{} programs are more than a grid can have", programs));
    }
  }
  CudaPrepared prepared;
  if (call->image.workspace_slot >= 0) {
    auto memory = CudaMemory::make(kernel.loaded_->device,
                                   static_cast<std::size_t>(call->image.workspace_bytes));
    if (!memory) return std::unexpected(memory.error());
    call->image.slots[static_cast<std::size_t>(call->image.workspace_slot)] = memory->address();
    prepared.workspace_ = std::move(*memory);
  }
  prepared.kernel_ = std::move(kernel);
  prepared.call_ = std::move(*call);
  // The slots stay where they are when the call is moved: they are a vector's.
  for (std::uint64_t& slot : prepared.call_.image.slots) prepared.parameters_.push_back(&slot);
  return prepared;
}

Result<void> CudaPrepared::launch(Stream stream) {
  const CudaDevice& device = kernel_.device();
  if (auto ok = device.enter(); !ok) return ok;
  for (std::size_t i = 0; i < call_.programs.size(); ++i) {
    if (call_.programs[i] == 0) continue;
    const LaunchPhase& phase = kernel_.facts().phases[i];
    LaunchConfig config;
    config.grid_x = static_cast<unsigned>(call_.programs[i]);
    config.block_x = static_cast<unsigned>(phase.threads);
    config.shared_bytes = static_cast<unsigned>(phase.dynamic_shared_bytes);
    config.stream = stream;
    auto launched = device.driver().check(
        device.driver().launch(&config, kernel_.function(i), parameters_.data(), nullptr),
        phase.entry);
    if (!launched) return launched;
  }
  return {};
}

}  // namespace parhelion::runtime::cuda
