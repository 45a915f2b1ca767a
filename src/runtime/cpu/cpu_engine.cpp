// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/cpu_engine.h"

#include "runtime/cpu/affinity.h"
#include "runtime/cpu/clock.h"
#include "runtime/cpu/cpu_kernel.h"
#include "runtime/cpu/guarded_memory.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <sys/utsname.h>

#include <chrono>
#include <cstring>

namespace parhelion::runtime::cpu {

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class CpuMemory final : public EngineMemory {
 public:
  explicit CpuMemory(GuardedMemory memory) : memory_(std::move(memory)) {}
  void* data() const override { return memory_.data(); }
  Result<void> write(std::span<const std::byte> bytes) override {
    PH_ASSERT(bytes.size() <= memory_.bytes(), "more bytes than the tensor has");
    if (!bytes.empty()) std::memcpy(memory_.data(), bytes.data(), bytes.size());
    return {};
  }
  Result<void> read(std::span<std::byte> bytes) const override {
    PH_ASSERT(bytes.size() <= memory_.bytes(), "more bytes than the tensor has");
    if (!bytes.empty()) std::memcpy(bytes.data(), memory_.data(), bytes.size());
    return {};
  }
  Result<std::optional<std::string>> damage() const override { return memory_.damage(); }

 private:
  GuardedMemory memory_;
};

class CpuCall final : public EngineCall {
 public:
  CpuCall(Prepared prepared, CacheEvictor& evictor)
      : prepared_(std::move(prepared)), evictor_(evictor) {}
  Result<void> run() override {
    prepared_.launch();
    return {};
  }
  Result<double> sample_us(int calls, CacheState state) override {
    if (state == CacheState::Warm) {
      const auto start = Clock::now();
      for (int i = 0; i < calls; ++i) prepared_.launch();
      return us_since(start) / calls;
    }
    double sum = 0;
    for (int i = 0; i < calls; ++i) {
      evictor_.evict();
      const auto start = Clock::now();
      prepared_.launch();
      sum += us_since(start);
    }
    return sum / calls;
  }

 private:
  Prepared prepared_;
  CacheEvictor& evictor_;
};

class CpuEngineKernel final : public EngineKernel {
 public:
  CpuEngineKernel(CpuKernel kernel, CpuDevice& device, CacheEvictor& evictor)
      : kernel_(std::move(kernel)), device_(device), evictor_(evictor) {}
  Result<std::unique_ptr<EngineCall>> bind(std::span<const TensorView> tensors,
                                           std::span<const ScalarValue> scalars) override {
    auto prepared = Prepared::make(device_, kernel_, tensors, scalars);
    if (!prepared) return std::unexpected(prepared.error());
    return std::make_unique<CpuCall>(std::move(*prepared), evictor_);
  }

 private:
  CpuKernel kernel_;
  CpuDevice& device_;
  CacheEvictor& evictor_;
};

class CpuEngine final : public Engine {
 public:
  explicit CpuEngine(ThreadPool::Options options)
      : host_(host_cpu()),
        pinned_(options.pin && pin_this_thread(usable_cpus().front())),
        device_(options),
        evictor_(static_cast<std::size_t>(host_.l3_bytes)) {}

  Device device() const override { return {}; }
  Target target() const override { return host_; }
  Json environment() const override {
    utsname system{};
    uname(&system);
    return Json::object()
        .set("device", "cpu")
        .set("name", host_.brand)
        .set("level", name(host_.level))
        .set("threads", device_.thread_count())
        .set("pinned", pinned_)
        .set("l1d_bytes", host_.l1d_bytes)
        .set("l2_bytes", host_.l2_bytes)
        .set("l3_bytes", host_.l3_bytes)
        .set("system", fmt::format("{} {}", system.sysname, system.release));
  }
  Result<std::unique_ptr<EngineKernel>> load(std::span<const std::byte> image,
                                             const LaunchFacts& facts,
                                             std::string_view name) override {
    auto kernel = CpuKernel::load(image, facts, name);
    if (!kernel) return std::unexpected(kernel.error());
    return std::make_unique<CpuEngineKernel>(std::move(*kernel), device_, evictor_);
  }
  Result<std::unique_ptr<EngineMemory>> allocate(std::size_t bytes, Edge edge,
                                                 std::size_t alignment,
                                                 std::size_t misalign) override {
    GuardedMemory memory = GuardedMemory::make(bytes, edge, alignment, misalign);
    if (!memory.valid()) {
      return fail(8504, fmt::format("no memory for a guarded tensor of {} bytes", bytes));
    }
    return std::make_unique<CpuMemory>(std::move(memory));
  }
  std::optional<double> clock_mhz() override { return core_clock_mhz(); }

 private:
  CpuTarget host_;
  bool pinned_;
  CpuDevice device_;
  CacheEvictor evictor_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(ThreadPool::Options options) {
  return std::make_unique<CpuEngine>(options);
}

}  // namespace parhelion::runtime::cpu
