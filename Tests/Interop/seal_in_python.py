#!/usr/bin/env python3
"""Seals a message so that `sealedpush open` can open it; by docs/protocol.md alone. It remembers no epoch."""
import argparse, json, os, pathlib, struct, sys, time
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from pyhpke import KEMKey
from open_sealed import CLASSES, DAY, FRAME, MINUTE, SUITE_1, bind, lp, signed
from strict import base64url, body_object, check, from_base64url, private_keys, public_key, topic

ALERT = {"body": "You have a new message"}  # a constant of the app: the layout leaves at most 173 bytes
BODY_ROOM = 2_822 - FRAME.size

def verified_prekey(bundle, identity, topic, prekey_class, now):
    """The X25519 key to seal to, from a bundle that the pinned identity signed for this app."""
    check(len(bundle) > 50 and len(bundle) > 50 + bundle[49], "malformed bundle: too short")
    at = 51 + bundle[49]
    count = bundle[at - 1]
    check(1 <= count <= 4 and len(bundle) == at + 50 * count + 64, "malformed bundle: length, or a suite besides 1")
    check(bundle[0] == 1, "unsupported bundle version")
    check(bundle[1:33] == identity, "the bundle is not from the pinned identity")
    check(bundle[49:at - 1] == lp(topic), "the bundle is for another app")
    Ed25519PublicKey.from_public_bytes(identity).verify(bundle[-64:], lp(b"SealedPush/1 bundle") + bundle[:-64])
    entries = [struct.unpack_from(">BBQQ32s", bundle, at + 50 * i) for i in range(count)]
    order = [(suite, entry_class) for suite, entry_class, *_ in entries]
    check(order == sorted(set(order)), "malformed bundle: its order")
    # Suite 2 as well: where a bundle offers it, X25519 alone would be a downgrade.
    check(all(suite == 1 and name in CLASSES for suite, name in order), "unsupported bundle: suite or class")
    entry = next((entry for entry in entries if entry[1] == prekey_class), None)
    check(entry, "the bundle has no key of this class")
    _, _, not_before, not_after, key = entry
    check(not_after - not_before <= 60 * DAY, "the bundle is valid for too long")
    check(not_before - 5 * MINUTE <= now <= not_after, "the bundle is not valid now")
    return key  # of low order: refused by X25519 itself, whose shared secret would be zero

def body_of(message):
    """The body, its text shortened until it fits, and whether it was."""
    def encoded(): return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    text = message.get("body", "")
    while len(encoded()) > BODY_ROOM and message.get("body"): message["body"] = message["body"][:-1]
    check(len(encoded()) <= BODY_ROOM, "too long even without its text")
    return encoded(), message.get("body", "") != text

def frame_of(body, truncated, sender, sent, expires, info):
    head = FRAME.pack(os.urandom(16), sent, expires, sender.public_key().public_bytes_raw(), truncated, len(body), b"")
    return head[:68] + sender.sign(signed(info, head, body)) + body + bytes(BODY_ROOM - len(body))

def sealed_payload(frame, key, header, info):
    recipient = KEMKey.from_pyca_cryptography_key(X25519PublicKey.from_public_bytes(key))
    enc, context = SUITE_1.create_sender_context(recipient, info)
    payload = {"aps": {"alert": ALERT, "mutable-content": 1}, "sealed": base64url(header + enc + context.seal(frame))}
    return json.dumps(payload | {"trace": base64url(os.urandom(16))}, ensure_ascii=False, separators=(",", ":"))

def main():
    arguments = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    arguments.add_argument("message", metavar="MESSAGE.json")
    for name in "--sender-key", "--bundle", "--identity", "--topic", "--out":
        arguments.add_argument(name, required=True)
    arguments.add_argument("--class", dest="prekey_class", type=int, choices=CLASSES, default=1)
    arguments.add_argument("--lifetime", type=int, default=86_400, help="seconds, at most seven days")
    a, now = arguments.parse_args(), time.time_ns() // 1_000_000
    check(0 < a.lifetime * 1_000 <= 7 * DAY, "a lifetime has 1 second to 7 days")
    identity, app = public_key(a.identity, "identity"), topic(a.topic)
    sender = Ed25519PrivateKey.from_private_bytes(private_keys(a.sender_key, "sender")[0])
    text = pathlib.Path(a.bundle).read_text().removesuffix("\n")
    bundle = from_base64url(text, len(text) * 3 // 4)
    key = verified_prekey(bundle, identity, app, a.prekey_class, now)
    header, info = bind(key, a.prekey_class, identity, app)
    body, truncated = body_of(body_object(pathlib.Path(a.message).read_bytes()))
    frame = frame_of(body, truncated, sender, now, now + a.lifetime * 1_000, info)
    pathlib.Path(a.out).write_text(sealed_payload(frame, key, header, info))
    print(f"truncated {int(truncated)}", file=sys.stderr)

if __name__ == "__main__":
    try: main()
    except Exception as error: sys.exit(f"not sealed: {type(error).__name__}")
