"""Key bundles with one fault, or at a bound: built by hand, correct in all but that."""
import struct

from forgery import flipped
from messages import NOW, TOPIC, public_bytes
from sealedpush_py import bundle
from sealedpush_py.encoding import DAY, MINUTE, base64url, lp
from sealedpush_py.frame import CONTEXT
from sealedpush_py.keys import P

LOW_ORDER_8 = [bytes.fromhex(text) for text in (  # u of the points of order 8, on curve25519 (RFC 7748's curve)
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")]
CLASSES = (), (2,), (1, 2), (2, 1), (1, 1), (3,), (0,), (1,) * 5


def bad_bundle(world):
    """A bundle with a fault or at a bound, in base64url."""
    g, key = world.generator, public_bytes(world.prekeys[1])
    near, fields = g.choice((-1, 0, 1)), {"suite": 1, "classes": (1,), "not_before": NOW, "not_after": NOW + DAY}
    fields |= {"key": key, "version": 1, "topic": TOPIC.encode(), "count": None, "tail": b"", "issued_at": NOW}
    fields |= {"context": b"SealedPush/1 bundle", "signer": world.identity, "flip": None, "cut": None, "epoch": NOW}
    fields |= g.choice((
        {}, {"suite": g.choice((0, 2, 3))}, {"classes": g.choice(CLASSES)},
        {"not_before": NOW + 5 * MINUTE + near}, {"not_after": NOW + near, "not_before": NOW - DAY},
        {"not_after": NOW + 60 * DAY + near}, {"not_before": NOW + 2 * DAY}, {"not_after": 2**53 - 1 + near},
        {"not_before": 2**53 - 2, "not_after": 2**53 - 1 + near}, {"issued_at": 2**53 - 1 + near}, {"epoch": 2**64 - 1},
        {"key": g.choice((0, 1, P - 1, P, P + 1, 2**255, 2**255 + 1, 2**256 - 1)).to_bytes(32, "little")},
        {"key": g.choice(LOW_ORDER_8)}, {"key": key[:31] + bytes([key[31] | 0x80])}, {"version": g.choice((0, 2))},
        {"topic": g.choice((b"", b"com.example.chat2", b"com.example.cha"))}, {"count": g.choice((0, 2, 4, 5, 255))},
        {"tail": b"\0"}, {"context": CONTEXT}, {"signer": world.stranger}, {"flip": True}, {"cut": True}))
    rest = fields["not_before"], fields["not_after"], fields["key"]
    entries = b"".join(bundle.Entry(fields["suite"], c, *rest).encoded() for c in fields["classes"])
    count = len(fields["classes"]) if fields["count"] is None else fields["count"]
    raw = bytes([fields["version"]]) + public_bytes(world.identity)
    raw += struct.pack(">QQ", fields["epoch"], fields["issued_at"]) + lp(fields["topic"]) + bytes([count]) + entries
    raw += fields["signer"].sign(lp(fields["context"]) + raw) + fields["tail"]
    raw = flipped(raw, g.randrange(8 * len(raw))) if fields["flip"] else raw
    return base64url(raw[:g.randrange(len(raw))] if fields["cut"] else raw)
