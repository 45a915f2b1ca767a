// SPDX-License-Identifier: Apache-2.0
// Anonymous pages between two pages that nobody may touch.
#pragma once

#include <cstddef>

namespace parhelion::runtime::cpu {

[[nodiscard]] std::size_t page_bytes();

class PageRegion {
 public:
  PageRegion() = default;
  /// Zeroed pages for at least `bytes` (at least one page); empty when memory is exhausted. Regions
  /// of 4 MiB and more ask for huge pages: copies run at 33 instead of 26 GB/s
  /// (cpu_backend.md 1.6).
  [[nodiscard]] static PageRegion make(std::size_t bytes);
  PageRegion(PageRegion&& other) noexcept;
  PageRegion& operator=(PageRegion&& other) noexcept;
  ~PageRegion();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // a multiple of the page
  [[nodiscard]] bool valid() const { return data_ != nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace parhelion::runtime::cpu
