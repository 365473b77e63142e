"""Tensors of strings: what goes in as str or bytes comes out as str, or as bytes where it is not UTF-8."""
import numpy as np
import pytest

import libpir

TYPE = "tensor<-1x-1xpstring>"


def text_of(op, attrs):
    return f"""{{
(%0) = "pd_op.data" () {{dtype:pstring,name:"x",place:Place(undefined:0),shape:[-1,-1]}} : () -> {TYPE}
(%1) = "pd_op.{op}" (%0) {{{attrs}}} : ({TYPE}) -> {TYPE}
() = "builtin.shadow_output" (%1) {{output_name:"y"}} : ({TYPE}) ->
() = "builtin.shadow_output" (%0) {{output_name:"same"}} : ({TYPE}) ->
}}"""


def model_of(op, attrs):
    return libpir.Model.create(libpir.Program.parse(text_of(op, attrs)))


@pytest.fixture(scope="module")
def lower():
    return model_of("strings_lower", "use_utf8_encoding:true")


def check(found, want):
    assert found.dtype == object and found.shape == np.shape(np.array(want, object))
    assert [(type(x), x) for x in found.ravel()] == [(type(x), x) for x in np.array(want, object).ravel()]


@pytest.mark.parametrize("given", [
    [["ABC", "ÄÖ"], ["", "x"]],
    np.array([["ABC", "ÄÖ"], ["", "x"]]),
    np.array([["ABC", "ÄÖ"], ["", "x"]]).T.copy().T,
    np.array([["ABC", "ÄÖ"], ["", "x"]], object),
    np.array([[b"ABC", "ÄÖ".encode()], [b"", b"x"]]),
    [["ABC", "ÄÖ".encode()], [b"", "x"]],
], ids=["list", "U", "fortran", "object", "S", "mixed"])
def test_arrays_of_strings(lower, given):
    low, same = lower.run({"x": given})
    check(low, [["abc", "äö"], ["", "x"]])
    check(same, [["ABC", "ÄÖ"], ["", "x"]])


def test_any_bytes_come_out(lower):
    low, same = lower.run([[["A\0B\0", b"\xffX", "\U0001F600"]]])
    check(low, [["a\0b\0", b"\xffx", "\U0001F600"]])
    check(same, [["A\0B\0", b"\xffX", "\U0001F600"]])
    low, _ = lower.run([np.empty((0, 3), object)])
    assert low.shape == (0, 3)


def test_ports_and_outputs_of_a_session(lower):
    assert lower.inputs[0].dtype == "pstring" and lower.outputs[0].dtype == "pstring"
    session = lower.session()
    (low, same) = session.run([[["A"]]], copy=False)
    session.run([[["B"]]])
    assert low[0, 0] == "a" and same[0, 0] == "A" and session.output("y")[0, 0] == "b"
    with pytest.raises(ValueError, match="output 0 has strings, which are not written in place"):
        session.run([[["B"]]], outputs={"y": np.empty((1, 1), object)})


def test_what_is_no_string_is_refused(lower):
    with pytest.raises(TypeError, match="has to be str or bytes, not float"):
        lower.run([[["a", float("nan")]]])
    with pytest.raises(libpir.InvalidError, match="expects pstring, got float32"):
        lower.run([np.ones((1, 1), np.float32)])
    numbers = libpir.Model.create(libpir.Program.parse(text_of("relu", "").replace("pstring", "f32").replace("dtype:f32", "dtype:float32")))
    with pytest.raises(libpir.InvalidError, match="expects float32, got pstring"):
        numbers.run([np.array([["a"]])])
    with pytest.raises(libpir.ExhaustedError, match="more than max_bytes allows"):
        lower.session(max_bytes=1000).run([[["a" * 2000]]])


@pytest.mark.skipif(not hasattr(np, "dtypes") or not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has StringDType")
def test_string_dtype(lower):
    low, _ = lower.run([np.array([["ABC", "ÄÖ"]], np.dtypes.StringDType())])
    check(low, [["abc", "äö"]])


# Letters of the basic plane that have no other case in Paddle's tables: titlecase letters, Georgian, and letters that
# Unicode has had since version 11.
TITLE = {0x1C5, 0x1C8, 0x1CB, 0x1F2, *range(0x1F88, 0x1F90), *range(0x1F98, 0x1FA0), *range(0x1FA8, 0x1FB0), 0x1FBC, 0x1FCC, 0x1FFC}
GEORGIAN = {*range(0x10D0, 0x10FB), *range(0x10FD, 0x1100), *range(0x1C90, 0x1CBB), *range(0x1CBD, 0x1CC0)}
LATER = {0x2C2F, 0x2C5F, *range(0xA7B8, 0xA7CB), *range(0xA7CB, 0xA7F7)}
CASELESS = TITLE | GEORGIAN | LATER
# Scripts with case beyond it.
BEYOND = {*range(0x10400, 0x10450), *range(0x104B0, 0x104FC), *range(0x10570, 0x105BD), *range(0x10C80, 0x10CF3), *range(0x118A0, 0x118E0),
          *range(0x16E40, 0x16E80), *range(0x1E900, 0x1E944)}
ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def other_case(c, change, special):
    """One letter in the other case by Unicode's mapping of one to one, which str.title has where str.upper makes several."""
    letter = chr(c)
    if c in special:
        return special[c]
    if c in CASELESS or (c > 0xFFFF and c not in BEYOND):
        return letter
    return next((x for x in (change(letter), letter.title() if change is str.upper else letter) if len(x) == 1), letter)


@pytest.mark.parametrize("op, change, special", [
    ("strings_lower", str.lower, {0x130: "i"}),
    ("strings_upper", str.upper, {0xDF: "\u1e9e"}),
])
def test_every_letter(op, change, special):
    want = "".join(other_case(c, change, special) for c in ALL)
    found = model_of(op, "use_utf8_encoding:true").run([[["".join(map(chr, ALL))]]])[0][0, 0]
    assert [(hex(c), x, y) for c, x, y in zip(ALL, found, want) if x != y] == [] and len(found) == len(want)
    ascii_alone = model_of(op, "use_utf8_encoding:false").run([[["".join(map(chr, ALL))]]])[0][0, 0]
    assert ascii_alone == "".join(change(chr(c)) if c < 128 else chr(c) for c in ALL)
