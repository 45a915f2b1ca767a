// SPDX-License-Identifier: Apache-2.0
#include "session/keys.h"

#include <bit>
#include <cstdint>

namespace parhelion::session {

namespace {

void word(std::string& key, std::uint64_t value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::span<const Argument> arguments, std::string& key) {
  for (const Argument& a : arguments) {
    word(key, static_cast<std::uint64_t>(a.kind));
    switch (a.kind) {
      case Argument::Kind::Tensor: {
        const TensorView& t = a.tensor;
        const auto address = reinterpret_cast<std::uintptr_t>(t.data);
        const auto alignment =
            static_cast<std::uint64_t>(std::countr_zero(address | std::uintptr_t{16}));
        word(key, static_cast<std::uint64_t>(t.dtype) | static_cast<std::uint64_t>(t.rank) << 8 |
                      alignment << 16 | (t.read_only ? 1ULL : 0ULL) << 24);
        for (int d = 0; d < t.rank; ++d) {
          word(key, static_cast<std::uint64_t>(t.size(d)));
          word(key, static_cast<std::uint64_t>(t.stride(d)));
        }
        break;
      }
      case Argument::Kind::Scalar:
        word(key, a.is_float ? std::bit_cast<std::uint64_t>(a.number)
                             : static_cast<std::uint64_t>(a.integer));
        word(key, a.is_float ? 1 : 0);
        break;
      case Argument::Kind::Constant:
        word(key, a.constant.size());
        key += a.constant;
        break;
      case Argument::Kind::Callable:
        word(key, reinterpret_cast<std::uintptr_t>(a.callable));
        word(key, a.bound.size());
        append(a.bound, key);
        break;
    }
  }
}

}  // namespace

std::string exact_key(const void* identity, std::span<const Argument> arguments) {
  std::string key;
  key.reserve(64 + 160 * arguments.size());
  word(key, reinterpret_cast<std::uintptr_t>(identity));
  append(arguments, key);
  return key;
}

}  // namespace parhelion::session
