"""Checks before any comparison: published examples, sums of the specification, garbage."""
import json
import pathlib
import random
import struct

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import vectors
from forgery import Forgery
from lines import open_line
from messages import NOW, TOPIC, World, public_bytes
from sealedpush_py import frame, json_strict, web_push
from sealedpush_py.encoding import PUSH_CLASSES, from_base64url
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



def check(tally):
    small = {int.from_bytes(bytes.fromhex(text), "little") for text in SMALL_ORDER}
    tally.expect(SMALL_ORDER_Y == small, "the points of small order are the known ones")
    check_sizes(tally)
    check_web_push(tally)
    check_garbage(tally)


def check_sizes(tally):
    """The sums that the specification gives, for a topic of 16 bytes."""
    world = World(random.Random(2))
    verified = vectors.bundle.verify(world.bundle(), public_bytes(world.identity), TOPIC.encode(), NOW)
    info = Forgery(world).info()[1]
    sizes = {"topic": len(TOPIC), "info": len(info), "statement": len(frame.statement(info, bytes(132), b"{}")),
             "one key": len(world.bundle((1,))), "two classes": len(world.bundle())}
    for push in PUSH_CLASSES.values():
        sender = vectors.Sender(world.service, TOPIC.encode(), push=push)
        sizes[push.name] = push.frame_size, push.body_room, len(sender.seal({"body": "b"}, verified, NOW))
    expected = {"topic": 16, "info": 104, "statement": 225, "one key": 181, "two classes": 231,
                "alert": (2_822, 2_690, 3_943), "voip": (3_590, 3_458, 4_919)}
    tally.expect(sizes == expected, "the sizes are those of the specification", found=sizes)


def check_garbage(tally):
    """Any bytes end in an outcome or a refusal."""
    generator = random.Random(3)
    world, receiver = World(generator), vectors.subscription(RFC_8291_KEY)
    request, whole = world.open_request(""), world.bundle()
    for _ in range(500):
        raw = generator.choice((generator.randbytes(generator.randrange(300)), whole, RFC_8291_RECORD.encode()))
        at = generator.randrange(len(raw) + 1)
        raw = raw[:at] + generator.randbytes(generator.randrange(3)) + raw[at + generator.randrange(3):]
        open_line(request | {"payload": raw.decode("latin-1")}, {})
        open_line(request | {"payload": Forgery(world, body=raw[:2_000]).payload()}, {})
        for read in json_strict.parse, receiver.open, lambda text: from_base64url(text.decode("latin-1")):
            vectors.verdict(read, raw)
        vectors.verdict(lambda bundle: vectors.bundle.verify(bundle, whole[1:33], TOPIC.encode(), NOW), raw)


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
    """Records made here, with one fault or oddity around or behind the text."""
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
            ("no text", record(b"\2\0"), None),
            ("2 in the text", record(b"a\2\2"), {"body": "a\2"}),
            ("rs too small by one", record(b"abc\2", 19), None),
            ("rs large", record(b"a\2", 2**32 - 1), {"body": "a"}),
            ("rs 17", record(b"\2", 17), None),
            ("rs 18", record(b"a\2", 18), {"body": "a"}),
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
            ("numbers", record(b'{"title":"t","x":[0.5,-0,1e999,12345678901234567890]}\2'), {"title": "t"}),
            ("NaN", record(b'{"title":"t","x":NaN}\2'), None),
            ("a name twice", record(b'{"title":"t","title":"t"}\2'), None)):
        found = vectors.verdict(receiver.open, raw)
        tally.expect(found == ("refused" if shows is None else "valid", shows), f"Web Push record: {name}", found=found)
    one, other = record(b"abc\2"), record(b"abc\2", 99)
    tally.expect(one != other and receiver.replay_key(one) == receiver.replay_key(other), "rs makes no other message")
