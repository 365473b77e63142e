"""Tokens as they come, and what a session that makes them allows."""
import numpy as np
import pytest

import libpir

# The logits of the next id are a row of a table, plus the sum of a cache of zeros.
PROGRAM = """{
(%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
(%table) = "pd_op.data" () {dtype:float32,name:"table",place:Place(undefined:0),shape:[9,9]} : () -> tensor<9x9xf32>
(%past) = "pd_op.data" () {dtype:float32,name:"past",place:Place(undefined:0),shape:[1,-1]} : () -> tensor<1x-1xf32>
(%logits) = "pd_op.embedding" (%ids, %table) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<9x9xf32>) -> tensor<-1x-1x9xf32>
(%n) = "pd_op.cast" (%ids) {dtype:float32} : (tensor<-1x-1xi64>) -> tensor<-1x-1xf32>
(%list) = "builtin.combine" (%past, %n) {} : (tensor<1x-1xf32>, tensor<-1x-1xf32>) -> vec[tensor<1x-1xf32>,tensor<-1x-1xf32>]
(%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
(%all) = "pd_op.concat" (%list, %axis) {} : (vec[tensor<1x-1xf32>,tensor<-1x-1xf32>], tensor<1xi32>) -> tensor<1x-1xf32>
() = "builtin.shadow_output" (%logits) {output_name:"logits"} : (tensor<-1x-1x9xf32>) ->
() = "builtin.shadow_output" (%all) {output_name:"all"} : (tensor<1x-1xf32>) ->
}"""
# A cache that the op writes in place, beside ids.
WRITTEN = """{
(%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[1,-1]} : () -> tensor<1x-1xi64>
(%logits) = "pd_op.cast" (%ids) {dtype:float32} : (tensor<1x-1xi64>) -> tensor<1x-1xf32>
(%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,24]} : () -> tensor<1x24xf32>
(%cache) = "pd_op.data" () {dtype:float32,name:"cache",place:Place(undefined:0),shape:[2,1,1,6,8]} : () -> tensor<2x1x1x6x8xf32>
(%at) = "pd_op.data" () {dtype:int32,name:"at",place:Place(undefined:0),shape:[1,1]} : () -> tensor<1x1xi32>
(%out, %after, %n) = "pd_op.masked_multihead_attention_" (%x, %cache, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, %at, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {compute_dtype:"default",out_scale:-1,quant_max_bound:127,quant_min_bound:-127,quant_round_type:1,rotary_emb_dims:0,seq_len:1,use_neox_rotary_style:false} : (tensor<1x24xf32>, tensor<2x1x1x6x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<1x1xi32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x8xf32>, tensor<2x1x1x6x8xf32>, <<NULL TYPE>>
() = "builtin.shadow_output" (%logits) {output_name:"logits"} : (tensor<1x-1xf32>) ->
() = "builtin.shadow_output" (%after) {output_name:"after"} : (tensor<2x1x1x6x8xf32>) ->
() = "builtin.shadow_output" (%out) {output_name:"out"} : (tensor<1x8xf32>) ->
}"""
TABLE = np.random.default_rng(4).standard_normal((9, 9), np.float32)
INPUTS = {"table": TABLE}
CACHES = {"all": "past"}


def follow(first, count):
    made = [first]
    for _ in range(count):
        made.append(int(np.argmax(TABLE[made[-1]])))
    return made[1:]


@pytest.fixture(scope="module")
def model():
    return libpir.Model.load_bytes(PROGRAM.encode())


@pytest.fixture()
def session(model):
    return model.session()


def test_tokens_come_one_by_one(session):
    made = []
    for token in session.generate([3, 5], INPUTS, caches=CACHES, max_tokens=6):
        made.append(token)
    assert made == follow(5, 6)
    # The loop has dropped its generation, so the session runs.
    (logits, _) = session.run({"ids": np.array([[2]]), "past": np.zeros((1, 0), np.float32), **INPUTS})
    assert np.array_equal(logits[0, 0], TABLE[2])


def test_stops_end_it_and_feeding_goes_on(session):
    start = next(i for i in range(9) if len(set(follow(i, 3))) == 3)
    wanted = follow(start, 3)
    with session.generate([start], INPUTS, caches=CACHES, stops=[wanted[2]]) as g:
        assert list(g) == wanted[:2]
        assert list(g) == []
        g.feed([start])
        assert next(g) == wanted[0]
        stats = g.stats
        assert stats["fed_tokens"] == 2 and stats["sequences"] == 1
        assert stats["cache_bytes"] == 4 * stats["cached_tokens"] and stats["copied_bytes"] == 0
        assert g.diagnostics == []
    assert list(g) == []


def test_a_seed_gives_the_same_tokens(model):
    draws = []
    for threads, seed in ((1, 8), (2, 8), (1, 9)):
        with model.session(threads=threads) as session:
            g = session.generate([0], INPUTS, caches=CACHES, max_tokens=200, temperature=2.0, top_k=5, top_p=0.9, seed=seed)
            draws.append(list(g))
            g.close()
    assert draws[0] == draws[1] != draws[2]
    assert len(set(draws[0])) > 4


def test_several_sequences(model):
    text = PROGRAM.replace('"past",place:Place(undefined:0),shape:[1,-1]', '"past",place:Place(undefined:0),shape:[-1,-1]').replace("1x-1xf32", "-1x-1xf32").replace("--", "-")
    session = libpir.Model.load_bytes(text.encode()).session()
    stop = follow(4, 1)[0]
    g = session.generate([[3], [4]], INPUTS, caches=CACHES, stops=[stop], max_tokens=2)
    three = follow(3, 2)
    assert stop not in three
    assert list(g) == [[three[0], None], [three[1], None]]


def test_a_session_generates_and_does_nothing_else(session):
    g = session.generate([1], INPUTS, caches=CACHES)
    with pytest.raises(RuntimeError, match="a generation uses the session"):
        session.run({"ids": np.array([[2]]), "past": np.zeros((1, 0), np.float32), **INPUTS})
    with pytest.raises(RuntimeError, match="a generation uses the session"):
        session.generate([1])
    with pytest.raises(RuntimeError, match="a generation uses the session"):
        session.close()
    assert next(g) == follow(1, 1)[0]
    g.close()
    g.close()
    with pytest.raises(ValueError, match="closed"):
        g.feed([1])
    with session.generate([1], INPUTS, caches=CACHES) as g, pytest.raises(ValueError, match="ids are integers"):
        g.feed([1.5])
    session.close()


def test_a_generation_begins_with_what_it_is_given(session):
    session.run({"ids": np.array([[2]]), "past": np.ones((1, 5), np.float32), **INPUTS})
    with session.generate([1], INPUTS, caches=CACHES) as g:
        assert g.stats["cached_tokens"] == 1 and g.stats["cache_bytes"] == 4
    # The bytes of a read-only array are copied: an op may write in place.
    model = libpir.Model.load_bytes(WRITTEN.encode())
    for writeable in (False, True):
        cache = np.zeros((2, 1, 1, 6, 8), np.float32)
        cache.flags.writeable = writeable
        with model.session() as written:
            with written.generate([1], {"x": np.ones((1, 24), np.float32), "cache": cache}, caches={"after": "cache"}, position="at") as g:
                assert g.stats["copied_bytes"] == 0
            assert cache.any() == writeable


def test_a_room_is_for_caches_that_grow():
    # The number of places is open, and the op writes in place.
    text = WRITTEN.replace("[2,1,1,6,8]", "[2,1,1,-1,8]").replace("2x1x1x6x8", "2x1x1x-1x8")
    session = libpir.Model.load_bytes(text.encode()).session()
    inputs = {"x": np.ones((1, 24), np.float32), "cache": np.zeros((2, 1, 1, 6, 8), np.float32)}
    with session.generate([1], inputs, caches={"after": "cache"}, position="at", room=2) as g:
        assert g.stats["copied_bytes"] == 0 and g.diagnostics == []
    assert inputs["cache"].any()


def test_a_generation_ends_in_no_other_use(session):
    g = session.generate([1], INPUTS, caches=CACHES)
    # As while another thread makes a token.
    with session._used(by=g._key):
        with pytest.raises(RuntimeError, match="another thread uses the session"):
            g.close()
    assert next(g) == follow(1, 1)[0]
    # What is dropped then is destroyed before the next use.
    with session._used(by=g._key):
        del g
        assert len(session._ended) == 1
    (logits, _) = session.run({"ids": np.array([[2]]), "past": np.zeros((1, 0), np.float32), **INPUTS})
    assert np.array_equal(logits[0, 0], TABLE[2])
    assert not session._ended


def test_arrays_over_caches_outlive_a_generation(session):
    with session.generate([1], INPUTS, caches=CACHES) as g:
        next(g)
        kept = session.output("all")
        before = kept.copy()
    assert len(session._ended) == 1 and np.array_equal(kept, before)
    with pytest.raises(BufferError):
        session.run({"ids": np.array([[2]]), "past": np.zeros((1, 0), np.float32), **INPUTS})
    del kept
    session.run({"ids": np.array([[2]]), "past": np.zeros((1, 0), np.float32), **INPUTS})
    assert not session._ended


def test_cancelling_and_going_on(model):
    flag = libpir.Cancel()
    session = model.session(cancel=flag)
    g = session.generate([1], INPUTS, caches=CACHES)
    wanted = follow(1, 2)
    assert next(g) == wanted[0]
    flag.set()
    with pytest.raises(libpir.CancelledError):
        next(g)
    flag.clear()
    assert next(g) == wanted[1]


def test_what_is_refused(session):
    with pytest.raises(ValueError, match="a prompt is"):
        session.generate([], INPUTS)
    with pytest.raises(ValueError, match="a prompt is"):
        session.generate([0.5], INPUTS)
    with pytest.raises(TypeError):
        session.generate([1], INPUTS, heat=1)
    with pytest.raises(libpir.InvalidError, match="give a temperature"):
        session.generate([1], INPUTS, caches=CACHES, top_k=3)
    with pytest.raises(libpir.NotFoundError, match='no output "some"'):
        session.generate([1], INPUTS, caches={"some": "past"})
    with pytest.raises(libpir.InvalidError, match="embedding"):
        session.generate([9], INPUTS, caches=CACHES)
    with pytest.raises(libpir.ExhaustedError, match="its room has 2"):
        session.generate([1, 2, 3], INPUTS, caches=CACHES, room=2)
    assert next(session.generate([1], INPUTS, caches=CACHES)) == follow(1, 1)[0]
