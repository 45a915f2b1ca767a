# SPDX-License-Identifier: Apache-2.0
"""torch on the GPU for the cases of tests/numeric/gpu: median and quartiles of 21 samples of 20 calls."""
import torch


def sample(call):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(20):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / 20


def report(name, call):
    for _ in range(3):
        call()
    times = sorted(sample(call) for _ in range(21))
    print(f"torch {name:52s} median {times[10]:9.2f} us [{times[5]:9.2f} {times[15]:9.2f}] n=21 warm")


def random(shape, dtype):
    return torch.randn(shape, device="cuda").to(dtype)


def main():
    print("torch", torch.__version__, torch.cuda.get_device_name())
    torch.backends.cuda.matmul.allow_tf32 = False
    for n in (4194304, 1000003):
        x, y = random(n, torch.float32), random(n, torch.float32)
        out = torch.empty_like(x)
        report(f"add f32 N={n}", lambda: torch.add(x, y, out=out))
    for m, n, dtype in ((2048, 3584, torch.float16), (4096, 4096, torch.bfloat16), (37, 1001, torch.float32)):
        x = random((m, n), dtype)
        report(f"softmax {dtype} M={m} N={n}", lambda: torch.softmax(x, 1))
    for m, n, k, dtype in ((1024, 1024, 1024, torch.float32), (64, 6144, 4096, torch.bfloat16),
                           (4096, 4096, 4096, torch.bfloat16)):
        a, b = random((m, k), dtype), random((k, n), dtype)
        out = torch.empty((m, n), device="cuda", dtype=dtype)
        report(f"matmul {dtype} M={m} N={n} K={k}", lambda: torch.matmul(a, b, out=out))


main()
