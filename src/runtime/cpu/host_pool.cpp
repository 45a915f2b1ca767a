// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/host_pool.h"

#include "runtime/cpu/page_region.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace parhelion::runtime::cpu {

namespace {

/// Sizes of a kind: four steps between powers of two, so that at most a fifth is wasted.
std::size_t size_class(std::size_t bytes) {
  const std::size_t page = page_bytes();
  if (bytes <= page) return page;
  const std::size_t step = std::max(page, std::bit_floor(bytes - 1) / 4);
  return (bytes + step - 1) / step * step;
}

}  // namespace

struct HostPool::State {
  std::mutex mutex;
  std::map<std::size_t, std::vector<Block*>> free;
  std::size_t kept = 0, keep = 0;
  bool closed = false;  // the pool is gone: blocks that come back are freed
};

class HostPool::Block final : public Storage {
 public:
  explicit Block(PageRegion region) : region_(std::move(region)) {
    data = region_.data();
    bytes = region_.bytes();
  }
  void release() noexcept override {
    const std::shared_ptr<State> state = std::move(owner);
    {
      const std::scoped_lock lock(state->mutex);
      if (!state->closed && state->kept + bytes <= state->keep) {
        state->free[bytes].push_back(this);
        state->kept += bytes;
        return;
      }
    }
    delete this;
  }
  std::shared_ptr<State> owner;  // set while out

 private:
  PageRegion region_;
};

HostPool::HostPool(std::size_t keep_bytes) : state_(std::make_shared<State>()) {
  state_->keep = keep_bytes;
}

HostPool::~HostPool() {
  const std::scoped_lock lock(state_->mutex);
  state_->closed = true;
  for (auto& [bytes, blocks] : state_->free) {
    for (Block* block : blocks) delete block;
  }
  state_->free.clear();
}

Storage* HostPool::take(std::size_t bytes) {
  const std::size_t wanted = size_class(bytes);
  if (wanted < bytes) return nullptr;
  {
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->free.find(wanted);
    if (found != state_->free.end() && !found->second.empty()) {
      Block* block = found->second.back();
      found->second.pop_back();
      state_->kept -= block->bytes;
      block->owner = state_;
      return block;
    }
  }
  PageRegion region = PageRegion::make(wanted);
  if (!region.valid()) return nullptr;
  auto* block = new Block(std::move(region));
  block->owner = state_;
  return block;
}

Result<void> HostPool::read(void* host, const void* source, std::size_t bytes) {
  if (bytes > 0) std::memcpy(host, source, bytes);
  return {};
}

Result<void> HostPool::write(void* destination, const void* host, std::size_t bytes) {
  if (bytes > 0) std::memcpy(destination, host, bytes);
  return {};
}

Result<void> HostPool::zero(void* destination, std::size_t bytes) {
  if (bytes > 0) std::memset(destination, 0, bytes);
  return {};
}

std::size_t HostPool::kept_bytes() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->kept;
}

}  // namespace parhelion::runtime::cpu
