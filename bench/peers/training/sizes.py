"""Sizes of the networks of run.py that both engines build."""

# Of ResNet-18: channels in and out of each block, and its stride.
BLOCKS = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
