"""Message bodies that deviate from section 6 in a random way, or seem to."""
import json

from messages import OPERATIONS, message
from sealedpush_py.json_strict import compact

# For each member, values at or beyond its bounds; and for any, values of another type.
DECIMALS = ["", "0", "1", "0.5", "1.0000", "1.0001", "1.00000", "0.1234", "0.12345", "00.5", ".5", "1.", "0.", "-0",
            "+1", "2", " 1", "1\n", "٠", "0,5", "1e0", "0x1", "nan"]
TARGETS = ["", "A" * 22, "A" * 21 + "B", "A" * 21, "A" * 23, "A" * 21 + "=", "A" * 22 + "==", "A" * 21 + "+", "é" * 11]
ARGUMENTS = [[], [""], ["a"], ["a"] * 8, ["a"] * 9, [1], [None], [["a"]], {}, "a", ""]
TEXTS = ["", "x", " ", "\u200b", "\ufeff", "\U0010ffff", "\ud7ff", "\ue000", "\u202e", "a" * 500]
# Good attachments, and then bad ones, or such as only look bad.
POINTER = {"id": "A" * 22, "url": "https://a.example/b", "key": "A" * 43, "size": 0, "stored": 72, "type": "image/png"}
SECOND = POINTER | {"id": "A" * 21 + "Q", "key": "A" * 42 + "E"}
THUMBNAIL = {"thumbnail": True}
URLS = [
    "https://a.example", "https://a.example?x", "https:///a", "https://", "https:/a.example/", "//a.example/",
    "http://a.example/", "HTTPS://a.example/", "ftp://a.example/", "file:///etc/passwd", "file://a.example/", "data:,x",
    "https://good@evil.example/", "https://good:x@evil.example/", "https://@evil.example/", "https://a.example/@evil",
    "https://good\\@evil.example/", "https://good.example\\evil/", "https://a.example/\\b", "https://a.example/b\n",
    "https://a.example\n/b", " https://a.example/b", "https://a.example/b ", "https://a.example/b\u0000",
    "https://a.example/%00", "https://a.example/?%00", "https://a.example/%2f", "https://a.example/%2F",
    "https://a.example/%5c", "https://a.example/?%2f%5C", "https://a.example/%", "https://a.example/%2",
    "https://a.example/%zz", "https://a.example/%٢٠", "https://a.example/.", "https://a.example/..",
    "https://a.example/./b", "https://a.example/b/../c", "https://a.example/%2e%2E/b", "https://a.example/.%2e",
    "https://a.example/%2e", "https://a.example/%252e", "https://a.example/...", "https://a.example/?../..",
    "https://a.example/b#c", "https://a.example/#", "https://a.example:0/", "https://a.example:/",
    "https://a.example:443/", "https://a.example:0443/", "https://a.example:65535/", "https://a.example:65536/",
    "https://a.example:99999999999999999999/", "https://a.example:+1/", "https://a.example:1٣/", "https://a.example:1:2/",
    "https://A.example/", "https://a.Example/", "https://аррӏе.example/", "https://xn--80ak6aa92e.example/",
    "https://a/", "https://localhost/", "https://localhost./", "https://Localhost/", "https://a.localhost/",
    "https://a..example/", "https://.example/", "https://a.example./", "https://-a.example/", "https://a-.example/",
    "https://a_b.example/", "https://a.3xample/", "https://a.example3/", "https://%61.example/",
    "https://" + "a" * 63 + ".example/", "https://" + "a" * 64 + ".example/", "https://127.0.0.1/", "https://127.1/",
    "https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://127.0.0.01/",
    "https://256.0.0.1/", "https://1.2.3.4.5/", "https://1.2.3./", "https://1.2.3.4:5/", "https://a.1/", "https://a.0x1/",
    "https://[::1]/", "https://[::1]:1/", "https://[::1]1/", "https://[::]/", "https://[]/", "https://[:]/",
    "https://[:::]/", "https://[1:2:3:4:5:6:7:8]/", "https://[1:2:3:4:5:6:7]/", "https://[1:2:3:4:5:6:7::]/",
    "https://[::1:2:3:4:5:6:7:8]/", "https://[1::2::3]/", "https://[12345::]/", "https://[::A]/", "https://[::g]/",
    "https://[::127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://[::1/", "https://::1/", "https://[::1]]/",
    "https://a.example/'", 'https://a.example/"', "https://a.example/<>", "https://a.example/^", "https://a.example/é",
    "https://a.example/?a b", "https://a.example/?", "https://a.example//", "https://a.example/" + "b" * 182,
    "https://a.example/" + "b" * 183, "https://a.example/~!$&()*+,;=:@-._"]
POINTERS = [
    *({"url": url} for url in URLS), *({"id": text} for text in ["", "A" * 21, "A" * 21 + "B", "A" * 23, 7, None]),
    *({"key": text} for text in ["", "A" * 42, "A" * 42 + "B", "A" * 44, "A" * 42 + "=", 7, None, []]),
    *({"size": size, "stored": stored} for size, stored in [
        (1, 73), (1, 72), (2, 74), (9, 82), (9, 81), (16_383, 16_472), (16_383, 16_456), (16_384, 16_472),
        (2**40, 1_100_585_369_672), (2**40 + 1, 1_117_782_016_072), (2**63 - 1, 72), (-1, 72), ("0", 72), (0, "72"),
        (True, 73), (False, 72), (None, 72), (0, None), (0, 71), (0, 0)]),
    *({"type": text} for text in ["", "image", "image/", "/png", "image/png/x", "Image/png", "image/PNG", "image/png ",
                                  "image/png;q=1", "x/" + "y" * 62, "x/" + "y" * 63, "a+b/c.d", "+a/b", "a/é", 7,
                                  "a/!#$&-^_.+", "0/0!#$&-^_.+", "*/*", "image/*", "a/b\n"]),
    *({"name": text} for text in ["", "x", "../../x", "a" * 64, "a" * 65, "é" * 32, "é" * 33, "\u202e", 7, None, [], {}]),
    *({"thumbnail": flag} for flag in [False, True, 0, 1, "true", "", None, []]), {"unknown": [1]}, {"Name": 1}]
ATTACHMENTS = [
    [POINTER], [POINTER, SECOND], [POINTER, POINTER], [POINTER, SECOND | {"id": POINTER["id"]}],
    [POINTER, SECOND | {"key": POINTER["key"]}], [POINTER | THUMBNAIL, SECOND], [POINTER, SECOND | THUMBNAIL],
    [POINTER | THUMBNAIL, SECOND | THUMBNAIL], [POINTER, None], [POINTER, []], [[POINTER]], POINTER, [{}],
    [POINTER | {"id": f"{'A' * 20}{i}A", "key": f"{'A' * 41}{i}A"} for i in range(4)],
    [POINTER | {"id": f"{'A' * 20}{i}A", "key": f"{'A' * 41}{i}A"} for i in range(5)],
    [POINTER | {"id": f"{'A' * 20}{i}A", "key": f"{'A' * 41}{i}A", "thumbnail": i != 3} for i in range(4)],
    *([{name: value for name, value in POINTER.items() if name != missing}] for missing in POINTER),
    *([POINTER | change] for change in POINTERS), *([POINTER | change, SECOND] for change in POINTERS[-9:])]
NEAR = {
    "op": [*OPERATIONS, "frobnicate", "Show", "show ", ""], "target": TARGETS, "call": TEXTS,
    "badge": [0, 1, -1, 9_999, 10_000, 2**63 - 1, 2**63, True, False, "1", "", None],
    "title": TEXTS, "subtitle": TEXTS, "body": TEXTS,
    "title-loc-key": TEXTS, "subtitle-loc-key": TEXTS, "loc-key": TEXTS,
    "title-loc-args": ARGUMENTS, "subtitle-loc-args": ARGUMENTS, "loc-args": ARGUMENTS,
    "thread-id": TEXTS, "category": ["reply", "re\u0301ply", "Reply", "reply ", "unknown", ""],
    "sound": ["default", "bell.caf", "Default", "../bell.caf", ""], "sound-volume": DECIMALS,
    "level": ["passive", "active", "time-sensitive", "critical", "Critical", "loud", ""], "relevance-score": DECIMALS,
    "target-content-id": TEXTS, "sender": TEXTS,
    "user-info": [{}, {"room": None}, {"room": []}, {"room": {}}, {"": ""}, {"count": 2**63}, {"count": True},
                  {"room": "é", "count": 7, "é": 1, "e\u0301": 2}, {str(i): i for i in range(16)},
                  {str(i): i for i in range(17)}, {"!": 1, "~": 2},
                  {"a b": 1}, {"\x7f": 1}, {"a" * 64: 1}, {"a" * 65: 1},
                  {"room\n": 1}, {"é": 1}, [], ["room"], ""],
    "crit": [[], ["body"], ["op", "crit", "badge"], ["attachments"], ["receipt"], ["unknown"], [""], ["Body"],
             ["body", "x"], [1], "body", "", {}, None, ["body"] * 100],
    "receipt": TARGETS, "attachments": ATTACHMENTS, "unknown": []}
ANY = ["", "x", 0, 1, -(2**63), -(2**63) - 1, 10**30, True, False, None, [], {}, ["a"], [[]], {"a": 1}]

# Values as they stand in the text. The first are good, the others bad in any place; the last only look bad.
FINE = ["1", "-1", "[1,[2]]", '"\\u00e9"', '"\\ud83d\\ude00"', '"\\/"', "[ ]", "{\t}", "[" * 7 + "]" * 7,
        "9223372036854775807", "-9223372036854775808"]
BAD = [
    "-0", "1.0", "1e2", "1E2", "0.5", "01", "-01", "+1", "-", "NaN", "Infinity", "-Infinity", "nul", "True", "'a'", "",
    "9223372036854775808", "-9223372036854775809", "1_000", "0x1", "٣", "\\u0031", "\u2028", "\u00a01", "\ufeff1",
    '"\\x41"', '"\\u12"', '"\\u+123"', '"\\U0041"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud800\\u0041"', '"\\u0000"',
    '"a', '"\t"', '"\x1f"', "[1,]", "[,1]", "[1 2]", "[1}", "[" * 8 + "]" * 8, "[" * 900 + "]" * 900, "/**/1",
    '{"a":1,}', '{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '{"\\u0000":1}', '{"\\ud800":1}', "{1:2}", '{"a"}', '{"a":}']
LOOKS_BAD = ['{"é":1,"e\u0301":2}', '{"A":1,"a":2}', '"\x7f"', '"\u2028"', '"\ufeff"', '"\ufdd0"', '{"":1}', "\n 1\t"]
# Bytes around or instead of a document.
WHOLE = [lambda raw: b"\xef\xbb\xbf" + raw, lambda raw: raw + b"x", lambda raw: raw + b"{}", lambda raw: raw + b"\0",
         lambda raw: raw[:-1], lambda raw: raw[:-1] + b",}", lambda raw: b"[" + raw + b"]", lambda raw: b'"body"',
         lambda raw: b"null", lambda raw: b"  ", lambda raw: b" \n\t\r" + raw + b" \n\t\r", lambda raw: b"\x0b" + raw,
         lambda raw: raw.decode().encode("utf-16-le"), lambda raw: b"\xc2\xa0" + raw, lambda raw: b"//\n" + raw]
NOT_UTF8 = [b"\xc3(", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80",
            b"\xf8\x88\x80\x80\x80", b"\x80", b"\xff", b"\xf0\x9f\x98", b"\xe2\x82"]


# The members that a member needs beside it.
BESIDE = {"sound-volume": {"sound": "default"}, "title-loc-args": {"title-loc-key": "k"}, "loc-args": {"loc-key": "k"},
          "subtitle-loc-args": {"subtitle-loc-key": "k"}, "target": {"op": "replace"}, "call": {"op": "call"}}


def every_body():
    """Each value of each table once, in an otherwise plain message, with and without its required members."""
    for name, values in NEAR.items():
        for value in [*values, *ANY]:
            yield compact({"body": "b", name: value})
            yield compact({name: value})
            if name in BESIDE:
                yield compact({"body": "b"} | BESIDE[name] | {name: value})
            if name == "crit":
                yield compact({"op": "frobnicate", "unknown": 1, name: value})
    for operation in OPERATIONS[-6:]:  # which of them need text, and what counts as text
        needed = {"op": operation, "badge": 1, **{"replace": {"target": "A" * 22}, "remove": {"target": "A" * 22},
                                                  "call": {"call": "c"}}.get(operation, {})}
        for name in "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key", "thread-id":
            yield compact(needed | {name: "x"})
        yield compact(needed | {"body": "x", "attachments": [POINTER]})
        yield compact(needed | {"body": "x", "attachments": []})
    for text in FINE + BAD + LOOKS_BAD:
        for name in "unknown", "title", "badge", "attachments":
            yield f'{{"body":"b","{name}":{text}}}'.encode()
    for change in WHOLE:
        yield change(b'{"body":"b"}')
    for raw in NOT_UTF8:
        yield b'{"body":"a' + raw + b'z"}'
        yield b'{"body":"b","' + raw + b'":1}'


def deviant_body(generator):
    """A body's bytes, never longer than any frame has room for."""
    while True:
        raw = generator.choice(WAYS)(generator)
        if 2 <= len(raw) <= 2_690:
            return raw


def base(generator):
    members = message(generator)
    return {name: value if not isinstance(value, str) else value[:60] for name, value in members.items()}


def any_member(generator):
    """A member of the wrong type, outside its range, at its bound, or missing; mostly in a message of that one only."""
    members = base(generator) if generator.random() < 0.3 else {"body": "b"}
    if generator.random() < 0.1:
        del members[generator.choice(sorted(members))]
    name = generator.choice(sorted(NEAR))
    members[name] = generator.choice(NEAR[name] if NEAR[name] and generator.random() < 0.8 else ANY)
    return compact(members | (BESIDE.get(name, {}) if generator.random() < 0.8 else {}))


def combined(generator):
    """An operation, and members that belong to another one."""
    members = {"op": generator.choice([*NEAR["op"], 1, None])}
    values = {"target": "A" * 22, "call": "c", "badge": 1, "title": "t", "subtitle": "s", "body": "b", "loc-key": "k",
              "loc-args": ["a"], "title-loc-args": ["a"], "title-loc-key": "t", "sound-volume": "0.5",
              "sound": "default", "level": "critical", "sender": "S", "attachments": [POINTER]}
    for name in generator.sample(sorted(values), generator.randint(0, 6)):
        members[name] = generator.choice((values[name], values[name], ""))
    return compact(members)


def critical(generator):
    members = base(generator) | {"crit": generator.choice(NEAR["crit"]), "unknown": generator.choice(ANY)}
    return compact(members | ({"op": "frobnicate"} if generator.random() < 0.2 else {}))


def literal(generator):
    """A value as JSON text, good or bad, in a known or an unknown member."""
    text = compact(base(generator)).decode()
    name = generator.choice(("unknown", "unknown", "badge", "body", "attachments"))
    value = generator.choice(generator.choice((FINE, BAD, BAD, LOOKS_BAD)))
    return (text[:-1] + ("," if len(text) > 2 else "") + f'"{name}":{value}}}').encode()


def whole(generator):
    return generator.choice(WHOLE)(compact(base(generator)))


def not_utf8(generator):
    return b'{"body":"a' + generator.choice(NOT_UTF8) + b'z"}'


def respelled(generator):
    """The same message with other white space and escapes, which is as good; or with a name twice."""
    members = base(generator)
    names = list(members) + ([generator.choice(sorted(members))] if members and generator.random() < 0.3 else [])
    parts = [f"{spelled(generator, name)}{space(generator)}:{space(generator)}{spelled(generator, members[name])}"
             for name in names]
    joined = f"{space(generator)},{space(generator)}".join(parts)
    return f"{{{space(generator)}{joined}{space(generator)}}}".encode()


def space(generator):
    return "".join(generator.choices(" \t\r\n", k=generator.randrange(3)))


def spelled(generator, value):
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=generator.random() < 0.5)
    escaped = "".join(f"\\u{unit:04{generator.choice('xX')}}" for unit in utf16(value))
    return generator.choice((f'"{escaped}"', json.dumps(value), json.dumps(value, ensure_ascii=False)))


def utf16(text):
    raw = text.encode("utf-16-be")
    return [int.from_bytes(raw[at:at + 2], "big") for at in range(0, len(raw), 2)]


WAYS = (any_member, any_member, any_member, literal, literal, whole, not_utf8, respelled, critical, combined)
