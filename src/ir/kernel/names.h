// SPDX-License-Identifier: Apache-2.0
// Names of values in the textual kernel IR: unique, and independent of the ids.
#pragma once

#include "ir/kernel/module.h"

#include <string>
#include <unordered_map>

namespace parhelion::ir::kernel {

/// `%x`, `%x.1` for the second value called x, `%7` for the eighth value without a name.
class DisplayNames {
 public:
  explicit DisplayNames(const Module& module) : module_(module) {}
  /// Gives the next name; called in the order of the text.
  const std::string& define(ValueId id);
  /// "%?" for a value that was not defined before (a broken module being printed).
  [[nodiscard]] std::string use(ValueId id) const;
  /// Names inside of a function are its own; those of the header stay taken.
  void begin_function() { outside_ = taken_; }
  void end_function() { taken_ = outside_; }

 private:
  const Module& module_;
  std::unordered_map<ValueId, std::string> names_;
  std::unordered_map<std::string, int> taken_, outside_;
};

}  // namespace parhelion::ir::kernel
