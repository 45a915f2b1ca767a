// SPDX-License-Identifier: Apache-2.0
#include "toolchain/tools.h"

#include "toolchain/version.h"

#include "base/diag.h"
#include "base/subprocess.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <future>
#include <optional>
#include <unistd.h>

namespace parhelion::toolchain {

namespace {

constexpr std::array<ToolRow, tool_kind_count> rows = {{
    {ToolKind::Gxx, "g++", "12",
     "compiling kernels for the CPU, and running CUDA texts without a GPU", "apt install g++"},
    {ToolKind::Clang, "clang++", "19", "a second compiler for CPU kernels: one more thing to tune",
     "apt install clang-19"},
    {ToolKind::Linker, "ld", "1", "linking CPU kernels", "apt install binutils"},
    {ToolKind::Nvrtc, "nvrtc", "12.0", "compiling CUDA texts in process, faster than by nvcc",
     "install the CUDA toolkit, or pip install nvidia-cuda-nvrtc"},
    {ToolKind::Nvcc, "nvcc", "12.0", "compiling CUDA texts where there is no NVRTC",
     "install the CUDA toolkit"},
    {ToolKind::Ptxas, "ptxas", "12.0",
     "machine code for GPUs, with its registers and spills, and the settings of the assembler",
     "install the CUDA toolkit, or pip install nvidia-cuda-nvcc"},
}};

struct Candidate {
  fs::path path;
  Hash stamp;  // of the file behind all links
};

/// The file itself decides, not its name: two names of one file are one tool.
std::optional<Candidate> candidate(const fs::path& path) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error || !fs::is_regular_file(file, error)) return std::nullopt;
  // A compiler cache in front of a compiler answers for another file, and only costs time here.
  if (file.filename() == "ccache") return std::nullopt;
  const auto size = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  Hasher hasher;
  hasher.add(file.string()).add(static_cast<std::uint64_t>(size));
  hasher.add(static_cast<std::uint64_t>(time));
  return Candidate{path, hasher.finish()};
}

void add_candidate(const fs::path& path, std::vector<Candidate>& list) {
  const auto found = candidate(path);
  if (!found) return;
  if (std::ranges::find(list, found->stamp, &Candidate::stamp) == list.end()) {
    list.push_back(*found);
  }
}

std::vector<Candidate> programs(const ToolPlaces& places, const std::vector<std::string>& names) {
  std::vector<Candidate> list;
  for (const std::string& name : names) {
    for (const fs::path& folder : places.programs) {
      const fs::path path = folder / name;
      if (::access(path.c_str(), X_OK) == 0) add_candidate(path, list);
    }
  }
  return list;
}

/// The plain name is what the user chose; then the newest.
std::vector<std::string> compiler_names(std::string_view plain, int newest, int oldest) {
  std::vector<std::string> names = {std::string(plain)};
  for (int v = newest; v >= oldest; --v) names.push_back(fmt::format("{}-{}", plain, v));
  return names;
}

std::vector<Candidate> libraries(const ToolPlaces& places) {
  std::vector<Candidate> list;
  for (const fs::path& folder : places.libraries) {
    for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
      add_candidate(folder / name, list);
    }
  }
  return list;
}

std::vector<Candidate> candidates(ToolKind kind, const ToolPlaces& places) {
  switch (kind) {
    case ToolKind::Gxx: return programs(places, compiler_names("g++", 16, 12));
    case ToolKind::Clang: return programs(places, compiler_names("clang++", 24, 14));
    // GNU ld first: on one small object it is twice as fast as mold, which starts threads.
    case ToolKind::Linker: return programs(places, {"ld", "ld.mold", "ld.lld"});
    case ToolKind::Nvrtc: return libraries(places);
    case ToolKind::Nvcc: return programs(places, {"nvcc"});
    case ToolKind::Ptxas: return programs(places, {"ptxas"});
  }
  return {};
}

/// "libnvrtc.so.13.0.88" names its version; asking the library would load all of it.
std::string library_version(const fs::path& path) {
  std::error_code error;
  const std::string file = fs::canonical(path, error).filename().string();
  const std::size_t at = file.find(".so.");
  return at == std::string::npos ? std::string() : file.substr(at + 4);
}

std::string program_version(const Candidate& tool) {
  Command command;
  command.arguments = {tool.path.string(), "--version"};
  command.timeout = std::chrono::seconds(20);
  const Result<Finished> said = run(command);
  if (!said || !said->ok()) return {};
  // CUDA's tools: "release 13.0, V13.0.88".
  const std::size_t exact = said->output.find(", V");
  return first_version(exact == std::string::npos
                           ? std::string_view(said->output)
                           : std::string_view(said->output).substr(exact + 3));
}

Tool make_tool(ToolKind kind, const Candidate& found, ToolMemo& memo) {
  Tool tool{kind, found.path.string(), {}, {}};
  if (kind == ToolKind::Nvrtc) {
    tool.version = library_version(found.path);
  } else if (auto known = memo.find(found.stamp, "version")) {
    tool.version = *known;
  } else {
    tool.version = program_version(found);
    memo.keep(found.stamp, "version", tool.version);
  }
  Hasher hasher;
  tool.digest = hasher.add(found.stamp.hex()).add(tool.version).finish();
  return tool;
}

/// Newest first where several versions are worth having; the linker in order of preference.
void sort_tools(ToolKind kind, std::vector<Tool>& tools) {
  const auto newer = [](const Tool& a, const Tool& b) {
    return compare_versions(a.version, b.version) > 0;
  };
  // g++: the plain name stays first, as the user's default compiler.
  if (kind == ToolKind::Clang || kind == ToolKind::Ptxas || kind == ToolKind::Nvrtc) {
    std::ranges::stable_sort(tools, newer);
  }
}

/// Of one kind, sorted into those that are used and the reason why there are none.
void keep_usable(const ToolRow& row, std::vector<Tool> found, Tools& result) {
  std::vector<Tool> tools;
  std::string too_old;
  for (Tool& tool : found) {
    if (!tool.version.empty() && compare_versions(tool.version, row.minimum) >= 0) {
      tools.push_back(std::move(tool));
    } else if (too_old.empty()) {
      too_old = fmt::format("{} is version {}; {} or newer is needed", tool.path,
                            tool.version.empty() ? "unknown" : tool.version, row.minimum);
    }
  }
  if (tools.empty()) {
    result.missing.push_back({row.kind, too_old.empty() ? "it is not installed" : too_old});
  }
  sort_tools(row.kind, tools);
  std::ranges::move(tools, std::back_inserter(result.found));
}

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->is_directory(gone)) folders.push_back(at->path());
  }
  std::ranges::sort(folders);
  return folders;
}

void add_cuda_toolkits(ToolPlaces& places) {
  for (const fs::path& toolkit : folders_in("/usr/local")) {
    const std::string folder = toolkit.filename().string();  // "cuda", the chosen one, sorts first
    if (folder != "cuda" && !folder.starts_with("cuda-")) continue;
    places.programs.push_back(toolkit / "bin");
    places.libraries.push_back(toolkit / "lib64");
  }
}

/// NVIDIA's wheels: <prefix>/lib/python3.11/site-packages/nvidia/cu13/{bin,lib}, for the prefixes
/// of the programs that the user finds: the system's, and that of an active virtual environment.
void add_python_wheels(ToolPlaces& places) {
  std::vector<fs::path> prefixes;
  for (const fs::path& folder : places.programs) {
    if (folder.filename() == "bin") prefixes.push_back(folder.parent_path());
  }
  for (const fs::path& prefix : prefixes) {
    for (const fs::path& python : folders_in(prefix / "lib")) {
      if (!python.filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const fs::path& wheel : folders_in(python / packages / "nvidia")) {
          places.programs.push_back(wheel / "bin");
          places.libraries.push_back(wheel / "lib");
        }
      }
    }
  }
}

}  // namespace

std::span<const ToolRow> tool_rows() { return rows; }

std::string_view name(ToolKind kind) { return rows[static_cast<std::size_t>(kind)].name; }

ToolPlaces ToolPlaces::standard() {
  ToolPlaces places;
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    for (const std::string_view folder : split(path, ':')) {
      if (!folder.empty()) places.programs.emplace_back(folder);
    }
  }
  add_cuda_toolkits(places);
  for (const char* folder : {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"}) {
    places.libraries.emplace_back(folder);
  }
  add_python_wheels(places);
  return places;
}

const Tool* Tools::find(ToolKind kind, std::string_view requirement) const {
  for (const Tool& tool : found) {
    if (tool.kind == kind && version_matches(tool.version, requirement).value_or(false)) {
      return &tool;
    }
  }
  return nullptr;
}

Tools find_tools(ToolMemo& memo, const ToolPlaces& places) {
  // All at once: on a machine that is asked for the first time, the slowest answer decides.
  std::vector<std::future<Tool>> asked;
  for (const ToolRow& row : rows) {
    for (const Candidate& found : candidates(row.kind, places)) {
      asked.push_back(std::async(std::launch::async, [&memo, found, kind = row.kind] {
        return make_tool(kind, found, memo);
      }));
    }
  }
  std::vector<Tool> all;
  for (std::future<Tool>& tool : asked) all.push_back(tool.get());
  Tools tools;
  for (const ToolRow& row : rows) {
    std::vector<Tool> found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [&](const Tool& tool) { return tool.kind == row.kind; });
    keep_usable(row, std::move(found), tools);
  }
  memo.save();
  return tools;
}

std::unexpected<Diagnostics> missing_tool(ToolKind kind, const Tools& tools,
                                          std::string_view requirement) {
  const ToolRow& row = rows[static_cast<std::size_t>(kind)];
  if (const Tool* other = tools.find(kind); other != nullptr) {
    return fail(8103, fmt::format("no {} {}: version {} is installed", row.name, requirement,
                                  other->version),
                {}, fmt::format("install that version, or ask for {}", other->version));
  }
  const auto why = std::ranges::find(tools.missing, kind, &MissingTool::kind);
  return fail(8103, fmt::format("no {}, which is needed for {}: {}", row.name, row.brings,
                                why != tools.missing.end() ? why->reason : "it was not looked for"),
              {}, std::string(row.install));
}

}  // namespace parhelion::toolchain
