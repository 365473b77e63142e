"""Attention over caches of 8 bits and over longer ones, in every width of float."""
from generation.cached import blocks, one_token

one_token("bfloat16", dtype="uint16", heads=4, key_heads=1, rotary="halves")
one_token("one_head_of_keys", heads=8, key_heads=1, width=16, room=70, lengths=(69, 12), mask=8, bias=True, rotary="pairs")
one_token("half_to_integers", dtype="float16", out_scale=0.4, smooth=True, bias=True)
one_token("from_integers_to_integers", scale=True, out_scale=0.5, ties_away=0)

blocks("bytes", in_bytes=True)
blocks("bytes_even", in_bytes=True, ties_away=0, rope="pairs")
blocks("bytes_shared", in_bytes=True, heads=4, rope="halves", bias=True)
blocks("bytes_answers", in_bytes=True, enc=(0, 0, 0), dec=(7, 2, 0), target=True)
blocks("bytes_before", in_bytes=True, before=2)
blocks("bytes_masks", in_bytes=True, mask=True, target=True, out_scale=0.5)
blocks("bytes_from_integers", in_bytes=True, scale=True, rope="pairs")
blocks("bytes_float16", in_bytes=True, dtype="float16")
blocks("bfloat16", dtype="uint16", heads=4, key_heads=1)
