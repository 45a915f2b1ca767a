// SPDX-License-Identifier: Apache-2.0
// What the emulation reads of the library it runs: size of its shared memory, names of shared
// variables, lines of code offsets.
#pragma once

#include "emulation/device/abi.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace parhelion::emulation {

class LibraryImage {
 public:
  /// `image` is the library in memory, where its ELF header is.
  explicit LibraryImage(const unsigned char* image);

  /// Bytes of the thread-local image: the shared variables and the dynamic array.
  [[nodiscard]] u32 shared_bytes() const { return shared_bytes_; }
  /// "warp_part+8"; the symbols are read from the file at the first call. By reference: a thread
  /// that ends the run is never unwound, so its expressions may not own strings.
  [[nodiscard]] const std::string& shared_name(u32 offset);
  /// Line of the text for each place, 0 where unknown. Asks addr2line, which comes with the linker.
  [[nodiscard]] std::map<Place, int> lines(std::span<const Place> places) const;

 private:
  struct Variable {
    u32 offset, bytes;
    std::string name;
  };
  void read_variables();

  std::string path_;
  u32 shared_bytes_ = 0;
  bool variables_read_ = false;
  std::vector<Variable> variables_;
  std::map<u32, std::string> names_;  // given out
};

}  // namespace parhelion::emulation
