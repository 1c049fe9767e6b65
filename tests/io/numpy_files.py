"""NumPy's side of the tests of .npy files: numpy_files.py write|check FOLDER.

write  makes the files NAME.npy, and lists them in the file "list", one a line:
       NAME DTYPE EXTENT...
check  reads the files of that list that the library has written again as NAME.again.npy.

Element i in row-major order is 1 if i % 3 == 0 else 0 for bool, i * 7 % 120 for unsigned integers,
that minus 60 for signed ones, and that divided by 8 for floating point.
"""
# SPDX-License-Identifier: BSL-1.0

import itertools
import os
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
SHAPES = [(), (0,), (1,), (5,), (2, 3), (3, 0, 2), (12, 1, 10), (1, 2, 3, 2, 1, 2, 1, 2)]
VERSIONS = [(1, 0), (2, 0), (3, 0)]


def array(type_name, shape):
    i = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if type_name == "bool":
        return i % 3 == 0
    values = i * 7 % 120 - (0 if type_name.startswith("u") else 60)
    return (values / 8 if type_name.startswith("float") else values).astype(type_name)


def write(folder):
    combinations = itertools.product(TYPES, SHAPES, "CF", "<>", VERSIONS)
    with open(os.path.join(folder, "list"), "w") as names:
        for number, (type_name, shape, order, endian, version) in enumerate(combinations):
            a = array(type_name, shape)
            a = np.asarray(a.astype(a.dtype.newbyteorder(endian)), order=order)
            with open(os.path.join(folder, f"{number}.npy"), "wb") as file:
                np.lib.format.write_array(file, a, version=version)
            print(number, type_name, *shape, file=names)


def check(folder):
    checked = 0
    for line in open(os.path.join(folder, "list")):
        name, type_name, *shape = line.split()
        expected = array(type_name, tuple(map(int, shape)))
        path = os.path.join(folder, name + ".again.npy")
        found = np.load(path, allow_pickle=False)
        assert found.dtype == expected.dtype and found.dtype.isnative, path
        assert found.shape == expected.shape and found.flags.c_contiguous, path
        assert found.tobytes() == expected.tobytes(), path
        # Byte for byte, where this NumPy leaves space for arrays to grow as newer ones do.
        if hasattr(np.lib.format, "GROWTH_AXIS_MAX_DIGITS"):
            np.save(path + ".numpy.npy", expected)
            with open(path, "rb") as ours, open(path + ".numpy.npy", "rb") as numpys:
                assert ours.read() == numpys.read(), path
        checked += 1
    assert checked == len(TYPES) * len(SHAPES) * 4 * len(VERSIONS)


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
