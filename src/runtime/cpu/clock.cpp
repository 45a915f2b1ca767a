// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/clock.h"

#include <algorithm>
#include <chrono>

namespace parhelion::runtime::cpu {

double core_clock_mhz() {
  constexpr int pieces = 8, additions = 1 << 20;
  double fastest_us = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    unsigned long value = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < additions / 8; ++i) {
      // Each addition waits for the one before; the loop's own counting runs beside them.
      __asm__ volatile(
          "add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\t"
          "add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0"
          : "+r"(value)
          :
          : "cc");
    }
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    fastest_us = piece == 0 ? took.count() : std::min(fastest_us, took.count());
  }
  return additions / fastest_us;
}

void CacheEvictor::evict() {
  // Written, not only read: lines that others hold modified leave too.
  for (std::size_t i = 0; i < words_.size(); i += 8) words_[i] += 1;
  __asm__ volatile("" : : "r"(words_.data()) : "memory");
}

}  // namespace parhelion::runtime::cpu
