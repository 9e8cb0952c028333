"""write_weights.py FOLDER: a GPT-2 block's parameters as at the start of its training, and a stream for it.

Writes FOLDER/parameters/<path>.npy, which p.load reads (both blocks have the same paths), and FOLDER/streams/x.npy. The
same numbers every time. Standard library only.
"""
import pathlib
import random
import statistics
import sys
from array import array

WIDTH, HIDDEN, LAYERS, TOKENS = 768, 3072, 12, 128
SPREAD = 0.02
INTO_THE_STREAM = SPREAD / (2 * LAYERS) ** 0.5  # two branches a layer add to one stream

# path: (shape, mean, standard deviation). GPT-2 starts its biases at zero; here they are small, so that they matter.
PARAMETERS = {
    "ln_1.weight": ((WIDTH,), 1, 0),
    "ln_1.bias": ((WIDTH,), 0, SPREAD),
    "attn.c_attn.weight": ((WIDTH, 3 * WIDTH), 0, SPREAD),
    "attn.c_attn.bias": ((3 * WIDTH,), 0, SPREAD),
    "attn.c_proj.weight": ((WIDTH, WIDTH), 0, INTO_THE_STREAM),
    "attn.c_proj.bias": ((WIDTH,), 0, SPREAD),
    "ln_2.weight": ((WIDTH,), 1, 0),
    "ln_2.bias": ((WIDTH,), 0, SPREAD),
    "mlp.c_fc.weight": ((WIDTH, HIDDEN), 0, SPREAD),
    "mlp.c_fc.bias": ((HIDDEN,), 0, SPREAD),
    "mlp.c_proj.weight": ((HIDDEN, WIDTH), 0, INTO_THE_STREAM),
    "mlp.c_proj.bias": ((WIDTH,), 0, SPREAD),
}

# The normal distribution at 65536 equally likely places: a random 16-bit number picks one.
NORMAL = [statistics.NormalDist().inv_cdf((i + 0.5) / 65536) for i in range(65536)]


def normal_numbers(count, mean, deviation, source):
    places = array("H", source.randbytes(2 * count))
    return array("f", map([mean + deviation * z for z in NORMAL].__getitem__, places))


def write_npy(file, shape, numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    if sys.byteorder == "big":
        numbers.byteswap()
    file.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + numbers.tobytes())


def main():
    folder = pathlib.Path(sys.argv[1])
    for part in ("parameters", "streams"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    source = random.Random(2)
    for path, (shape, mean, deviation) in PARAMETERS.items():
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        write_npy(folder / "parameters" / f"{path}.npy", shape, normal_numbers(count, mean, deviation, source))
    write_npy(folder / "streams" / "x.npy", (1, TOKENS, WIDTH), normal_numbers(TOKENS * WIDTH, 0, 1, source))


if __name__ == "__main__":
    main()
