// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cuda_device.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::runtime::cuda {

Result<std::shared_ptr<CudaDevice>> CudaDevice::open(int index) {
  auto driver = Driver::load();
  if (!driver) return std::unexpected(driver.error());
  const Driver& d = **driver;
  int count = 0;
  if (auto ok = d.check(d.device_count(&count), "counting GPUs"); !ok) {
    return std::unexpected(ok.error());
  }
  if (index < 0 || index >= count) {
    return fail(8603, fmt::format("there is no GPU {}, this machine has {}", index, count));
  }
  std::shared_ptr<CudaDevice> device(new CudaDevice);
  device->driver_ = *driver;
  device->index_ = index;
  if (auto ok = device->read_facts(); !ok) return std::unexpected(ok.error());
  if (auto ok = d.check(d.context_retain(&device->context_, device->handle_), "making a context");
      !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = device->enter(); !ok) return std::unexpected(ok.error());
  auto made = d.check(d.stream_create(&device->stream_, stream_non_blocking), "making a stream");
  if (!made) return std::unexpected(made.error());
  return device;
}

CudaDevice::~CudaDevice() {
  if (context_ == nullptr) return;
  (void)enter();
  if (stream_ != nullptr) driver_->stream_destroy(stream_);
  driver_->context_release(handle_);
}

int CudaDevice::attribute(Attribute which) const {
  int value = 0;
  const Status status = driver_->device_attribute(&value, static_cast<int>(which), handle_);
  return status == 0 ? value : 0;
}

Result<void> CudaDevice::read_facts() {
  if (auto ok = driver_->check(driver_->device_get(&handle_, index_), "finding the GPU"); !ok) {
    return ok;
  }
  char text[256] = {};
  if (driver_->device_name(text, sizeof text, handle_) == 0) name_ = text;
  driver_->version(&driver_version_);
  const int major = attribute(Attribute::Major), minor = attribute(Attribute::Minor);
  const auto rows = cuda_targets();
  const auto row = std::ranges::find_if(
      rows, [&](const CudaTarget& t) { return t.major == major && t.minor == minor; });
  if (row != rows.end()) {
    target_ = *row;
  } else {
    target_.architecture = fmt::format("sm_{}{}", major, minor);
    target_.major = major;
    target_.minor = minor;
    target_.tensor_bf16_tflops.reset();
  }
  target_.product = name_;
  const auto take = [&](auto& fact, Attribute which) {
    const int value = attribute(which);
    if (value > 0) fact = value;
  };
  take(target_.multiprocessors, Attribute::Multiprocessors);
  take(target_.l2_bytes, Attribute::L2Bytes);
  take(target_.threads_per_multiprocessor, Attribute::ThreadsPerMultiprocessor);
  take(target_.blocks_per_multiprocessor, Attribute::BlocksPerMultiprocessor);
  take(target_.shared_bytes_per_block, Attribute::SharedPerBlock);
  take(target_.shared_bytes_per_multiprocessor, Attribute::SharedPerMultiprocessor);
  take(target_.registers_per_multiprocessor, Attribute::RegistersPerMultiprocessor);
  if (const int khz = attribute(Attribute::ClockKhz); khz > 0) target_.clock_mhz = khz / 1000;
  const double memory_khz = attribute(Attribute::MemoryClockKhz);
  const double bus_bits = attribute(Attribute::MemoryBusBits);
  // Two transfers a clock; newer drivers report no memory clock, the table's row stands then.
  if (memory_khz > 0 && bus_bits > 0) {
    target_.memory_gb_per_s = 2 * memory_khz * 1e3 * bus_bits / 8 / 1e9;
  }
  target_.source = "the driver, else " + target_.source;
  return {};
}

Result<void> CudaDevice::enter() const {
  return driver_->check(driver_->context_set(context_), "entering the context");
}

Result<void> CudaDevice::synchronize() const {
  if (auto ok = enter(); !ok) return ok;
  return driver_->check(driver_->stream_synchronize(stream_), "waiting for the GPU");
}

}  // namespace parhelion::runtime::cuda
