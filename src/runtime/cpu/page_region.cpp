// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/page_region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace parhelion::runtime::cpu {

namespace {
constexpr std::size_t huge_from = std::size_t{4} << 20;
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

PageRegion PageRegion::make(std::size_t bytes) {
  const std::size_t page = page_bytes();
  const std::size_t inner = (bytes + page - 1) / page * page + (bytes == 0 ? page : 0);
  if (inner < bytes) return {};
  void* whole = mmap(nullptr, inner + 2 * page, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) return {};
  PageRegion region;
  region.data_ = static_cast<std::byte*>(whole) + page;
  region.bytes_ = inner;
  if (mprotect(region.data_, inner, PROT_READ | PROT_WRITE) != 0) return {};
  if (inner >= huge_from) madvise(region.data_, inner, MADV_HUGEPAGE);
  return region;
}

PageRegion::PageRegion(PageRegion&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

PageRegion& PageRegion::operator=(PageRegion&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PageRegion::~PageRegion() {
  if (data_ != nullptr) munmap(data_ - page_bytes(), bytes_ + 2 * page_bytes());
}

}  // namespace parhelion::runtime::cpu
