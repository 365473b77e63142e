"""The kinds of networks. A kind has its inputs, a function that draws a network from them, and one that makes its feeds."""
import collections

from . import (decoders, detectors, empties, images, indexing, matrices, quantised, regions, sequences, spectra, tensors, types, functions)

Kind = collections.namedtuple("Kind", "inputs draw feeds")
MODULES = (images, sequences, tensors, detectors, decoders, indexing, types, quantised, spectra, matrices, regions, empties, functions)
KINDS = {m.__name__.rsplit(".", 1)[-1]: Kind(m.INPUTS, m.draw, m.feeds) for m in MODULES}
