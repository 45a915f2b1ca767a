// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cuda_device.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace parhelion::runtime::cuda {

namespace {

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

}  // namespace

Result<CudaMemory> CudaMemory::make(std::shared_ptr<CudaDevice> device, std::size_t bytes) {
  if (auto ok = device->enter(); !ok) return std::unexpected(ok.error());
  CudaMemory memory;
  const Driver& d = device->driver();
  auto made = d.check(d.memory_allocate(&memory.address_, bytes == 0 ? 1 : bytes),
                      fmt::format("allocating {} bytes", bytes));
  if (!made) return std::unexpected(made.error());
  memory.device_ = std::move(device);
  memory.bytes_ = bytes;
  return memory;
}

CudaMemory::CudaMemory(CudaMemory&& other) noexcept { *this = std::move(other); }

CudaMemory& CudaMemory::operator=(CudaMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

CudaMemory::~CudaMemory() {
  if (device_ == nullptr) return;
  (void)device_->enter();
  device_->driver().memory_free(address_);
}

Result<void> CudaMemory::write(std::size_t offset, std::span<const std::byte> bytes) const {
  if (bytes.empty()) return {};
  if (auto ok = device_->synchronize(); !ok) return ok;
  const Driver& d = device_->driver();
  return d.check(d.copy_in(address_ + offset, bytes.data(), bytes.size()), "copying to the GPU");
}

Result<void> CudaMemory::read(std::size_t offset, std::span<std::byte> bytes) const {
  if (bytes.empty()) return {};
  if (auto ok = device_->synchronize(); !ok) return ok;
  const Driver& d = device_->driver();
  return d.check(d.copy_out(bytes.data(), address_ + offset, bytes.size()), "copying from the GPU");
}

Result<void> CudaMemory::set(std::size_t offset, unsigned char value, std::size_t bytes) const {
  if (bytes == 0) return {};
  if (auto ok = device_->enter(); !ok) return ok;
  const Driver& d = device_->driver();
  return d.check(d.set_bytes(address_ + offset, value, bytes, device_->stream()),
                 "filling memory of the GPU");
}

struct CudaPool::State {
  std::shared_ptr<CudaDevice> device;
  std::mutex mutex;
  std::map<std::size_t, std::vector<Block*>> free;
  bool closed = false;
};

class CudaPool::Block final : public Storage {
 public:
  Block(CudaMemory memory, const CudaDevice& owner_device) : memory_(std::move(memory)) {
    data = reinterpret_cast<void*>(memory_.address());
    bytes = memory_.bytes();
    device = {Device::Kind::Cuda, owner_device.index()};
  }
  void release() noexcept override {
    const std::shared_ptr<State> state = std::move(owner);
    {
      const std::scoped_lock lock(state->mutex);
      if (!state->closed) {
        state->free[bytes].push_back(this);
        return;
      }
    }
    delete this;
  }
  std::shared_ptr<State> owner;  // set while out

 private:
  CudaMemory memory_;
};

CudaPool::CudaPool(std::shared_ptr<CudaDevice> device) : state_(std::make_shared<State>()) {
  state_->device = std::move(device);
}

CudaPool::~CudaPool() {
  const std::scoped_lock lock(state_->mutex);
  state_->closed = true;
  for (auto& [bytes, blocks] : state_->free) {
    for (Block* block : blocks) delete block;
  }
  state_->free.clear();
}

Device CudaPool::device() const { return {Device::Kind::Cuda, state_->device->index()}; }

Storage* CudaPool::take(std::size_t bytes) {
  // The driver hands out pieces of 512 bytes; powers of two keep the kinds few.
  const std::size_t wanted = std::bit_ceil(bytes < 512 ? std::size_t{512} : bytes);
  {
    const std::scoped_lock lock(state_->mutex);
    auto& blocks = state_->free[wanted];
    if (!blocks.empty()) {
      Block* block = blocks.back();
      blocks.pop_back();
      block->owner = state_;
      return block;
    }
  }
  auto memory = CudaMemory::make(state_->device, wanted);
  if (!memory) return nullptr;
  auto* block = new Block(std::move(*memory), *state_->device);
  block->owner = state_;
  return block;
}

Result<void> CudaPool::read(void* host, const void* source, std::size_t bytes) {
  if (bytes == 0) return {};
  const CudaDevice& device = *state_->device;
  if (auto ok = device.synchronize(); !ok) return ok;
  return device.driver().check(device.driver().copy_out(host, address_of(source), bytes),
                               "copying from the GPU");
}

Result<void> CudaPool::write(void* destination, const void* host, std::size_t bytes) {
  if (bytes == 0) return {};
  const CudaDevice& device = *state_->device;
  if (auto ok = device.synchronize(); !ok) return ok;
  return device.driver().check(device.driver().copy_in(address_of(destination), host, bytes),
                               "copying to the GPU");
}

Result<void> CudaPool::zero(void* destination, std::size_t bytes) {
  if (bytes == 0) return {};
  const CudaDevice& device = *state_->device;
  if (auto ok = device.enter(); !ok) return ok;
  return device.driver().check(
      device.driver().set_bytes(address_of(destination), 0, bytes, device.stream()),
      "filling memory of the GPU");
}

}  // namespace parhelion::runtime::cuda
