"""Reads a file of write_safetensors with nothing of ours, and checks what is in it.

Usage: read_safetensors.py WRITE_SAFETENSORS
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

METADATA = {"format": "test", "text": 'line\n"quoted" \\ \u00e9\u4e2d\U0001f600'}
BYTES = {"bytes": ([5], b"\x00\xff\na\x80")}
DOUBLES = {"doubles": ([2, 2], [-float("inf"), 0.1, sys.float_info.max, -0.0])}
# 1.401298464324817e-45 is the smallest float, 3.4028234663852886e+38 the largest.
TENSORS = {
    "z.steps": ([3, 5, 7], [(n - 20) / 8 for n in range(3 * 5 * 7)]),
    "empty": ([4, 0], []),
    "scalar": ([], [1.5]),
    'a "name" of \u00e9': ([6], [-0.0, 1.401298464324817e-45, 3.4028234663852886e+38,
                                -3.4028234663852886e+38, float("inf"), 0.1]),
}


def read(data):
    """The metadata, and for each tensor its shape and bytes."""
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size].decode("utf-8"))
    assert size % 8 == 0, "the header is not padded"
    metadata = header.pop("__metadata__", {})
    tensors = {}
    end = 0
    for name, entry in header.items():
        assert set(entry) == {"dtype", "shape", "data_offsets"}, entry
        dtype = "U8" if name in BYTES else "F64" if name in DOUBLES else "F32"
        assert entry["dtype"] == dtype, entry
        begin, next_end = entry["data_offsets"]
        assert begin == end, f"{name}: tensors are not one after the other"
        end = next_end
        tensors[name] = (entry["shape"], data[8 + size + begin:8 + size + end])
    assert 8 + size + end == len(data), "the file does not end with the last tensor"
    return metadata, tensors


def check(tensors):
    assert set(tensors) == set(TENSORS) | set(BYTES) | set(DOUBLES), list(tensors)
    for name, (shape, data) in BYTES.items():
        assert tensors[name] == (shape, data), (name, tensors[name])
    for name, (shape, values) in TENSORS.items():
        assert tensors[name][0] == shape, (name, tensors[name][0])
        # Bytes, since -0.0 == 0.0.
        assert tensors[name][1] == struct.pack(f"<{len(values)}f", *values), name
    for name, (shape, values) in DOUBLES.items():
        assert tensors[name] == (shape, struct.pack(f"<{len(values)}d", *values)), name


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "test.safetensors")
        subprocess.run([sys.argv[1], path], check=True)
        with open(path, "rb") as file:
            data = file.read()
    metadata, tensors = read(data)
    assert metadata == METADATA, metadata
    assert list(tensors) == list(TENSORS) + list(BYTES) + list(DOUBLES), list(tensors)
    check(tensors)
    print("struct and json: as expected")
    try:
        from safetensors import deserialize
    except ImportError:
        print("safetensors: skipped, since the module is not installed")
        return
    check({name: (list(entry["shape"]), bytes(entry["data"]))
           for name, entry in deserialize(data)})
    print("safetensors: as expected")


main()
