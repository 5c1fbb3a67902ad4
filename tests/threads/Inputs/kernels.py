"""kernels.py TEMU: runs the kernels of a barrel, linked as gradient_histogram, matrix_vector and reduction in this folder, on random data, with 1 to 6
workers, timed and not, and compares the results with plain loops over numbers that are rounded to f32 after each operation."""
import random
import struct
import subprocess
import sys

temu = sys.argv[1]
rng = random.Random(16)


def f32(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def run(program, workers, data, outputs, *options):
    for name, content in data.items():
        with open(name, "wb") as file:
            file.write(content)
    with open("machine.yaml", "w", encoding="utf-8") as file:
        file.write(f"barrel: {{workers: {workers}}}\n")
    done = subprocess.run([temu, "--machine=./machine.yaml", *options, *(f"--load={name}={name}" for name in data),
                           *(f"--dump={name}:{size}={name}.out" for name, size in outputs.items()), program], capture_output=True, check=False)
    assert done.returncode == 0, (program, workers, options, done.stderr)
    return {name: open(f"{name}.out", "rb").read() for name in outputs}


def gradient_histogram(workers, *options):
    # Exponents in the shape of a bell.
    gradients = [f32(rng.choice((-1, 1)) * rng.uniform(1, 2) * 2.0 ** round(rng.gauss(-25, 6))) for _ in range(960)]
    found = run("gradient_histogram", workers, {"gradients": struct.pack("<960f", *gradients)}, {"steps": 8, "history": 128, "bins": 96}, *options)
    scale, history = 2.0 ** 26, []
    while True:
        history.append(scale)
        scaled = [f32(gradient * scale) for gradient in gradients]
        large = sum(abs(value) >= 2.0 ** 16 for value in scaled)
        if len(history) == 32 or 0 < large <= 15:
            break
        scale = scale / 2 if large else scale * 2
    steps = struct.unpack("<Q", found["steps"])[0]
    assert steps == len(history) and list(struct.unpack("<32f", found["history"])[:steps]) == history, (steps, history)
    counts = [word & 0x3ffff for word in struct.unpack("<24I", found["bins"])]
    part = 960 // workers
    for worker in range(6):
        mine = scaled[worker * part:(worker + 1) * part] if worker < workers else []
        expected = [sum(abs(value) >= 2.0 ** 16 for value in mine), sum(abs(value) < 2.0 ** -14 for value in mine),
                    sum(bits(value) >> 31 == 0 for value in mine), sum(bits(value) >> 31 == 1 for value in mine)]
        assert counts[4 * worker:4 * worker + 4] == expected, (workers, worker, counts[4 * worker:4 * worker + 4], expected)


def matrix_vector(workers, *options):
    matrix = [[f32(rng.uniform(-9, 9)) for _ in range(8)] for _ in range(4)]
    vectors = [[f32(rng.uniform(-9, 9)) for _ in range(8)] for _ in range(240)]
    data = {"matrix": struct.pack("<32f", *sum(matrix, [])), "vectors": struct.pack("<1920f", *sum(vectors, []))}
    found = struct.unpack("<960f", run("matrix_vector", workers, data, {"products": 3840}, *options)["products"])
    for number, vector in enumerate(vectors):
        for i, row in enumerate(matrix):
            total = 0.0
            for part in (0, 4):
                p = [f32(row[part + j] * vector[part + j]) for j in range(4)]
                total = f32(total + f32(f32(p[0] + p[1]) + f32(p[2] + p[3])))
            assert found[4 * number + i] == total, (workers, number, i, found[4 * number + i], total)


def reduction(workers, *options):
    numbers = [rng.getrandbits(64) for _ in range(960)]
    found = run("reduction", workers, {"numbers": struct.pack("<960Q", *numbers)}, {"total": 8}, *options)["total"]
    assert struct.unpack("<Q", found)[0] == sum(numbers) % 2 ** 64, workers


for kernel in (gradient_histogram, matrix_vector, reduction):
    for count in range(1, 7):
        for how in ((), ("--tier=interp",), ("--timing", "--timing-file=/dev/null"), ("--reference",), ("--races",)):
            kernel(count, *how)
    print(kernel.__name__, "right")
