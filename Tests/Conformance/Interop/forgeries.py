"""Families of pushes with a fault or an oddity, as lines for open-lines."""
import dataclasses
import json

import signatures
from deviations import deviant_body, every_body
from forgery import Forgery, flip, flipped, payload_of
from messages import NOW, TOPIC, message, public_bytes
from sealedpush_py.encoding import ALERT, DAY, MINUTE, VOIP, base64url, from_base64url
from sealedpush_py.json_strict import compact
from sealedpush_py.keys import GROUP_ORDER, SMALL_ORDER_Y, P, fingerprint
from sealedpush_py.seal import encode

LIFETIME_MAX = 7 * DAY

# Each family takes the world and gives lines for open-lines. One call, one fault (or, in some, none).

def flipped_bit(world):
    g = world.generator
    first, last = g.choice(((0, 0), (1, 1), (2, 9), (10, 41), (42, 2_863), (2_864, 2_879)))
    raw = bytearray(from_base64url(json.loads(Forgery(world).payload())["sealed"]))
    flip(g.randint(first, last), g.randrange(8))(raw)
    yield world.open_request(payload_of(base64url(raw)))


def altered_text(world):
    g, payload = world.generator, Forgery(world).payload()
    sealed = json.loads(payload)["sealed"]
    at = g.randrange(len(sealed))
    yield world.open_request(g.choice((
        payload_of(sealed[:at] + g.choice("+/=. é\n") + sealed[at + 1:]), payload_of(sealed[:-1] + "="),
        payload_of(sealed[:-4]), payload_of(sealed + "AAAA"), payload_of(sealed[:-1]), payload_of(""),
        payload_of(3_840), payload_of(None), payload_of([sealed]), payload_of(sealed, webpush="AAAA"),
        payload_of("A" * 3_840), '{"aps":{}}', '{"aps":{},"webpush":"AAAA"}',
        Forgery(world, push=VOIP).payload(), payload_of(sealed, sound={"volume": "x"}), payload_of(sealed.lower()))))


def flipped_frame(world):
    g = world.generator
    at = g.choice((g.randrange(16), g.randrange(16, 32), g.randrange(32, 64), 64, 65, 66, 67, g.randrange(68, 132),
                   g.randrange(132, 156), g.randrange(156, ALERT.frame_size)))
    yield world.open_request(Forgery(world, after_signing=flip(at, g.randrange(8))).payload())


def structure(world):
    g, room = world.generator, ALERT.body_room
    choice = g.choice((
        {"flags": 1 << g.randrange(16)}, {"flags": 0x00FF}, {"body": b"1"}, {"body": b"1", "flags": 0x8000},
        {"body": b""}, {"body": b"{}"}, {"flags": 0x8000, "after_signing": flip(-1)},
        {"body_size": room + 1}, {"body_size": 65_535}, {"body_size": 10}, {"body_size": 25}, {"flags": 0x8001},
        {"body": b'{"body":"' + b"b" * (room - 11) + b'"}'}))
    yield world.open_request(Forgery(world, **choice).payload())


def bad_signature(world):
    """Signatures that some verifiers accept and others do not; each is refused, but the first two kinds."""
    g, service, other = world.generator, world.service, world.ed25519()
    small = (g.choice([*sorted(SMALL_ORDER_Y), P, P + 1]) | g.getrandbits(1) << 255).to_bytes(32, "little")
    identity_point = g.choice((1, P + 1)).to_bytes(32, "little")  # y = 1, and once more out of its range
    r, a, mixed = public_bytes(other), public_bytes(service), signatures.with_torsion(public_bytes(service))
    big_y = (g.randrange(P, 2**255) | g.getrandbits(1) << 255).to_bytes(32, "little")

    def plus_order(signed):
        signature = service.sign(signed)
        return signature[:32] + (int.from_bytes(signature[32:], "little") + GROUP_ORDER).to_bytes(32, "little")

    def by(r_key, r, a_key, a):
        return lambda signed: signatures.sign(r_key, r, a_key, a, signed)

    contacts = [contact.split(" ", 1) for contact in world.open_request("")["contacts"]]
    mixed_known = [f"{base64url(mixed)} service -"] + [" ".join(contact) for contact in contacts]
    choice = g.choice((
        {"sign": by(other, r, service, a)},  # as RFC 8032 says, with a random r
        {"sign": by(other, r, service, mixed), "sender_key": mixed},  # good where h is a multiple of 8
        {"sign": plus_order}, {"sign": by(other, signatures.with_torsion(r), service, a)},
        {"sign": by(None, identity_point, service, a)}, {"sign": by(None, small, service, a)},
        {"sign": by(other, r, None, identity_point), "sender_key": identity_point},
        {"sign": by(other, r, None, small), "sender_key": small}, {"sign": by(other, big_y, service, a)},
        {"sender_key": big_y}, {"sender_key": g.randbytes(32)}, {"sign": lambda signed: bytes(64)},
        {"sign": lambda signed: flipped(service.sign(signed), 255)}, {"sender": world.stranger, "sender_key": a}))
    yield world.open_request(Forgery(world, **choice).payload(), contacts=mixed_known)


def wrong_context(world):
    g = world.generator
    identity, fp = public_bytes(world.identity), fingerprint(1, public_bytes(world.identity),
                                                             public_bytes(world.prekeys[1]))
    contexts = [b"SealedPush/1 bundle", b"SealedPush/1 prekey", b"SealedPush/1 safety", b"SealedPush/1 attachment",
                b"SealedPush/1", b"SealedPush/2 message", b"SealedPush/1 message\0", b""]
    yield world.open_request(Forgery(world, **g.choice((
        {"message_context": g.choice(contexts)}, {"info_context": g.choice(contexts[:4] + [b"SealedPush/2"])},
        {"topic": b"com.example.chat2"}, {"topic": b"com.example.cha"}, {"topic": b"com.example.chat.voip"},
        {"identity": g.randbytes(32)}, {"identity": g.randbytes(32), "fingerprint": fp},
        {"fingerprint": fp[:8] + g.randbytes(24)}, {"fingerprint": fp[:31] + bytes([fp[31] ^ 1])},
        {"key": world.old_prekey}, {"key": world.old_prekey, "fingerprint": fp}, {"key": world.x25519()},
        {"prekey_class": 2}, {"prekey_class": 2, "fingerprint": fp},
        {"key": world.prekeys[1], "prekey_class": 2}, {"signed_info": g.randbytes(len(TOPIC) + 88)},
        {"signed_info": Forgery(world, key=world.old_prekey).info()[1]}, {"signed_info": b"x"},
        {"identity": public_bytes(world.service), "fingerprint": fp, "signed_info": b"x" + identity}))).payload())


def wrong_setting(world):
    """A good push for a device that differs in one setting."""
    g, (body, flags) = world.generator, encode(message(world.generator))
    request = world.open_request(Forgery(world, body=body, flags=flags, expires_at=NOW + MINUTE).payload())
    key = fingerprint(1, public_bytes(world.identity), public_bytes(world.prekeys[1]))
    yield request | g.choice((
        {"topic": "com.example.chat2"}, {"contacts": []}, {"contacts": request["contacts"][1:]}, {"allow": []},
        {"identity": base64url(public_bytes(world.service))}, {"prekeys": []}, {"prekeys": request["prekeys"][1:]},
        {"prekeys": [f"1 1 locked {base64url(key)}"]}, {"prekeys": [f"1 1 destroyed {base64url(key)}"]},
        {"prekeys": ["1 2" + request["prekeys"][0][3:]]}, {"push-class": "voip"}))


def times(world):
    """Around one bound of section 9, a millisecond to each side; with a clock that is right, early or late."""
    g, near = world.generator, world.generator.choice((-1, 0, 1))
    long_ago, limit, body = NOW - 10 * DAY, 2**53, g.choice((b'{"body":"b"}', b'{"op":"call","call":"c"}'))
    now, sent, expires, build = g.choice((
        (NOW, NOW + 5 * MINUTE + near, NOW + 6 * MINUTE, long_ago), (NOW, NOW - DAY, NOW + near, long_ago),
        (NOW, NOW, NOW + LIFETIME_MAX + near, long_ago), (NOW, NOW, NOW + MINUTE + near, long_ago),
        (NOW, NOW, NOW + near, NOW), (NOW, NOW, NOW + 10 * MINUTE, NOW + 5 * MINUTE + near),
        (NOW, NOW, NOW + MINUTE, NOW + 5 * MINUTE + near), (NOW, NOW, NOW + DAY + near, NOW + DAY),
        (NOW, NOW + DAY, NOW + DAY + MINUTE, NOW + g.choice((0, DAY))), (0, NOW, NOW + MINUTE, long_ago),
        (limit - DAY, limit - DAY, limit + near, long_ago), (limit, limit - 2, limit - 1, long_ago),
        (NOW, limit - 2, limit - 1, limit - 1), (NOW, 2**64 - 1, near % 2**64, NOW), (NOW, 2**64 - 1, NOW + DAY, NOW),
        (NOW, NOW, g.choice((2**63, 2**64 - 1)), NOW), (0, 0, 1, 0), (limit + DAY, limit, limit + MINUTE, long_ago),
        (NOW, g.randrange(2**64), g.randrange(2**64), g.randrange(2**53))))
    payload = Forgery(world, body=body, sent_at=sent, expires_at=expires).payload()
    yield world.open_request(payload, now=now, build_date=build)


def rewrapped(world):
    """A recipient seals the frame again: for itself that is a replay, for another device it does not verify."""
    g, first = world.generator, Forgery(world)
    frame, window = first.frame(first.info()[1]), f"rewrapped {g.getrandbits(64)}"
    again = dataclasses.replace(first, key=g.choice((world.prekeys[1], world.old_prekey)),
                                identity=g.choice((first.identity, public_bytes(world.stranger))))
    for payload in first.payload(frame), again.payload(frame), first.payload(frame):
        changes = {"identity": base64url(again.identity)} if payload is again else {}
        yield world.open_request(payload, window=window, **changes)


def by_any_contact(world):
    g = world.generator
    sender = g.choice([key for key, _ in world.contacts] + [world.stranger])
    expires = NOW + g.choice((MINUTE, MINUTE, DAY))
    body, flags = (deviant_body(g), 0) if g.random() < 0.3 else encode(message(g))
    yield world.open_request(Forgery(world, body=body, flags=flags, sender=sender, expires_at=expires).payload())


def deviant(world):
    yield world.open_request(Forgery(world, body=deviant_body(world.generator), expires_at=NOW + MINUTE).payload())


def sequence(world):
    """Changes to a few messages and badges, late, early, again, and under a clock that goes back."""
    g, window = world.generator, f"sequence {world.generator.getrandbits(64)}"
    ids, payloads = [g.randbytes(16) for _ in range(2)], []
    for _ in range(g.randint(3, 6)):
        target = base64url(g.choice(ids))
        body, message_id = g.choice((
            ({"body": "b"}, g.choice(ids)), ({"body": "b", "badge": 3}, g.randbytes(16)),
            ({"op": "replace", "target": target, "body": "c", "badge": g.randrange(9)}, g.randbytes(16)),
            ({"op": "remove", "target": target}, g.randbytes(16)), ({"op": "badge", "badge": 7}, g.randbytes(16)),
            ({"op": "call", "call": "c"}, g.randbytes(16)), ({"op": "test"}, g.randbytes(16))))
        sent = NOW - g.choice((0, 0, 1, 10_000))
        sender = g.choice(world.contacts[:2])[0] if g.random() < 0.3 else world.service
        payloads.append(Forgery(world, body=compact(body), message_id=message_id, sent_at=sent, sender=sender,
                                expires_at=sent + g.choice((MINUTE, DAY))).payload())
    for payload in payloads + g.choices(payloads, k=2):
        now = NOW + g.choice((0, 0, 0, MINUTE, -4 * MINUTE, -6 * MINUTE, -20 * DAY, DAY))
        yield world.open_request(payload, now=now, window=window)


# Frequency of each: the more kinds of faults, the more often.
FAMILIES = (flipped_bit, altered_text, flipped_frame, structure, bad_signature, bad_signature, wrong_context,
            wrong_context, wrong_setting, times, times, times, rewrapped, by_any_contact, by_any_contact, sequence,
            *[deviant] * 6)


def every_deviation(world):
    """Each flag, and each deviation of a body that the tables know, whatever the seed."""
    for bit in range(16):
        yield world.open_request(Forgery(world, flags=1 << bit).payload())
    for body in every_body():
        if 2 <= len(body) <= ALERT.body_room:
            yield world.open_request(Forgery(world, body=body, expires_at=NOW + MINUTE).payload())
