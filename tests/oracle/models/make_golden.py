"""Write golden data for every block in models.py: make_golden.py OUT_DIR

    OUT_DIR/<model>/parameters/<path>.npy                 weights are (in, out): y = x W + b
    OUT_DIR/<model>/T<k>/{x,dy,y,gx}.npy                  k = 1, 7 (batch 2) and 33 (batch 1);
                                                          gx is the gradient of sum(y * dy) by x
    OUT_DIR/<model>/T<k>/{memory,gmemory}.npy             of a block with cross-attention
    OUT_DIR/<model>/T7/gradients/<path>.npy               the gradient by each parameter

All is float64. Values are drawn from PCG64 seeded with the SHA-256 of "<model>/<file>", so each file's draw is its own.
Gradients are complex steps, one element at a time; some elements of each are compared with central differences, and the run fails
where they disagree.
"""

import hashlib
import os
import shutil
import sys

import numpy as np

from models import models

LENGTHS = {1: 2, 7: 2, 33: 1}       # T -> batch
MEMORY_LENGTH = 5
STEP = 1e-40                        # complex step: its square is far below the last bit
DIFFERENCE = 1e-6                   # central difference
TOLERANCE = 1e-6                    # on |complex step - central difference| / max(1, largest gradient of the array)
CHECKED = 3                         # elements checked in each gradient


def generator(name):
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little")))


def draw_parameter(name, shape, kind):
    z = generator(name).standard_normal(shape)
    return {
        "gain": lambda: 1 + 0.25 * z,
        "gain_offset": lambda: 0.25 * z,
        "bias": lambda: 0.15 * z,
        "weight": lambda: 1.5 * z / np.sqrt(shape[0]),
        "large_weight": lambda: 4.5 * z / np.sqrt(shape[0]),       # query and key where a softcap has to act
    }[kind]()


def draw_inputs(name, model, T):
    """The activations by file name: x, and memory for a block with cross-attention; their mean is not zero."""
    lengths = {"x": T, "memory": MEMORY_LENGTH} if model.memory else {"x": T}
    return {key: 0.6 + 1.5 * generator(f"{name}/T{T}/{key}").standard_normal((LENGTHS[T], length, model.width))
            for key, length in lengths.items()}


def loss(model, parameters, inputs, dy):
    return np.sum(model.block(parameters, **inputs) * dy)


def complex_step_gradient(value, a):
    """d value(a) / da, for value a function of one array that gives a scalar."""
    gradient = np.empty_like(a)
    for index in np.ndindex(a.shape):
        shifted = a.astype(complex)
        shifted[index] += 1j * STEP
        gradient[index] = value(shifted).imag / STEP
    return gradient


def check_gradient(name, value, a, gradient):
    """The largest disagreement with central differences at CHECKED random elements, relative to the largest gradient or 1."""
    worst = 0.0
    for flat in generator(name + "/check").integers(a.size, size=CHECKED):
        index = np.unravel_index(flat, a.shape)
        up, down = a.copy(), a.copy()
        up[index] += DIFFERENCE
        down[index] -= DIFFERENCE
        difference = (value(up) - value(down)) / (up[index] - down[index])
        worst = max(worst, abs(difference - gradient[index]) / max(1.0, np.abs(gradient).max()))
    if not worst <= TOLERANCE:
        sys.exit(f"{name}: the complex step and the central difference disagree by {worst:.3g}")
    return worst


def save(path, array):
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        sys.exit(f"{path}: not finite")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.save(path, array)


def write_model(out, name, model):
    """Write one model's folder; returns the largest |y| and the worst disagreement of the gradients with central differences."""
    parameters = {path: draw_parameter(f"{name}/{path}", shape, kind) for path, (shape, kind) in model.parameters.items()}
    for path, value in parameters.items():
        save(f"{out}/{name}/parameters/{path}.npy", value)

    largest, worst = 0.0, 0.0
    for T in LENGTHS:
        folder = f"{out}/{name}/T{T}"
        inputs = draw_inputs(name, model, T)
        y = model.block(parameters, **inputs)
        dy = generator(f"{name}/T{T}/dy").standard_normal(y.shape)
        for key, value in {**inputs, "y": y, "dy": dy}.items():
            save(f"{folder}/{key}.npy", value)
        largest = max(largest, np.abs(y).max())

        def gradient_by(file, group, key):
            """Write the gradient of the loss by group[key]; group is the parameters or the inputs."""
            nonlocal worst
            def value(a):
                changed = {**group, key: a}
                return loss(model, changed if group is parameters else parameters, changed if group is inputs else inputs, dy)
            gradient = complex_step_gradient(value, group[key])
            worst = max(worst, check_gradient(f"{name}/T{T}/{file}", value, group[key], gradient))
            save(f"{folder}/{file}.npy", gradient)

        for key in inputs:
            gradient_by("g" + key, inputs, key)
        if T == 7:
            for path in parameters:
                gradient_by("gradients/" + path, parameters, path)
    return largest, worst


def files_under(folder):
    return [os.path.join(place, file) for place, _, files in os.walk(folder) for file in files]


def main(out):
    print(f"{'model':<20} {'parameters':>10} {'elements':>9} {'files':>6} {'bytes':>8} {'largest':>8} "
          f"{'max |y|':>9} {'check':>9}")
    total_files = total_bytes = 0
    for name, model in models.items():
        shutil.rmtree(f"{out}/{name}", ignore_errors=True)
        largest, worst = write_model(out, name, model)
        sizes = [os.path.getsize(file) for file in files_under(f"{out}/{name}")]
        elements = sum(int(np.prod(shape)) for shape, _ in model.parameters.values())
        print(f"{name:<20} {len(model.parameters):>10} {elements:>9} {len(sizes):>6} {sum(sizes):>8} {max(sizes):>8} "
              f"{largest:>9.4f} {worst:>9.1e}",
              flush=True)
        total_files, total_bytes = total_files + len(sizes), total_bytes + sum(sizes)
    print(f"{total_files} files, {total_bytes} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden.py OUT_DIR")
    main(sys.argv[1])
