// SPDX-License-Identifier: Apache-2.0
// Collects findings while threads run; lines of code places are looked up at the end, all at once.
#pragma once

#include "emulation/launch.h"
#include "emulation/library_image.h"

#include <set>
#include <tuple>

namespace parhelion::emulation {

class Findings {
 public:
  explicit Findings(LibraryImage& image) : image_(image) {}

  /// False if a finding of this kind at these places is there already, or the list is full: then
  /// its message need not be made.
  [[nodiscard]] bool wanted(Kind kind, Place place, Place other = 0) const {
    return found_.size() < most && !known_.contains({kind, place, other});
  }
  void add(Kind kind, Place place, Place other, int block, std::vector<int> threads,
           std::string message);
  [[nodiscard]] bool full() const { return found_.size() >= most; }
  [[nodiscard]] LibraryImage& image() { return image_; }
  [[nodiscard]] std::vector<Finding> finish();

 private:
  // A run that is wrong in so many ways says nothing new by going on.
  static constexpr std::size_t most = 32;
  struct Raw {
    Finding finding;
    Place place, other;
  };
  LibraryImage& image_;
  std::set<std::tuple<Kind, Place, Place>> known_;
  std::vector<Raw> found_;
};

}  // namespace parhelion::emulation
