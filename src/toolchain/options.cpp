// SPDX-License-Identifier: Apache-2.0
#include "toolchain/options.h"

#include <array>

namespace parhelion::toolchain {

namespace {

constexpr Numerics exact = Numerics::Exact;
constexpr Numerics bounded = Numerics::Bounded;
constexpr Numerics relaxed = Numerics::Relaxed;

// `searched` follows measurements of hand-written kernels on explicit vectors: rows marked false
// gave the code of the plain level on all of them, change numbers, or were slower.
constexpr std::array table = {
    Option{"compiler", "name", "g++|clang++", "", "", "", exact, true,
           "which compiler makes the CPU kernel; both give the same bits"},
    Option{"compiler", "version", "text", "", "", "", exact, false,
           "which of the installed versions: 19, or >=13.0,<13.6"},

    Option{"g++", "opt-level", "0..3", "2", "-O{}", "", exact, true,
           "how much the optimiser does; 0 is the canary that must change the code"},
    Option{"g++", "tune",
           "generic|native|znver3|znver4|sapphirerapids|icelake-server|skylake-avx512", "generic",
           "-mtune={}", "", exact, true, "whose costs of instructions are assumed"},
    Option{"g++", "rename-registers", "on|off", "off", "-frename-registers",
           "-fno-rename-registers", exact, true,
           "uses registers that are left over to break false dependencies"},
    Option{"g++", "schedule-insns", "on|off", "off", "-fschedule-insns -fsched-pressure",
           "-fno-schedule-insns", exact, true,
           "orders instructions before registers are given out, minding their pressure"},
    Option{"g++", "ira-region", "one|mixed|all", "mixed", "-fira-region={}", "", exact, true,
           "regions of the register allocator"},
    Option{"g++", "ivopts", "on|off", "on", "-fivopts", "-fno-ivopts", exact, true,
           "rewrites induction variables and addresses in loops"},
    Option{"g++", "align-loops", "on|off", "on", "-falign-loops", "-fno-align-loops", exact, true,
           "starts loops at aligned addresses"},
    Option{"g++", "gcse", "on|off", "on", "-fgcse", "-fno-gcse", exact, false,
           "removes common subexpressions across blocks"},
    Option{"g++", "tree-vectorize", "on|off", "on", "-ftree-vectorize", "-fno-tree-vectorize",
           exact, false, "vectorises what the text leaves scalar"},
    Option{"g++", "prefer-vector-width", "128|256|512", "", "-mprefer-vector-width={}", "", exact,
           false, "width of vectors that the compiler makes by itself"},
    Option{"g++", "unroll-loops", "on|off", "off", "-funroll-loops", "-fno-unroll-loops", exact,
           false, "unrolls loops that the text leaves rolled"},
    Option{"g++", "fp-contract", "off|fast", "off", "-ffp-contract={}", "", bounded, false,
           "fuses a * b + c where the text has two roundings"},
    Option{"g++", "associative-math", "on|off", "off",
           "-fassociative-math -fno-signed-zeros -fno-trapping-math", "-fno-associative-math",
           relaxed, false, "reorders sums"},
    Option{"g++", "fast-math", "on|off", "off", "-ffast-math", "-fno-fast-math", relaxed, false,
           "all of it: no NaN, no infinity, any order (never passed to the linker)"},

    Option{"clang++", "opt-level", "0..3", "2", "-O{}", "", exact, true,
           "how much the optimiser does; 0 is the canary that must change the code"},
    Option{"clang++", "tune",
           "generic|native|znver3|znver4|sapphirerapids|icelake-server|skylake-avx512", "generic",
           "-mtune={}", "", exact, true, "whose costs of instructions are assumed"},
    Option{"clang++", "regalloc", "greedy|basic", "greedy", "-mllvm -regalloc={}", "", exact, true,
           "the register allocator; basic was 5 % faster on GELU"},
    Option{"clang++", "misched", "on|off", "on", "-mllvm -enable-misched=true",
           "-mllvm -enable-misched=false", exact, true, "orders machine instructions"},
    Option{"clang++", "slp-vectorize", "on|off", "on", "-fslp-vectorize", "-fno-slp-vectorize",
           exact, false, "packs straight-line scalar code into vectors"},
    Option{"clang++", "prefer-vector-width", "128|256|512", "", "-mprefer-vector-width={}", "",
           exact, false, "width of vectors that the compiler makes by itself"},
    Option{"clang++", "unroll-loops", "on|off", "off", "-funroll-loops", "-fno-unroll-loops", exact,
           false, "unrolls loops that the text leaves rolled"},
    Option{"clang++", "fp-contract", "off|fast", "off", "-ffp-contract={}", "", bounded, false,
           "fuses a * b + c where the text has two roundings"},
    Option{"clang++", "associative-math", "on|off", "off",
           "-fassociative-math -fno-signed-zeros -fno-trapping-math", "-fno-associative-math",
           relaxed, false, "reorders sums"},
    Option{"clang++", "fast-math", "on|off", "off", "-ffast-math", "-fno-fast-math", relaxed, false,
           "all of it: no NaN, no infinity, any order (never passed to the linker)"},

    Option{"nvrtc", "fmad", "on|off", "off", "--fmad=true", "--fmad=false", bounded, false,
           "fuses a * b + c where the text has two roundings"},
    Option{"nvrtc", "restrict", "on|off", "off", "--restrict", "", exact, false,
           "takes all pointer parameters for restrict"},
    Option{"nvrtc", "extra-device-vectorization", "on|off", "off", "--extra-device-vectorization",
           "", exact, false, "vectorises more in the front end"},
    Option{"nvrtc", "ftz", "on|off", "off", "--ftz=true", "--ftz=false", relaxed, false,
           "flushes denormals to zero"},
    Option{"nvrtc", "prec-div", "on|off", "on", "--prec-div=true", "--prec-div=false", bounded,
           false, "division and reciprocal rounded to nearest"},
    Option{"nvrtc", "prec-sqrt", "on|off", "on", "--prec-sqrt=true", "--prec-sqrt=false", bounded,
           false, "square root rounded to nearest"},
    Option{"nvrtc", "use-fast-math", "on|off", "off", "--use_fast_math", "", relaxed, false,
           "ftz, no precise division and square root, fmad"},

    Option{"ptxas", "version", "text", "", "", "", exact, false,
           "which of the installed versions: 13.0, or >=13.0,<13.6"},
    Option{"ptxas", "opt-level", "0..4", "3", "--opt-level={}", "", exact, true,
           "how much the assembler does; 0 is the canary that must change the code"},
    Option{"ptxas", "register-usage-level", "0..10", "5", "--register-usage-level={}", "", exact,
           true, "registers spent on optimising; 0 to 3 give one code, and so do 6 to 10"},
    Option{"ptxas", "maxrregcount", "16..255", "",
           "--maxrregcount={} --override-directive-values", "", exact, false,
           "limit of registers of a thread; overrides the launch bounds of the text"},
    Option{"ptxas", "fast-compile", "0|min|mid|max", "0", "--Ofast-compile={}", "", exact, false,
           "less work for the assembler, slower code"},
    Option{"ptxas", "allow-expensive-optimizations", "on|off", "on",
           "--allow-expensive-optimizations=true", "--allow-expensive-optimizations=false", exact,
           false, "optimisations that need much memory and time"},
    Option{"ptxas", "def-load-cache", "ca|cg|cs|lu|cv", "", "--def-load-cache={}", "", exact, true,
           "cache operator of loads that name none"},
    Option{"ptxas", "def-store-cache", "wb|cg|cs|wt", "", "--def-store-cache={}", "", exact, true,
           "cache operator of stores that name none"},
    Option{"ptxas", "force-load-cache", "ca|cg|cs|lu|cv", "", "--force-load-cache={}", "", exact,
           false, "cache operator of all loads"},
    Option{"ptxas", "force-store-cache", "wb|cg|cs|wt", "", "--force-store-cache={}", "", exact,
           false, "cache operator of all stores; undoes eviction hints of the text"},
    Option{"ptxas", "make-errors-visible-at-exit", "on|off", "off",
           "--make-errors-visible-at-exit", "", exact, false,
           "waits for memory faults at the end of a thread"},
    Option{"ptxas", "dont-merge-basicblocks", "on|off", "off", "--dont-merge-basicblocks", "",
           exact, false, "keeps the blocks of the PTX apart"},
    Option{"ptxas", "disable-optimizer-constants", "on|off", "off",
           "--disable-optimizer-constants", "", exact, false,
           "puts no constants of its own into the constant bank"},
    Option{"ptxas", "return-at-end", "on|off", "off", "--return-at-end", "", exact, false,
           "leaves the last return in its place"},
    Option{"ptxas", "fmad", "on|off", "on", "--fmad=true", "--fmad=false", exact, false,
           "fuses multiplications and additions that the PTX leaves free to fuse"},
};

}  // namespace

std::span<const Option> options() { return table; }

}  // namespace parhelion::toolchain
