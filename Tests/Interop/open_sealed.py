#!/usr/bin/env python3
"""Opens what `sealedpush seal` wrote; from docs/protocol.md alone. Replay and clock bound need a device's store."""
import argparse, hashlib, json, pathlib, struct, sys, time
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKey
from strict import body_object, check, from_base64url, json_object, private_keys, public_key, topic

SUITE_1 = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.CHACHA20_POLY1305)
FRAME = struct.Struct(">16sQQ32sHH64s")  # message id, sent-at, expires-at, SK, flags, n, signature: 132 bytes
CLASSES, MINUTE, DAY = {1: "after-first-unlock", 2: "unlocked"}, 60_000, 86_400_000  # times in milliseconds
def lp(x): return bytes([len(x)]) + x

def bind(key, prekey_class, identity, topic):  # the header, and the info that ties a message to one prekey
    fingerprint = hashlib.sha256(lp(b"SealedPush/1 prekey") + bytes([1, prekey_class]) + identity + key).digest()
    header = bytes([1, 1]) + fingerprint[:8]
    return header, lp(b"SealedPush/1") + header + lp(topic) + identity + fingerprint

def signed(info, frame, body): return lp(b"SealedPush/1 message") + info + frame[:68] + hashlib.sha256(body).digest()

def open_payload(payload, prekeys, prekey_class, identity, topic, sender, now):
    sealed = payload.get("sealed")
    check(isinstance(sealed, str) and len(sealed) in (3_840, 4_864), "malformed: no sealed text of an allowed length")
    check("webpush" not in payload, "malformed: two kinds of message in one push")
    envelope = from_base64url(sealed, len(sealed) // 4 * 3)
    check(envelope[0] == 1 and envelope[1] == 1, "unsupported: not version 1 with suite 1")
    bound = [bind(key.public_key().public_bytes_raw(), prekey_class, identity, topic) for key in prekeys]
    ours = {header: (key, info) for key, (header, info) in zip(prekeys, bound)}
    check(envelope[:10] in ours, "stale: not sealed for a prekey of this class and identity")
    key, info = ours[envelope[:10]]
    context = SUITE_1.create_recipient_context(envelope[10:42], KEMKey.from_pyca_cryptography_key(key), info)
    frame = context.open(envelope[42:])  # base mode, sequence 0, empty aad
    _, sent, expires, sk, flags, n, signature = FRAME.unpack_from(frame)
    body = frame[132:132 + n]
    check(2 <= n <= len(frame) - 132 and not any(frame[132 + n:]), "malformed: body length or padding")
    check(flags & 0xFF00 == 0, "unsupported: a critical flag")  # bit 8 too: no attachment is fetched here
    check(sk == sender, "unknown sender")
    # OpenSSL refuses S >= L and a non-canonical R. It accepts an A of small order: A is what the caller pinned.
    Ed25519PublicKey.from_public_bytes(sk).verify(signature, signed(info, frame, body))
    check(sent < expires <= sent + 7 * DAY and expires < 2**53 and sent <= now + 5 * MINUTE, "malformed: its times")
    check(now < expires, "expired")
    message = body_object(body)
    check(not {"op", "target", "crit"} & message.keys(), "unsupported: an operation")  # here it can only be shown
    return message, f"sent-at {sent}, expires-at {expires}, truncated {flags & 1}"

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    arguments.add_argument("payload", metavar="PUSH.json")
    for name in "--prekey-secret", "--identity", "--topic", "--sender": arguments.add_argument(name, required=True)
    arguments.add_argument("--class", dest="prekey_class", type=int, choices=CLASSES, default=1)
    a = arguments.parse_args()
    try:
        secrets = private_keys(a.prekey_secret, f"prekey x25519 {CLASSES[a.prekey_class]}")
        prekeys = [X25519PrivateKey.from_private_bytes(secret) for secret in secrets]
        pinned = public_key(a.identity, "identity"), topic(a.topic), public_key(a.sender, "sender")
        payload = json_object(pathlib.Path(a.payload).read_bytes())
        body, times = open_payload(payload, prekeys, a.prekey_class, *pinned, time.time_ns() // 1_000_000)
    except Exception as error: sys.exit(f"not opened: {type(error).__name__}")  # the kind, never contents
    print(times, file=sys.stderr)
    sys.stdout.buffer.write(json.dumps(body, ensure_ascii=False).encode() + b"\n")
