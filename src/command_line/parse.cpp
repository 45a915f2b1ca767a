// SPDX-License-Identifier: Apache-2.0
// The only file that sees CLI11.
#include "command_line/options.h"

#include <parhelion/version.h>

#include <CLI/CLI.hpp>

#include <string>

namespace parhelion::command_line_detail {

namespace {

void problem(CLI::App& verb, Options& o) {
  verb.add_option("kernel", o.kernel, "name of a kernel, or a .ph file")->required();
  verb.add_option("--shape", o.shape, "extents: M=2048,N=4096")->delimiter(',');
  verb.add_option("--dtype", o.dtype, "f32, f16 or bf16");
  verb.add_option("--arg", o.arguments, "a tensor: x=bf16[2048,4096] or x=@x.npy")
      ->expected(1)
      ->take_all();
  verb.add_option("--config", o.config, "parameters to fix: \"block[a0]=4 strip[l0]=8\"");
  verb.add_option("--controls", o.controls, "settings of the compiler: \"g++ opt-level=3\"");
  verb.add_option("--target", o.target, "cpu, x86-64-v3, sm_90a");
  verb.add_option("--seed", o.seed, "of the random inputs");
  verb.add_option("--threads", o.threads, "0: one a physical core");
  verb.add_option("--cache", o.cache, "folder of the artifact cache, or none");
}

}  // namespace

Parsed parse(int argc, const char* const* argv) {
  Options o;
  CLI::App app("Tile kernels: written once, compiled for the CPU and for NVIDIA GPUs");
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(1);
  bool json = false;
  const auto add = [&](const char* name, Verb verb, const char* what) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->add_flag("--json", json, "print JSON");
    sub->callback([&o, verb] { o.verb = verb; });
    return sub;
  };
  add("list", Verb::List, "kernels, with their shapes");
  problem(*add("explain", Verb::Explain, "the configuration and the reason for each choice"), o);
  CLI::App* emit = add("emit", Verb::Emit, "print the generated code");
  problem(*emit, o);
  emit->add_option("--stage", o.stage, "tile, kernel or text")
      ->check(CLI::IsMember({"tile", "kernel", "text"}));
  CLI::App* compile = add("compile", Verb::Compile, "compile, and say what came out");
  problem(*compile, o);
  compile->add_option("--keep", o.keep, "folder for the text, the log and the object");
  CLI::App* run = add("run", Verb::Run, "run once and check against the reference");
  problem(*run, o);
  run->add_option("--out", o.outputs, "write an output: out=y.npy")->expected(1)->take_all();
  CLI::App* bench = add("bench", Verb::Bench, "time the kernel");
  problem(*bench, o);
  bench->add_option("--samples", o.samples, "number of samples")->check(CLI::Range(3, 100000));
  CLI::App* cache = add("cache", Verb::Cache, "the artifact cache");
  cache->add_option("action", o.action, "size, list, clear or verify")
      ->check(CLI::IsMember({"size", "list", "clear", "verify"}));
  cache->add_option("--cache", o.cache, "folder of the artifact cache");
  add("doctor", Verb::Doctor, "what this machine has, what is missing and what it would bring");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return {std::nullopt, app.exit(e) == 0 ? 0 : 1};
  }
  o.json = json;
  return {o, 0};
}

}  // namespace parhelion::command_line_detail
