// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/cpu_kernel.h"

#include "base/diag.h"
#include "base/dynamic_library.h"
#include "base/files.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace parhelion::runtime::cpu {

namespace {

// Work below this stays on the caller: handing it out costs about 1 us with spinning workers and 50
// with sleeping ones (cpu_backend.md 1.6).
constexpr double serial_below_us = 20;
// Two launches are spread over the threads. If one of them had so little work that the caller alone
// may be as fast (guess: page faults included), four are tried so.
constexpr double maybe_serial_below_us = 200;
constexpr int spread_probes = 2, all_probes = 6;

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Every worker's scratch and the workspace start on their own cache lines.
std::size_t rounded(std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 63) & ~63ul; }

/// A file in memory that has no name elsewhere. Open while loaded: the path names it by its number,
/// and the C library takes two files of one path for one.
class MemoryFile {
 public:
  MemoryFile(std::span<const std::byte> content, std::string_view name)
      : descriptor_(memfd_create(std::string(name).c_str(), MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !content.empty()) {
      const ssize_t done = write(descriptor_, content.data(), content.size());
      if (done <= 0) {
        close(std::exchange(descriptor_, -1));
        return;
      }
      content = content.subspan(static_cast<std::size_t>(done));
    }
  }
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

struct CpuKernel::Loaded {
  MemoryFile file;
  DynamicLibrary library;
  LaunchFacts facts;
  std::vector<Entry> entries;
};

const LaunchFacts& CpuKernel::facts() const { return loaded_->facts; }
std::span<const Entry> CpuKernel::entries() const { return loaded_->entries; }

Result<CpuKernel> CpuKernel::load(std::span<const std::byte> shared_object,
                                  const LaunchFacts& facts, std::string_view name) {
  MemoryFile file(shared_object, name);
  if (!file.valid()) {
    return fail(8501,
                fmt::format("kernel '{}': no memory file of {} bytes can be made", name,
                            shared_object.size()),
                {}, "raise the limit of open files (ulimit -n): each loaded kernel holds one");
  }
  auto library = DynamicLibrary::open(file.path());
  if (!library) {
    Diagnostics errors = {diag(8501, fmt::format("kernel '{}' cannot be loaded", name))};
    std::ranges::move(library.error(), std::back_inserter(errors));
    return std::unexpected(std::move(errors));
  }
  std::vector<Entry> entries;
  for (const LaunchPhase& phase : facts.phases) {
    void* symbol = library->symbol(phase.entry.c_str());
    if (symbol == nullptr) {
      return fail(8502, fmt::format("kernel '{}' has no entry '{}'", name, phase.entry));
    }
    entries.push_back(reinterpret_cast<Entry>(symbol));
  }
  CpuKernel kernel;
  kernel.loaded_ = std::make_shared<const Loaded>(
      Loaded{std::move(file), std::move(*library), facts, std::move(entries)});
  return kernel;
}

Result<Prepared> Prepared::make(CpuDevice& device, CpuKernel kernel,
                                std::span<const TensorView> tensors,
                                std::span<const ScalarValue> scalars) {
  auto call = bind_call(kernel.facts(), tensors, scalars);
  if (!call) return std::unexpected(call.error());
  Prepared prepared;
  prepared.device_ = &device;
  prepared.kernel_ = std::move(kernel);
  prepared.call_ = std::move(*call);
  prepared.patched_ = prepared.call_.image.slots;
  const ParameterImage& image = prepared.call_.image;
  const auto workers = static_cast<std::size_t>(device.threads().threads());
  const std::size_t bytes = rounded(image.workspace_bytes) + rounded(image.scratch_bytes) * workers;
  if (bytes > 0 && !device.reserve(bytes)) {
    return fail(8504, fmt::format("no memory for a workspace of {} bytes", bytes));
  }
  return prepared;
}

void Prepared::run_phase(std::size_t phase, const void* arguments) {
  const std::int64_t programs = call_.programs[phase];
  const Entry entry = kernel_.entries()[phase];
  if (serial_) {
    if (programs > 0) entry(arguments, 0, programs, 0);
    return;
  }
  struct Context {
    Entry entry;
    const void* arguments;
    double* caller_us;  // null unless probing
  };
  const Context context{entry, arguments, probes_ < all_probes ? &caller_us_ : nullptr};
  const auto body = [](const void* c, std::int64_t first, std::int64_t last, int worker) {
    const auto* at = static_cast<const Context*>(c);
    if (worker != 0 || at->caller_us == nullptr) {
      at->entry(at->arguments, first, last, worker);
      return;
    }
    const auto start = Clock::now();
    at->entry(at->arguments, first, last, worker);
    *at->caller_us += us_since(start);
  };
  device_->threads().run(body, &context, programs, kernel_.facts().phases[phase].chunk);
}

void Prepared::learn(double wall_us) {
  // First launches are slowed by page faults and neighbours, never sped up: the fastest counts.
  double& fastest = serial_ ? fastest_serial_us_ : fastest_spread_us_;
  fastest = fastest == 0 ? wall_us : std::min(fastest, wall_us);
  if (!serial_) {
    // The caller's own part tells the work even where another thread was slow to wake.
    const double work_us = caller_us_ * device_->threads().threads();
    least_work_us_ = probes_ == 0 ? work_us : std::min(least_work_us_, work_us);
    caller_us_ = 0;
  }
  ++probes_;
  if (probes_ == spread_probes) {
    serial_ = least_work_us_ < maybe_serial_below_us;
    if (!serial_) probes_ = all_probes;
  } else if (probes_ == all_probes) {
    serial_ = fastest_serial_us_ < serial_below_us || fastest_serial_us_ <= fastest_spread_us_;
  }
}

void Prepared::run_phases(const void* arguments) {
  const std::size_t phases = call_.programs.size();
  if (probes_ == all_probes) {
    for (std::size_t i = 0; i < phases; ++i) run_phase(i, arguments);
    return;
  }
  const auto start = Clock::now();
  for (std::size_t i = 0; i < phases; ++i) run_phase(i, arguments);
  learn(us_since(start));
}

void Prepared::place_workspace() {
  const ParameterImage& image = call_.image;
  auto base = reinterpret_cast<std::uint64_t>(device_->workspace());
  if (image.workspace_slot >= 0) patched_[static_cast<std::size_t>(image.workspace_slot)] = base;
  base += rounded(image.workspace_bytes);
  if (image.scratch_slot >= 0) patched_[static_cast<std::size_t>(image.scratch_slot)] = base;
}

void Prepared::launch() {
  const std::scoped_lock lock(device_->launching());
  const ParameterImage& image = call_.image;
  if (image.workspace_slot < 0 && image.scratch_slot < 0) {
    run_phases(image.slots.data());
    return;
  }
  std::ranges::copy(image.slots, patched_.begin());
  place_workspace();
  run_phases(patched_.data());
}

void Prepared::launch(std::span<void* const> data) {
  const std::scoped_lock lock(device_->launching());
  call_.image.patch(patched_.data(), data);
  place_workspace();
  run_phases(patched_.data());
}

}  // namespace parhelion::runtime::cpu
