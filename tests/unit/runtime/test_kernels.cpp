// SPDX-License-Identifier: Apache-2.0
// What an emitted text looks like to the runtime, with entries that misbehave in one way each.
using i64 = long;

extern "C" {

struct Scale {
  const float* x;
  float* out;
  float factor;
};

void scale(const Scale* a, i64 first, i64 last, int) {
  for (i64 i = first; i < last; ++i) a->out[i] = a->x[i] * a->factor;
}
void scale_slowly(const Scale* a, i64 first, i64 last, int) {
  for (i64 i = first; i < last; ++i) {
    for (int turn = 0; turn < 2000; ++turn) __asm__ volatile("pause");
    a->out[i] = a->x[i] * a->factor;
  }
}
void store_nothing(const Scale*, i64, i64, int) {}
void crash(const Scale*, i64, i64, int) { *static_cast<volatile int*>(nullptr) = 1; }
void overrun(const Scale* a, i64 first, i64 last, int) {
  scale(a, first, last, 0);
  for (i64 i = last; i < last + 4096; ++i) a->out[i] = 0;
}
void underrun(const Scale* a, i64 first, i64 last, int) {
  scale(a, first, last, 0);
  a->out[-1] = 0;
}
void write_input(const Scale* a, i64 first, i64 last, int) {
  scale(a, first, last, 0);
  const_cast<float*>(a->x)[0] = 77;
}
void illegal(const Scale*, i64, i64, int) { __builtin_trap(); }
void hang(const Scale*, i64, i64, int) {
  for (;;) __asm__ volatile("pause");
}

struct Phases {
  i64* out;
  i64* workspace;
  char* scratch;
};

void squares(const Phases* a, i64 first, i64 last, int worker) {
  auto* mine = reinterpret_cast<volatile i64*>(a->scratch + worker * 64);
  for (i64 i = first; i < last; ++i) {
    *mine = i;
    a->workspace[i] = *mine * *mine;
  }
}
void plus_one(const Phases* a, i64 first, i64 last, int) {
  for (i64 i = first; i < last; ++i) a->out[i] = a->workspace[i] + 1;
}

void count_runs(i64* const* out, i64, i64, int) {
  static i64 runs = 0;
  **out = ++runs;
}

}  // extern "C"
