"""Beam search beside its definition: sums of log probabilities in float64, of all beams' continuations, without any cache."""
import pathlib

import numpy as np
import pytest

import libpir

WRITER = pathlib.Path(__file__).resolve().parents[2] / "models/writer"
ROWS = 3
# The logits of the next id are a row of a table; the cache is the ids so far, one row for each beam.
PROGRAM = """{
(%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[3,-1]} : () -> tensor<3x-1xi64>
(%table) = "pd_op.data" () {dtype:float32,name:"table",place:Place(undefined:0),shape:[9,9]} : () -> tensor<9x9xf32>
(%past) = "pd_op.data" () {dtype:float32,name:"past",place:Place(undefined:0),shape:[PAST]} : () -> tensor<PASTxf32>
(%logits) = "pd_op.embedding" (%ids, %table) {padding_idx:-1,sparse:false} : (tensor<3x-1xi64>, tensor<9x9xf32>) -> tensor<3x-1x9xf32>
(%n) = "pd_op.cast" (%ids) {dtype:float32} : (tensor<3x-1xi64>) -> tensor<3x-1xf32>
(%list) = "builtin.combine" (%past, %n) {} : (tensor<3x-1xf32>, tensor<3x-1xf32>) -> vec[tensor<3x-1xf32>,tensor<3x-1xf32>]
(%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
(%all) = "pd_op.concat" (%list, %axis) {} : (vec[tensor<3x-1xf32>,tensor<3x-1xf32>], tensor<1xi32>) -> tensor<3x-1xf32>
() = "builtin.shadow_output" (%logits) {output_name:"logits"} : (tensor<3x-1x9xf32>) ->
() = "builtin.shadow_output" (%all) {output_name:"all"} : (tensor<3x-1xf32>) ->
}"""
# The query of an id, its key and its value are a row of a table; attention reads a cache that it writes in place.
WRITTEN = """{
(%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[3,1]} : () -> tensor<3x1xi64>
(%table) = "pd_op.data" () {dtype:float32,name:"table",place:Place(undefined:0),shape:[9,24]} : () -> tensor<9x24xf32>
(%head) = "pd_op.data" () {dtype:float32,name:"head",place:Place(undefined:0),shape:[8,9]} : () -> tensor<8x9xf32>
(%cache) = "pd_op.data" () {dtype:float32,name:"cache",place:Place(undefined:0),shape:[2,3,1,12,8]} : () -> tensor<2x3x1x12x8xf32>
(%at) = "pd_op.data" () {dtype:int32,name:"at",place:Place(undefined:0),shape:[3,1]} : () -> tensor<3x1xi32>
(%rows) = "pd_op.embedding" (%ids, %table) {padding_idx:-1,sparse:false} : (tensor<3x1xi64>, tensor<9x24xf32>) -> tensor<3x1x24xf32>
(%one) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
(%x) = "pd_op.squeeze" (%rows, %one) {} : (tensor<3x1x24xf32>, tensor<1xi64>) -> tensor<3x24xf32>
(%out, %after, %n) = "pd_op.masked_multihead_attention_" (%x, %cache, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, %at, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {compute_dtype:"default",out_scale:-1,quant_max_bound:127,quant_min_bound:-127,quant_round_type:1,rotary_emb_dims:0,seq_len:1,use_neox_rotary_style:false} : (tensor<3x24xf32>, tensor<2x3x1x12x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<3x1xi32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<3x8xf32>, tensor<2x3x1x12x8xf32>, <<NULL TYPE>>
(%logits) = "pd_op.matmul" (%out, %head) {transpose_x:false,transpose_y:false} : (tensor<3x8xf32>, tensor<8x9xf32>) -> tensor<3x9xf32>
() = "builtin.shadow_output" (%logits) {output_name:"logits"} : (tensor<3x9xf32>) ->
() = "builtin.shadow_output" (%after) {output_name:"after"} : (tensor<2x3x1x12x8xf32>) ->
}"""
TABLE = 2 * np.random.default_rng(4).standard_normal((9, 9), np.float32)
CACHES = {"all": "past"}


def log_softmax(logits):
    logits = np.asarray(logits, np.float64)
    below = logits - logits.max()
    return below - np.log(np.exp(below).sum())


def reference(score, beams, most, stops=(), penalty=0.0, early=False):
    """`score`: log probabilities behind the ids of an answer."""
    live, answers = [(0.0, [])], []

    def keep(total, length, ids):
        answers.append((total / length**penalty, ids))
        answers.sort(key=lambda a: -a[0])
        del answers[beams:]

    for step in range(1, most + 1):
        offers = [(total + p, ids, t) for total, ids in live for t, p in enumerate(score(ids))]
        offers = sorted(offers, key=lambda o: -o[0])[:beams * (len(stops) + 1)]
        live = []
        for rank, (total, ids, token) in enumerate(offers):
            if len(live) == beams:
                break
            if token not in stops:
                live.append((total, ids + [token]))
            elif rank < beams:
                keep(total, step, ids)
        if not live:
            return answers
        if early and len(answers) == beams:
            return answers
        if step == most:
            break
        bound = max(total for total, _ in live) / (most if penalty > 0 else step + 1)**penalty
        if len(answers) == beams and bound <= answers[-1][0]:
            return answers
    for total, ids in live:
        keep(total, most, ids)
    return answers


def check(found, wanted):
    assert [b.ids for b in found] == [ids for _, ids in wanted]
    np.testing.assert_allclose([b.score for b in found], [s for s, _ in wanted], rtol=1e-5)


@pytest.fixture(scope="module")
def session():
    return libpir.Model.load_bytes(PROGRAM.replace("[PAST]", "[3,-1]").replace("PAST", "3x-1").encode()).session()


@pytest.mark.parametrize("penalty", [0.0, 1.0, 2.5, -0.5])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("stops", [(), (2,), (1, 7)])
def test_answers_are_those_of_the_definition(session, penalty, early, stops):
    wanted = reference(lambda ids: log_softmax(TABLE[([5] + ids)[-1]]), ROWS, 7, stops, penalty, early)
    found = session.search([3, 5], {"table": TABLE}, best=ROWS, beams=ROWS, max_tokens=7, stops=stops, length_penalty=penalty,
                           early_stop=early, caches=CACHES)
    check(found, wanted)


def test_all_continuations_are_stops(session):
    found = session.search([5], {"table": TABLE}, best=3, beams=ROWS, max_tokens=7, stops=range(9), caches=CACHES)
    order = np.argsort(-log_softmax(TABLE[5]))[:3]
    assert [b.ids for b in found] == [[]] * 3
    np.testing.assert_allclose([b.score for b in found], log_softmax(TABLE[5])[order], rtol=1e-5)


def test_a_character_model_finds_its_best_texts():
    text = (WRITER / "model.json").read_text()
    weights = (WRITER / "model.pdiparams").read_bytes()
    alone = libpir.Model.load_bytes(text.encode(), weights).session()
    names = [p.name for p in alone.model.inputs]
    prompt = list(b"with samp")

    def score(ids):
        inputs = {n: np.zeros((1, 0, 4, 32), np.float32) for n in names if n not in ("ids", "position")}
        given = np.array([prompt + ids])
        logits = alone.run({"ids": given, "position": np.arange(given.size)[None], **inputs})[0]
        return log_softmax(np.asarray(logits).reshape(-1, 128)[-1])

    model = libpir.Model.load_bytes(text.replace("[1,-1", f"[{ROWS},-1").encode(), weights)
    for stops, penalty in (((), 0.0), ((32,), 1.0)):
        wanted = reference(score, ROWS, 12, stops, penalty)
        runs = [model.session(threads=n).search(
            prompt, best=ROWS, beams=ROWS, max_tokens=12, stops=stops, length_penalty=penalty, position="position") for n in (1, 2)]
        check(runs[0], wanted)
        assert runs[0] == runs[1]


def test_caches_are_reordered_where_they_lie():
    rng = np.random.default_rng(8)
    table, head = 2 * rng.standard_normal((9, 24), np.float32), 2 * rng.standard_normal((8, 9), np.float32)
    session = libpir.Model.load_bytes(WRITTEN.encode()).session()

    def score(ids):
        q, keys, values = np.split(table[[4, 1] + ids].astype(np.float64), 3, axis=1)
        shares = np.exp(log_softmax(keys @ q[-1] / np.sqrt(8)))
        return log_softmax(shares @ values @ head)
    inputs = {"table": table, "head": head, "cache": np.zeros((2, ROWS, 1, 12, 8), np.float32)}
    wanted = reference(score, ROWS, 9)
    with session.generate([4, 1], inputs, beams=ROWS, max_tokens=9, ids="ids", position="at", caches={"after": "cache"}) as g:
        check(g.search(ROWS), wanted)
        assert g.stats["copied_bytes"] == 0
    with session.generate([4, 1], inputs, beams=ROWS, max_tokens=99, ids="ids", position="at", caches={"after": "cache"}) as g:
        with pytest.raises(libpir.InvalidError, match="cache_kv: has 12 places, and sequence 0 needs place 12"):
            g.search()


def test_what_a_search_cannot_do(session):
    def refused(kind, text, prompt=(3,), to=session, **choice):
        with pytest.raises(kind, match=text):
            to.search(list(prompt), {"table": TABLE}, caches=CACHES, **({"max_tokens": 4} | choice))
    refused(libpir.InvalidError, "of a search: give beams", length_penalty=1.0)
    refused(libpir.InvalidError, "beams exclude temperature", beams=ROWS, temperature=1.0)
    refused(libpir.InvalidError, "65 beams, more than 64", beams=65)
    refused(libpir.InvalidError, 'input "ids" has 3 sequences, not 2', beams=2)
    refused(libpir.InvalidError, "length_penalty is no number from -100 to 100", beams=ROWS, length_penalty=float("nan"))
    refused(libpir.InvalidError, "length_penalty is no number from -100 to 100", beams=ROWS, length_penalty=101.0)
    refused(libpir.InvalidError, "the search cannot end: give max_tokens$", beams=ROWS, max_tokens=0)
    refused(libpir.InvalidError, "the search cannot end: give max_tokens or early_stop", beams=ROWS, max_tokens=0, stops=[2],
            length_penalty=1.0)
    with session.generate([[3]] * ROWS, {"table": TABLE}, caches=CACHES) as g:
        with pytest.raises(libpir.InvalidError, match="the generation has no beams"):
            g.search()
    with session.generate([3], {"table": TABLE}, caches=CACHES, beams=ROWS, max_tokens=2) as g:
        with pytest.raises(libpir.InvalidError, match="made by pir_generation_search"):
            next(g)
        first = g.search(best=2)
        assert g.search(best=2) == first and len(first) == 2
        assert len(g.search(best=10**12)) == ROWS
        with pytest.raises(libpir.InvalidError, match="behind a search"):
            g.feed([1])
    both = PROGRAM.replace("[PAST]", "[3,3]").replace("PAST", "3x3")
    refused(libpir.UnsupportedError, '3 beams with cache "past", of which several axes may be their rows', beams=ROWS,
            to=libpir.Model.load_bytes(both.encode()).session())


def cached_by(shape, result, ids="3,-1"):
    """A cache of these extents that goes on as `result`, beside ids whose logits are rows of a table."""
    def of(extents):
        return extents.replace(",", "x")
    reshape = f"""(%to) = "pd_op.full_int_array" () {{dtype:int64,place:Place(cpu),value:[{result}]}} : () -> tensor<{len(result.split(","))}xi64>
(%next) = "pd_op.expand" (%one, %to) {{}} : (tensor<1xf32>, tensor<{len(result.split(","))}xi64>) -> tensor<{of(result)}xf32>"""
    return libpir.Model.load_bytes(f"""{{
(%ids) = "pd_op.data" () {{dtype:int64,name:"ids",place:Place(undefined:0),shape:[{ids}]}} : () -> tensor<{of(ids)}xi64>
(%table) = "pd_op.data" () {{dtype:float32,name:"table",place:Place(undefined:0),shape:[9,9]}} : () -> tensor<9x9xf32>
(%past) = "pd_op.data" () {{dtype:float32,name:"past",place:Place(undefined:0),shape:[{shape}]}} : () -> tensor<{of(shape)}xf32>
(%one) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[1],value:1}} : () -> tensor<1xf32>
{reshape}
(%logits) = "pd_op.embedding" (%ids, %table) {{padding_idx:-1,sparse:false}} : (tensor<{of(ids)}xi64>, tensor<9x9xf32>) -> tensor<{of(ids)}x9xf32>
() = "builtin.shadow_output" (%logits) {{output_name:"logits"}} : (tensor<{of(ids)}x9xf32>) ->
() = "builtin.shadow_output" (%next) {{output_name:"next"}} : (tensor<{of(result)}xf32>) ->
}}""".encode()).session()


def test_a_cache_of_another_batch_is_refused():
    to = cached_by("3,4", "1,4")
    for _ in range(2):
        with pytest.raises(libpir.Error, match='"next"|"past"'):
            to.search([3], {"table": TABLE}, beams=ROWS, max_tokens=4, caches={"next": "past"})


@pytest.mark.parametrize(("shape", "bound"), [("-1,3,-1,8", None), ("-1,3,-1,8", (3, 3, 0, 8)), ("-1,3,2,8", (1, 3, 2, 8)),
                                              ("2,2,3,3,4,8", None), ("2,3,1,3,8", None)])
def test_a_cache_whose_rows_may_be_several_axes_is_refused(shape, bound):
    inputs = {"table": TABLE} | ({"past": np.zeros(bound, np.float32)} if bound else {})
    to = cached_by(shape, shape.replace("-1", "3"))
    with pytest.raises(libpir.UnsupportedError, match='3 beams with cache "past", of which several axes may be their rows'):
        to.search([3], inputs, beams=ROWS, max_tokens=4, caches={"next": "past"})
    none = cached_by("2,4", "2,4")
    with pytest.raises(libpir.UnsupportedError, match='cache "past", of which no axis has as many elements'):
        none.search([3], {"table": TABLE}, beams=ROWS, max_tokens=4, caches={"next": "past"})


def test_without_memory_a_search_goes_on_as_before():
    model = libpir.Model.load_bytes(PROGRAM.replace("[PAST]", "[3,-1]").replace("PAST", "3x-1").encode())

    def search(g):
        try:
            return g.search(ROWS)
        except libpir.ExhaustedError as error:
            return str(error)
    choice = {"beams": ROWS, "max_tokens": 150, "stops": (1, 7), "length_penalty": 1.0, "caches": CACHES}
    wanted = model.session().search([5], {"table": TABLE}, best=ROWS, **choice)
    ends = set()
    for limit in range(0, 40000, 499):
        try:
            session = model.session(max_bytes=limit)
            with session.generate([5], {"table": TABLE}, **choice) as g:
                found = search(g)
                assert search(g) == found
        except libpir.ExhaustedError:
            continue
        assert found == wanted or isinstance(found, str)
        ends.add(type(found))
    assert ends == {str, list}
