// SPDX-License-Identifier: Apache-2.0
#include "toolchain/toolchain.h"

#include "toolchain/nvrtc.h"

namespace parhelion::toolchain {

Toolchain::Toolchain(const fs::path& memo_file, const ToolPlaces& places)
    : memo_(memo_file), tools_(find_tools(memo_, places)) {}

Toolchain::~Toolchain() { memo_.save(); }

Result<std::shared_ptr<const Nvrtc>> Toolchain::nvrtc() const {
  const std::lock_guard lock(mutex_);
  if (nvrtc_) return nvrtc_;
  const Tool* tool = tools_.find(ToolKind::Nvrtc);
  if (tool == nullptr) return missing_tool(ToolKind::Nvrtc, tools_);
  Result<Nvrtc> opened = Nvrtc::open(tool->path);
  if (!opened) return std::unexpected(std::move(opened.error()));
  nvrtc_ = std::make_shared<const Nvrtc>(std::move(*opened));
  return nvrtc_;
}

void Toolchain::load_nvrtc() const {
  const auto library = nvrtc();
  // The first compilation loads the parts that the library opens late. A failure shows when a text
  // needs it.
  if (library) (void)(*library)->compile("", "empty.cu", {}, {});
}

}  // namespace parhelion::toolchain
