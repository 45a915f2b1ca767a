// SPDX-License-Identifier: Apache-2.0
// Text and controls -> Artifact, with the tools of this machine. All calls may come from several
// threads at once.
//
// Each kind of artifact has an `..._origin`: what the result depends on, as JSON, for CacheKey::of.
// It is cheap (no tool is started), and refuses what the compilation would refuse.
#pragma once

#include "artifact/artifact.h"
#include "base/json.h"
#include "toolchain/memo.h"
#include "toolchain/options.h"
#include "toolchain/request.h"
#include "toolchain/tools.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::toolchain {

class Nvrtc;

class Toolchain {
 public:
  /// `memo_file` keeps what the tools said (ToolMemo); `places` are where they are looked for.
  explicit Toolchain(const fs::path& memo_file = cache_directory() / "tools.json",
                     const ToolPlaces& places = ToolPlaces::standard());
  ~Toolchain();
  Toolchain(const Toolchain&) = delete;
  Toolchain& operator=(const Toolchain&) = delete;

  [[nodiscard]] const Tools& tools() const { return tools_; }
  /// After which a tool is killed, and the candidate has failed (PH8102).
  void set_time_limit(std::chrono::milliseconds limit) { time_limit_ = limit; }

  [[nodiscard]] Result<Json> cpu_origin(const CpuRequest& request) const;
  [[nodiscard]] Result<artifact::Artifact> compile_cpu(const CpuRequest& request) const;

  /// CUDA C++ -> PTX by NVRTC, in process; by nvcc where there is no NVRTC.
  [[nodiscard]] Result<Json> ptx_origin(const CudaRequest& request) const;
  [[nodiscard]] Result<artifact::Artifact> compile_ptx(const CudaRequest& request) const;
  /// Loads NVRTC (0.25 s), so that the first text does not wait for it.
  void load_nvrtc() const;

  /// PTX -> cubin by ptxas: one PTX is assembled under many controls.
  [[nodiscard]] Result<Json> cubin_origin(const artifact::Artifact& ptx,
                                          const Controls& controls) const;
  [[nodiscard]] Result<artifact::Artifact> assemble(const artifact::Artifact& ptx,
                                                    const Controls& controls) const;

  /// By g++ and the linker; objects of units seen before are used again.
  [[nodiscard]] Result<Json> recipe_origin(const RecipeRequest& request) const;
  [[nodiscard]] Result<artifact::Artifact> compile_recipe(const RecipeRequest& request) const;

  /// Whether the installed tool takes a setting; asked once per version of the tool.
  [[nodiscard]] Result<bool> accepts(const Option& option, std::string_view value) const;

 private:
  [[nodiscard]] Result<std::shared_ptr<const Nvrtc>> nvrtc() const;
  [[nodiscard]] Result<std::string> recipe_object(const RecipeUnit& unit, const Tool& compiler,
                                                  const RecipeRequest& request,
                                                  artifact::BuildStep& step) const;

  mutable ToolMemo memo_;
  Tools tools_;
  std::chrono::milliseconds time_limit_ = std::chrono::seconds(60);
  mutable std::mutex mutex_;  // over nvrtc_ and objects_
  mutable std::shared_ptr<const Nvrtc> nvrtc_;
  mutable std::map<Hash, std::string> objects_;  // of recipe units, by text and flags
};

/// Whether controls are meant for this architecture and for an installed version of their tool:
/// PH8108 with what differs.
[[nodiscard]] Result<void> check_target(const Controls& controls, std::string_view arch,
                                        const Tools& tools);

}  // namespace parhelion::toolchain
