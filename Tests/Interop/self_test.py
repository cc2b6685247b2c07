"""What is checked before anything is compared: published examples, and that the vector runner can fail.

The files it runs are made here, by hand, and are no part of the published vectors.
"""
import contextlib
import io
import json
import pathlib
import random
import struct
import tempfile

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import vectors
from forgery import Forgery
from messages import ALLOW, NOW, TOPIC, World, public_bytes
from sealedpush_py import envelope, safety_number, web_push
from sealedpush_py.encoding import DAY, MINUTE, SECOND, base64url, from_base64url
from sealedpush_py.keys import SMALL_ORDER_Y

HERE = pathlib.Path(__file__).parent

# RFC 8291 section 5: ua_private, auth_secret and the body of the request.
RFC_8291_KEY = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94 BTBZMqHH6r4Tts7J_aSIgg"
RFC_8291_RECORD = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y"
    "l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")

# The y of the eight small-order encodings as other implementations list them (RFC 8032's order of bytes).
SMALL_ORDER = [
    "00" * 32, "01" + "00" * 31, "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "ec" + "ff" * 30 + "7f"]

SLOW = {"message-floor"}  # four thousand messages: run once


def check(tally):
    small = {int.from_bytes(bytes.fromhex(text), "little") for text in SMALL_ORDER}
    tally.expect(SMALL_ORDER_Y == small, "the points of small order are the known ones")
    check_web_push(tally)
    check_runner(tally)


def check_web_push(tally):
    record = from_base64url(RFC_8291_RECORD)
    shows = vectors.subscription(RFC_8291_KEY).open(record)
    tally.expect(shows == {"body": "When I grow up, I want to be a watermelon"}, "opens the example of RFC 8291")
    made = json.loads((HERE / "http_ece_records.json").read_text())
    receiver = web_push.Subscription.of(from_base64url(made["private"], 32), from_base64url(made["auth"], 16))
    for i, case in enumerate(made["records"]):
        found, shows = vectors.verdict(receiver.open, from_base64url(case["record"]))
        tally.expect((found, shows) == ("refused" if case["shows"] is None else "valid", case["shows"]),
                     f"http-ece's record {i}")
    check_record_structure(tally, receiver)


def check_record_structure(tally, receiver):
    """Records made here, with one thing wrong or unusual in what is around or behind the text."""
    sender, salt = ec.derive_private_key(7, ec.SECP256R1()), bytes(16)
    point, receiver_point = (web_push.point_bytes(key.public_key()) for key in (sender, receiver.private_key))
    keys = web_push.content_keys(sender.exchange(ec.ECDH(), receiver.private_key.public_key()), receiver.auth,
                                 receiver_point, point, salt)

    def record(padded, record_size=None, point=point, id_size=65, tail=b""):
        ciphertext = AESGCM(keys[0]).encrypt(keys[1], padded, b"") + tail
        size = len(ciphertext) if record_size is None else record_size
        return salt + struct.pack(">IB", size, id_size) + point + ciphertext

    off_curve = point[:64] + bytes([point[64] ^ 1])
    compressed = sender.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    for name, raw, shows in (
            ("plain", record(b"abc\2"), {"body": "abc"}),
            ("padded", record(b"abc\2" + bytes(99)), {"body": "abc"}),
            ("no text", record(b"\2\0"), {}),
            ("2 in the text", record(b"a\2\2"), {"body": "a\2"}),
            ("rs too small by one", record(b"abc\2", 19), None),
            ("rs large", record(b"a\2", 2**32 - 1), {"body": "a"}),
            ("rs 17", record(b"\2", 17), None),
            ("rs 18", record(b"\2", 18), {}),
            ("rs 0", record(b"\2", 0), None),
            ("not the last record", record(b"abc\1"), None),
            ("no delimiter", record(b"abc"), None),
            ("only zeros", record(bytes(9)), None),
            ("nothing", record(b"", 18), None),
            ("a byte behind", record(b"a\2", tail=b"x"), None),
            ("not on the curve", record(b"a\2", point=off_curve), None),
            ("key id of 64", record(b"a\2", id_size=64), None),
            ("compressed", record(b"a\2", point=compressed, id_size=33), None),
            ("hybrid", record(b"a\2", point=b"\6" + point[1:]), None),
            ("no UTF-8", record(b"\xff\2"), None),
            ("U+0000", record(b"a\0b\2"), None),
            ("a space first", record(b' {"title":1}\2'), {"body": ' {"title":1}'}),
            ("JSON", record(b'{"title":"t","op":"call","x":[]}\2'), {"title": "t"}),
            ("a fraction", record(b'{"title":"t","x":0.5}\2'), None)):
        found = vectors.verdict(receiver.open, raw)
        tally.expect(found == ("refused" if shows is None else "valid", shows), f"Web Push record: {name}", found=found)


def file_of(kind, raw=b"", **values):
    """A vector file. A list is a value that comes several times."""
    lines = [f"title: made by hand, {kind}", f"kind: {kind}"]
    for name, several in values.items():
        several = several if isinstance(several, list) else [several]
        lines += [f"{name.replace('_', '-')}: {value}" for value in several]
    return "\n".join(lines).encode("ascii") + b"\n\n" + raw


def good_files():
    """(name, bytes), each of which must hold."""
    world = World(random.Random(1))
    device = world.open_request("")
    allow = [name for name in ALLOW if name.isascii()]  # as all of a head
    setting = {"topic": TOPIC, "identity": device["identity"], "prekey": device["prekeys"], "allow": allow,
               "contact": device["contacts"], "build_date": str(device["build-date"])}
    yield from message_files(world, setting)
    yield from seal_files(world)
    yield "bundle", file_of("bundle", f"{base64url(world.bundle())}\n{base64url(world.bundle(now=NOW - 1))}".encode(),
                            pinned=device["identity"], topic=TOPIC, now=[NOW, NOW], expect=["valid", "rolled-back"])
    yield "json", file_of("json", b'{"a":[1,"\\u00e9"]}', expect="valid")
    yield "json-newlines", file_of("json", b"\n\n[1]\n", expect="valid")
    yield "json-twice", file_of("json", b'{"a":1,"\\u0061":2}', expect="refused")
    yield "base64url", file_of("base64url", b"AAEC_w", expect="valid", bytes="000102ff")
    yield "base64url-empty", file_of("base64url", b"", expect="valid", bytes="-")
    yield "base64url-spare", file_of("base64url", b"AAEC_x", expect="refused")
    one, other = bytes(range(32)), bytes(range(1, 33))
    yield "safety-number", file_of("safety-number", one=base64url(one), other=base64url(other), expect="number",
                                   number=safety_number.number(one, other), qr=safety_number.code(other, one))
    broken = RFC_8291_RECORD[:-1] + "M"
    yield "web-push", file_of("web-push", f"{RFC_8291_RECORD}\n{broken}".encode(), key=RFC_8291_KEY,
                              expect=["unauthenticated", "malformed"],
                              shows=['{"body":"When I grow up, I want to be a watermelon"}', "-"])


def message_files(world, setting):
    push = Forgery(world).payload().encode()
    text = '{"title":"t","body":"b"}'
    yield "message-opened", file_of("message", push, **setting, now=NOW, expect="opened", shows=text)
    yield "message-died", file_of("message", b"\n".join([push] * 4), **setting,
                                  expect=["opened", "replay", "opened", "replay"],
                                  now=[NOW, NOW + 35 * SECOND - 1, NOW + 35 * SECOND, NOW + MINUTE],
                                  elapsed=["died", "-", "-", "-"], shows=[text, "-", text, "-"])
    yield "message-store", file_of("message", push, **setting, now=NOW, expect="store-unavailable", store="unavailable")
    call = Forgery(world, body=b'{"op":"call","call":"c"}', expires_at=NOW + MINUTE).payload().encode()
    yield "message-call", file_of("message", call + b"\n" + call, **setting, now=[NOW, NOW + 40 * SECOND],
                                  elapsed=["died", "-"], expect=["opened", "replay"], shows='{"op":"call","call":"c"}')
    # A later message lifts the lower bound; a clock that goes back behind it is not believed.
    late = Forgery(world, sent_at=NOW + DAY, expires_at=NOW + 2 * DAY).payload().encode()
    other = Forgery(world).payload().encode()
    yield "message-clock", file_of("message", b"\n".join([late, push, other]), **setting, now=[NOW + DAY, NOW, NOW],
                                   expect=["opened", "expired", "expired"], shows=text)
    # 4,097 live ids of one sender: the first to expire makes room, and what expires no later is too old from then on.
    many = [Forgery(world, body=b'{"op":"test"}', expires_at=NOW + DAY + i) for i in range(4_097)]
    too_old = Forgery(world, body=b'{"op":"test"}', expires_at=NOW + DAY)
    young = Forgery(world, body=b'{"op":"test"}', expires_at=NOW + DAY + 1)
    pushes = [forgery.payload().encode() for forgery in [*many, many[0], too_old, many[1], young]]
    expect = ["opened"] * 4_097 + ["too-old", "too-old", "replay", "opened"]
    yield "message-floor", file_of("message", b"\n".join(pushes), **setting, now=[NOW] * 4_101, expect=expect,
                                   shows=['{"op":"test"}'] * 4_098)


def seal_files(world):
    """Laid by hand with an ephemeral key that is known; the runner goes by the bundle."""
    forgery, ephemeral, trace = Forgery(world, flags=1), world.x25519(), base64url(bytes(16))
    head, info = forgery.info()
    sealed = envelope.hpke_seal(public_bytes(forgery.key), info, head, forgery.frame(info), ephemeral)
    alert = '{"loc-key":"SP_NEW"}'
    payload = f'{{"aps":{{"alert":{alert},"mutable-content":1}},"sealed":"{base64url(sealed)}","trace":"{trace}"}}'
    yield "seal", file_of(
        "seal", topic=TOPIC, sender_secret=base64url(world.service.private_bytes_raw()),
        bundle=base64url(world.bundle()), pinned=base64url(forgery.identity), now=NOW, message_id=base64url(forgery.message_id), sent_at=forgery.sent_at,
        expires_at=forgery.expires_at, ephemeral=base64url(ephemeral.private_bytes_raw()), body=forgery.body.decode(),
        flags=1, class_of_prekey=1, trace=trace, alert=alert, expect="sealed", payload=payload)


def check_runner(tally):
    """Each good file holds; and, with an expectation or a head that is wrong, none does."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, raw in good_files():
            path = folder / title
            path.write_bytes(raw)
            kind, sentences = vectors.differences(path)
            tally.expect(not sentences, f"the runner takes the file {title}", found=sentences)
            for what, changed in () if title in SLOW else spoiled(raw):
                path.write_bytes(changed)
                _, sentences = vectors.differences(path)
                tally.expect(sentences, f"the runner finds what is wrong with {title}: {what}")
            path.unlink() if title in SLOW else path.write_bytes(raw)
        with contextlib.redirect_stdout(io.StringIO()):
            tally.expect(vectors.run(folder), "the runner takes a folder")
            (folder / "zz").write_bytes(file_of("fortune", expect="good"))
            tally.expect(not vectors.run(folder), "the runner refuses a kind that it does not know")


def spoiled(raw):
    head, _, rest = raw.partition(b"\n\n")
    lines = head.split(b"\n")
    at = max(i for i, line in enumerate(lines) if line.startswith(b"expect: "))
    wrong = b"expect: refused" if lines[at] == b"expect: valid" else b"expect: valid"
    yield "another outcome", b"\n".join([*lines[:at], wrong, *lines[at + 1:]]) + b"\n\n" + rest
    yield "an unknown name", head + b"\nfortune: good\n\n" + rest
    yield "one expectation too many", head + b"\n" + lines[at] + b"\n\n" + rest
    yield "no empty line", head
