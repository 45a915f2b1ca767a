// SPDX-License-Identifier: Apache-2.0
// Names of values in the textual kernel IR: unique, and independent of the ids.
#pragma once

#include "ir/kernel/module.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace parhelion::ir::kernel {

/// `%x`, `%x.1` for the second value called x, `%7` for the eighth value without a name.
class DisplayNames {
 public:
  explicit DisplayNames(const Module& module) : module_(module) {}
  /// Gives the next name; called in the order of the text.
  const std::string& define(ValueId id);
  /// "%?" for a value that was not defined before (a broken module being printed).
  [[nodiscard]] std::string use(ValueId id) const;
  /// Names inside of a region are its own; those around it stay taken.
  void open() { outside_.push_back(taken_); }
  void close() {
    taken_ = std::move(outside_.back());
    outside_.pop_back();
  }

 private:
  const Module& module_;
  std::unordered_map<ValueId, std::string> names_;
  std::unordered_map<std::string, int> taken_;
  std::vector<std::unordered_map<std::string, int>> outside_;
};

}  // namespace parhelion::ir::kernel
