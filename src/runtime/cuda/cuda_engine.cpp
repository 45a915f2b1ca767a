// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cuda_engine.h"

#include "runtime/cuda/cuda_timing.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace parhelion::runtime::cuda {

namespace {

constexpr unsigned char pattern = 0xff;  // a NaN in every float format
constexpr std::size_t zone = 4096;       // on both sides: no page of a GPU faults for us
// A graph of more nodes takes longer to make than the samples that it serves.
constexpr int largest_graph = 512;

class CudaTensor final : public EngineMemory {
 public:
  static Result<std::unique_ptr<EngineMemory>> make(const std::shared_ptr<CudaDevice>& device,
                                                    std::size_t bytes, std::size_t misalign) {
    auto memory = CudaMemory::make(device, bytes + misalign + 2 * zone);
    if (!memory) return std::unexpected(memory.error());
    if (auto ok = memory->set(0, pattern, memory->bytes()); !ok) {
      return std::unexpected(ok.error());
    }
    return std::unique_ptr<EngineMemory>(
        new CudaTensor(std::move(*memory), bytes, zone + misalign));
  }
  void* data() const override { return reinterpret_cast<void*>(memory_.address() + offset_); }
  Result<void> write(std::span<const std::byte> bytes) override {
    return memory_.write(offset_, bytes);
  }
  Result<void> read(std::span<std::byte> bytes) const override {
    return memory_.read(offset_, bytes);
  }
  Result<std::optional<std::string>> damage() const override {
    std::vector<std::byte> side(zone);
    if (auto ok = memory_.read(offset_ + bytes_, side); !ok) return std::unexpected(ok.error());
    const auto hurt = [](std::byte b) { return b != std::byte{pattern}; };
    if (const auto at = std::ranges::find_if(side, hurt); at != side.end()) {
      return fmt::format("byte {} behind the end was written", at - side.begin());
    }
    side.resize(offset_);
    if (auto ok = memory_.read(0, side); !ok) return std::unexpected(ok.error());
    if (const auto at = std::ranges::find_if(side, hurt); at != side.end()) {
      return fmt::format("byte {} before the start was written", side.end() - at);
    }
    return std::nullopt;
  }

 private:
  CudaTensor(CudaMemory memory, std::size_t bytes, std::size_t offset)
      : memory_(std::move(memory)), bytes_(bytes), offset_(offset) {}
  CudaMemory memory_;
  std::size_t bytes_, offset_;
};

class CudaCall final : public EngineCall {
 public:
  CudaCall(CudaPrepared prepared, CudaTimer& timer)
      : prepared_(std::move(prepared)), timer_(timer), graphs_(prepared_) {}
  Result<void> run() override {
    if (auto launched = prepared_.launch(); !launched) return launched;
    return prepared_.device().synchronize();
  }
  Result<double> sample_us(int calls, CacheState state) override {
    if (state == CacheState::Cold) return cold_us(calls);
    const int in_graph = std::min(calls, largest_graph);
    auto graph = graphs_.get(in_graph);
    if (!graph) return std::unexpected(graph.error());
    auto us = timer_.time_graph(*graph);
    if (!us) return us;
    return *us / in_graph;
  }

 private:
  Result<double> cold_us(int calls) {
    double sum = 0;
    for (int i = 0; i < calls; ++i) {
      auto us = timer_.time_cold(prepared_);
      if (!us) return us;
      sum += *us;
    }
    return sum / calls;
  }
  CudaPrepared prepared_;
  CudaTimer& timer_;
  CallGraphs graphs_;
};

class CudaEngineKernel final : public EngineKernel {
 public:
  CudaEngineKernel(CudaKernel kernel, CudaTimer& timer)
      : kernel_(std::move(kernel)), timer_(timer) {}
  Result<std::unique_ptr<EngineCall>> bind(std::span<const TensorView> tensors,
                                           std::span<const ScalarValue> scalars) override {
    auto prepared = CudaPrepared::make(kernel_, tensors, scalars);
    if (!prepared) return std::unexpected(prepared.error());
    return std::make_unique<CudaCall>(std::move(*prepared), timer_);
  }

 private:
  CudaKernel kernel_;
  CudaTimer& timer_;
};

class CudaEngine final : public Engine {
 public:
  CudaEngine(std::shared_ptr<CudaDevice> device, std::unique_ptr<CudaTimer> timer)
      : device_(std::move(device)), timer_(std::move(timer)) {}
  Device device() const override { return {Device::Kind::Cuda, device_->index()}; }
  Target target() const override { return device_->target(); }
  Json environment() const override {
    const CudaTarget& t = device_->target();
    Json object = Json::object()
                      .set("device", name(device()))
                      .set("name", device_->name())
                      .set("architecture", t.architecture)
                      .set("multiprocessors", t.multiprocessors)
                      .set("clock_mhz", t.clock_mhz)
                      .set("driver", device_->driver_version());
    if (t.l2_bytes) object.set("l2_bytes", *t.l2_bytes);
    return object;
  }
  Result<std::unique_ptr<EngineKernel>> load(std::span<const std::byte> image,
                                             const LaunchFacts& facts,
                                             std::string_view name) override {
    auto kernel = CudaKernel::load(device_, image, facts, name);
    if (!kernel) return std::unexpected(kernel.error());
    return std::make_unique<CudaEngineKernel>(std::move(*kernel), *timer_);
  }
  Result<std::unique_ptr<EngineMemory>> allocate(std::size_t bytes, Edge, std::size_t,
                                                 std::size_t misalign) override {
    // The driver aligns to 256 bytes, which is more than any tensor asks.
    return CudaTensor::make(device_, bytes, misalign);
  }
  std::optional<double> clock_mhz() override { return std::nullopt; }  // NVML's business

 private:
  std::shared_ptr<CudaDevice> device_;
  std::unique_ptr<CudaTimer> timer_;
};

}  // namespace

Result<std::unique_ptr<Engine>> make_cuda_engine(int index) {
  auto device = CudaDevice::open(index);
  if (!device) return std::unexpected(device.error());
  auto timer = CudaTimer::make(*device);
  if (!timer) return std::unexpected(timer.error());
  return std::make_unique<CudaEngine>(std::move(*device), std::move(*timer));
}

}  // namespace parhelion::runtime::cuda
