"""Pushes and bundles, each with one thing wrong or unusual, by docs/protocol.md with the example keys."""
import dataclasses, json, os, pathlib, struct, time
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from open_sealed import DAY, FRAME, MINUTE, bind, lp, signed
from seal_in_python import BODY_ROOM, sealed_payload
from strict import base64url, from_base64url, private_keys

KEYS, TOPIC = pathlib.Path(__file__).parents[2] / "keys-example", "com.example.chat"
ORDER_L = 2**252 + 27742317777372353535851937790883648493  # of Ed25519's base point, RFC 8032 section 5.1


@dataclasses.dataclass
class Forger:
    """Lays frames and bundles by hand, correct in all but one thing."""
    identity: Ed25519PrivateKey
    prekey: bytes
    sender: Ed25519PrivateKey
    now: int

    @classmethod
    def of_example_keys(cls):
        def ed25519(file, name):
            return Ed25519PrivateKey.from_private_bytes(private_keys(KEYS / file, name)[0])

        prekey = private_keys(KEYS / "device.key", "prekey x25519 after-first-unlock")[0]
        prekey = X25519PrivateKey.from_private_bytes(prekey).public_key().public_bytes_raw()
        return cls(ed25519("device.key", "identity"), prekey,
                   ed25519("sender.key", "sender"), time.time_ns() // 1_000_000)

    def push(self, body=b'{"title":"t","body":"b"}', flags=0, age=0, lifetime=DAY, sent=None, count=None, sender=None,
             room=BODY_ROOM, topic=TOPIC.encode(), prekey_class=1, context=b"SealedPush/1 message",
             after_signing=lambda frame: None):
        sender = sender or self.sender
        header, info = bind(self.prekey, prekey_class, self.identity.public_key().public_bytes_raw(), topic)
        sent = self.now - age if sent is None else sent
        head = FRAME.pack(os.urandom(16), sent, sent + lifetime, sender.public_key().public_bytes_raw(), flags,
                          len(body) if count is None else count, b"")[:68]
        statement = signed(info, head, body).replace(lp(b"SealedPush/1 message"), lp(context), 1)
        frame = bytearray(head + sender.sign(statement) + body + bytes(room - len(body)))
        after_signing(frame)
        return sealed_payload(bytes(frame), self.prekey, header, info)

    def bundle(self, topic=TOPIC.encode(), suite=1, classes=(1,), not_before=0, not_after=DAY, key=None, version=1,
               context=b"SealedPush/1 bundle", tail=b"", signer=None, count=None):
        entries = b"".join(struct.pack(">BBQQ", suite, c, self.now + not_before, self.now + not_after)
                           + (self.prekey if key is None else key) for c in classes)
        body = bytes([version]) + self.identity.public_key().public_bytes_raw() + struct.pack(">QQ", self.now, self.now)
        body += lp(topic) + bytes([len(classes) if count is None else count]) + entries
        signature = (signer or self.identity).sign(lp(context) + body)
        return base64url(body + signature + tail) + "\n"


def with_s_plus_l(frame):
    s = int.from_bytes(frame[100:132], "little") + ORDER_L
    frame[100:132] = s.to_bytes(32, "little")


def flip(at, bit=1):
    def change(frame):
        frame[at] ^= bit
    return change


def set_byte(at, value):
    def change(frame):
        frame[at] = value
    return change


def refused_pushes(forger, generator, good):
    """Name, payload, and what open_sealed.py says of it; of a good payload altered, then of frames laid by hand."""

    def altered(change):
        payload = json.loads(good)
        payload["sealed"] = change(payload["sealed"])
        return json.dumps(payload)

    def flipped(first, last):
        def change(sealed):
            envelope = bytearray(from_base64url(sealed, 2_880))
            envelope[generator.randint(first, last)] ^= 1 << generator.randrange(8)
            return base64url(envelope)
        return altered(change)

    stranger = Ed25519PrivateKey.generate()
    yield "no JSON", "seal", "not opened"
    yield "sealed is a number", altered(lambda sealed: 3_840), "malformed"
    yield "sealed is missing", '{"aps":{}}', "malformed"
    yield "sealed twice", good[:-1] + ',"sealed":"x"}', "malformed"
    yield "three bytes short", altered(lambda sealed: sealed[:-4]), "malformed"
    yield "three bytes long", altered(lambda sealed: sealed + "AAAA"), "malformed"
    yield "padded", altered(lambda sealed: sealed[:-1] + "="), "malformed"
    yield "base64 instead of base64url", altered(lambda sealed: sealed[:100] + "+" + sealed[101:]), "malformed"
    yield "a bit of the version flipped", flipped(0, 0), "unsupported"
    yield "a bit of the suite flipped", flipped(1, 1), "unsupported"
    yield "a bit of the prekey id flipped", flipped(2, 9), "stale"
    yield "a bit of the encapsulated key flipped", flipped(10, 40), "OpenError"
    yield "a bit of the ciphertext flipped", flipped(42, 2_863), "OpenError"
    yield "a bit of the tag flipped", flipped(2_864, 2_879), "OpenError"
    yield "sealed for another topic", forger.push(topic=b"com.example.chat2"), "OpenError"
    yield "sealed for another class", forger.push(prekey_class=2), "stale"
    yield "another sender", forger.push(sender=stranger), "unknown sender"
    yield "sender's key swapped in", forger.push(sender=stranger, after_signing=lambda frame: frame.__setitem__(
        slice(32, 64), forger.sender.public_key().public_bytes_raw())), "InvalidSignature"
    yield "a bit of the signature flipped", forger.push(after_signing=flip(99)), "InvalidSignature"
    yield "S + L", forger.push(after_signing=with_s_plus_l), "InvalidSignature"
    yield "message id changed", forger.push(after_signing=flip(generator.randrange(16))), "InvalidSignature"
    yield "a signed body changed", forger.push(after_signing=flip(132 + 10)), "InvalidSignature"
    yield "truncated set after signing", forger.push(after_signing=flip(65)), "InvalidSignature"
    yield "signed as a bundle", forger.push(context=b"SealedPush/1 bundle"), "InvalidSignature"
    yield "padding of one", forger.push(after_signing=set_byte(-1, 1)), "malformed"
    yield "padding right after the body", forger.push(after_signing=set_byte(132 + 24, 1)), "malformed"
    yield "a body of 1 byte", forger.push(body=b"1"), "malformed"
    yield "a body longer than the frame", forger.push(count=BODY_ROOM + 1), "malformed"
    yield "a body shorter than its bytes", forger.push(count=10), "malformed"
    for bit in range(8, 16):
        yield f"critical flag {bit}", forger.push(flags=1 << bit), "unsupported"
    yield "expired", forger.push(age=2 * MINUTE, lifetime=MINUTE), "expired"
    yield "sent in six minutes", forger.push(age=-6 * MINUTE), "malformed"
    yield "no lifetime", forger.push(lifetime=0, age=-MINUTE), "malformed"
    yield "negative lifetime", forger.push(lifetime=-MINUTE), "malformed"
    yield "a lifetime over 7 days", forger.push(lifetime=7 * DAY + 1), "malformed"
    yield "sent at 2^63", forger.push(sent=2**63), "malformed"
    yield "expires at 2^53", forger.push(lifetime=2**53 - forger.now), "malformed"
    yield "body: a list", forger.push(body=b"[]"), "malformed"
    yield "body: a name twice", forger.push(body=b'{"body":"a","body":"b"}'), "malformed"
    yield "body: a name twice, escaped", forger.push(body=b'{"body":"a","\\u0062ody":"b"}'), "malformed"
    yield "body: a fraction", forger.push(body=b'{"body":"a","x":0.5}'), "malformed"
    yield "body: an exponent", forger.push(body=b'{"body":"a","x":1e2}'), "malformed"
    yield "body: NaN", forger.push(body=b'{"body":"a","x":NaN}'), "malformed"
    yield "body: depth 9", forger.push(body=b'{"body":"a","x":' + b"[" * 8 + b"]" * 8 + b"}"), "malformed"
    yield "body: depth 1,000", forger.push(body=b'{"x":' + b"[" * 1_000 + b"]" * 1_000 + b"}"), ""
    yield "body: not UTF-8", forger.push(body=b'{"body":"\xc3("}'), "not opened"
    yield "body: overlong UTF-8", forger.push(body=b'{"body":"\xc0\xaf"}'), "not opened"
    yield "body: half a surrogate pair", forger.push(body=b'{"body":"\\ud83d"}'), "not opened"
    yield "body: byte order mark", forger.push(body=b'\xef\xbb\xbf{"body":"a"}'), "not opened"
    yield "body: raw line feed", forger.push(body=b'{"body":"a\nb"}'), "not opened"
    yield "body: a leading zero", forger.push(body=b'{"body":"a","x":01}'), "not opened"
    yield "body: an unknown operation", forger.push(body=b'{"body":"a","op":"frobnicate"}'), "unsupported"
    yield "body: a target to show", forger.push(body=b'{"body":"a","target":"AAAAAAAAAAAAAAAAAAAAAA"}'), "operation"
    yield "body: an unknown name is critical", forger.push(body=b'{"body":"a","x":1,"crit":["x"]}'), "unsupported"
    yield "body: trailing comma", forger.push(body=b'{"body":"a",}'), "not opened"
    yield "body: trailing bytes", forger.push(body=b'{"body":"a"}x'), "not opened"


def accepted_pushes(forger):
    yield "nothing wrong", forger.push()
    yield "all ignorable flags", forger.push(flags=0x00FE)
    yield "sent in four minutes", forger.push(age=-4 * MINUTE)
    yield "a lifetime of 7 days", forger.push(lifetime=7 * DAY)
    yield "unknown names", forger.push(body=b'{"body":"b","x-unknown":{"y":[1,true,null]}}')
    yield "depth 8", forger.push(body=b'{"body":"b","x":' + b"[" * 7 + b"]" * 7 + b"}")
    yield "white space", forger.push(body=b' {\r\n\t"body" : "b" } ')
    yield "an envelope of the VoIP length", forger.push(room=3_590 - FRAME.size)
    yield "a full body", forger.push(body=b'{"body":"' + b"b" * (BODY_ROOM - 11) + b'"}')


def refused_bundles(forger, generator):
    def flipped(text):
        at = generator.randrange(len(text) - 2)  # not the last digit, whose spare bits another check sees
        return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]

    yield "a digit changed", flipped(forger.bundle())
    yield "version 2", forger.bundle(version=2)
    yield "another app's", forger.bundle(topic=b"com.example.chat2")
    yield "signed by another", forger.bundle(signer=Ed25519PrivateKey.generate())
    yield "signed as a message", forger.bundle(context=b"SealedPush/1 message")
    yield "a byte at the end", forger.bundle(tail=b"\0")
    yield "no entry", forger.bundle(classes=())
    yield "a count of two for one entry", forger.bundle(count=2)
    yield "an entry twice", forger.bundle(classes=(1, 1))
    yield "descending entries", forger.bundle(classes=(2, 1))
    yield "class 3", forger.bundle(classes=(3,))
    yield "suite 3", forger.bundle(suite=3)
    yield "not valid for six minutes yet", forger.bundle(not_before=6 * MINUTE)
    yield "not valid any more", forger.bundle(not_before=-DAY, not_after=-1)
    yield "valid for over 60 days", forger.bundle(not_after=60 * DAY + 1)
    yield "a key of low order", forger.bundle(key=bytes(32))
    yield "another key of low order", forger.bundle(key=b"\1" + bytes(31))


def accepted_bundles(forger):
    yield "nothing wrong", forger.bundle()
    yield "valid in four minutes", forger.bundle(not_before=4 * MINUTE)
    yield "valid for 60 days", forger.bundle(not_after=60 * DAY)
    yield "two classes", forger.bundle(classes=(1, 2))
