#!/usr/bin/env python3
"""Writes a float32 array of shape [64, 32] as .npy, without NumPy.

  save.py FILE
"""
import math
import struct
import sys

numbers = [math.sin(0.37 * i) for i in range(64 * 32)]
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 32), }"
head += " " * (63 - (10 + len(head)) % 64) + "\n"
with open(sys.argv[1], "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<2048f", *numbers))
