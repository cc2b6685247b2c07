"""Makes records.json: Web Push messages by other people's programs, the same in every run.

    python3 -m venv venv && venv/bin/pip install http-ece==1.2.1 pywebpush==2.5.0
    venv/bin/python make_records.py > records.json

Keys and salts are hashes of a counter: they protect nothing. What http_ece cannot be asked for (padding, a wrong
delimiter) is encrypted here with `cryptography`; http_ece opens what is well-formed, before it is written.
"""
import base64, hashlib, json, struct, sys
import http_ece, pywebpush
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ROOM = 4_096 - 86 - 17  # of text in the longest record: 3,993 bytes


def fixed(label, count):
    return hashlib.shake_128(f"SealedPush Web Push vectors: {label}".encode()).digest(count)


def key(label):
    # The top bit is cleared: below the group's order, whatever the hash.
    return ec.derive_private_key(int.from_bytes(fixed(label, 32), "big") >> 1, ec.SECP256R1())


def public(private):
    return private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


RECEIVER, AUTH = key("receiver"), fixed("auth", 16)


def text(label, count):
    """UTF-8 of exactly so many bytes, with letters of two to four bytes wherever they fit."""
    letters = ["a", "é", "例", "🕘", " ", "ж", "\n"]
    choice, result = iter(fixed(label, 4 * count + 1)), b""
    while len(result) < count:
        letter = letters[next(choice) % len(letters)].encode()
        result += letter if len(result) + len(letter) <= count else b"."
    return result


def by_http_ece(label, content, rs=4_096):
    return http_ece.encrypt(content, salt=fixed(label + " salt", 16), private_key=key(label), rs=rs,
                            dh=public(RECEIVER), auth_secret=AUTH, version="aes128gcm")


def by_pywebpush(label, content):
    """pywebpush draws its key and its salt itself."""
    subscription = {"endpoint": "https://push.example", "keys": {"p256dh": b64(public(RECEIVER)), "auth": b64(AUTH)}}
    drawn = pywebpush.ec.generate_private_key, http_ece.os.urandom
    pywebpush.ec.generate_private_key = lambda *_: key(label)
    http_ece.os.urandom = lambda count: fixed(label + " salt", count)
    try:
        return bytes(pywebpush.WebPusher(subscription).encode(content)["body"])
    finally:
        pywebpush.ec.generate_private_key, http_ece.os.urandom = drawn


def by_hand(label, padded, rs=4_096, keyid=None, auth=AUTH):
    """RFC 8291 section 3.4 and RFC 8188 section 2, around any padded text."""
    def hkdf(salt, secret, info, count):
        return HKDF(hashes.SHA256(), count, salt, info).derive(secret)

    sender, salt = key(label), fixed(label + " salt", 16)
    shared = sender.exchange(ec.ECDH(), RECEIVER.public_key())
    ikm = hkdf(auth, shared, b"WebPush: info\0" + public(RECEIVER) + public(sender), 32)
    cek = hkdf(salt, ikm, b"Content-Encoding: aes128gcm\0", 16)
    nonce = hkdf(salt, ikm, b"Content-Encoding: nonce\0", 12)
    ciphertext = AESGCM(cek).encrypt(nonce, padded, None)
    keyid = public(sender) if keyid is None else keyid
    rs = len(ciphertext) if rs is None else rs
    return salt + struct.pack("!LB", rs, len(keyid)) + keyid + ciphertext


def b64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def opened():
    for count in [1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 500, 1_000, 2_047, 2_048, 2_049, 3_000,
                  3_992, 3_993]:
        name = f"http_ece, {count} bytes"
        yield name, text(name, count), by_http_ece(name, text(name, count))
    for rs in [18, 19, 512, 65_536]:
        name = f"http_ece, record size {rs}"
        yield name, text(name, min(rs, 256) - 17), by_http_ece(name, text(name, min(rs, 256) - 17), rs)
    for count in [1, 20, 300, 2_500]:
        name = f"pywebpush, {count} bytes"
        yield name, text(name, count), by_pywebpush(name, text(name, count))
    for count, padding in [(0, 1), (0, 3_993), (1, 1), (5, 10), (16, 15), (16, 16), (100, 1), (100, 412), (255, 1),
                           (1_000, 24), (1_000, 2_993), (2_900, 100), (3_992, 1)]:
        name = f"by hand, {count} bytes and {padding} of padding"
        yield name, text(name, count), by_hand(name, text(name, count) + b"\x02" + bytes(padding))
    for rs, count, padding in [(None, 40, 0), (None, 40, 1), (None, 3_993, 0), (2**32 - 1, 40, 0)]:
        name = f"by hand, record size {'as long as the record' if rs is None else rs}, {count} bytes and {padding}"
        yield name, text(name, count), by_hand(name, text(name, count) + b"\x02" + bytes(padding), rs)
    name = "by hand, text that ends with delimiters and zeros"
    yield name, b"end\x02\0\x01\0\0\x02", by_hand(name, b"end\x02\0\x01\0\0\x02" + b"\x02\0\0")


def refused():
    """Each with one thing wrong, and the case that names it."""
    good = text("refused", 40)
    yield "two records, by http_ece", "severalRecords", by_http_ece("two records", good, 40)
    yield "three records, by http_ece", "severalRecords", by_http_ece("three records", good, 34)
    yield "record size below 18", "recordSizeTooSmall", by_hand("small", b"\x02", 17)
    yield "record size one less than the record", "severalRecords", by_hand("one less", good + b"\x02", 40 + 16)
    yield "a byte more than 4,096", "tooLong", by_hand("long", text("long", ROOM + 1) + b"\x02")
    yield "the delimiter of a record that others follow", "notOpened", by_hand("0x01", good + b"\x01")
    yield "the same with padding", "notOpened", by_hand("0x01 padded", good + b"\x01\0\0\0")
    yield "no delimiter", "notOpened", by_hand("none", good)
    yield "nothing but padding", "notOpened", by_hand("zeros", bytes(40))
    yield "no record behind the header, which http_ece writes for no text", "truncated", by_http_ece("no text", b"")
    yield "nothing at all inside", "truncated", by_hand("nothing", b"")
    yield "padding that is not zero", "notOpened", by_hand("padding", good + b"\x02\0\x03\0")
    yield "padding that is all 0xff", "notOpened", by_hand("ff", good + b"\x02" + b"\xff" * 8)
    yield "another authentication secret", "notOpened", by_hand("auth", good + b"\x02", auth=fixed("other auth", 16))
    yield "another sender's key than was agreed with", "notOpened", by_hand("key", good + b"\x02", keyid=public(key("other")))
    yield "the same, the receiver's own key", "notOpened", by_hand("own", good + b"\x02", keyid=public(RECEIVER))
    compressed = key("compressed").public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    yield "a compressed key", "wrongKeyIDLength", by_hand("compressed", good + b"\x02", keyid=compressed)
    yield "infinity", "wrongKeyIDLength", by_hand("infinity", good + b"\x02", keyid=b"\0")
    yield "no key", "wrongKeyIDLength", by_hand("no key", good + b"\x02", keyid=b"")
    whole = public(key("hybrid"))
    yield "a hybrid key", "badPublicKey", by_hand("hybrid", good + b"\x02", keyid=bytes([6 + whole[-1] % 2]) + whole[1:])
    yield "65 zeros", "badPublicKey", by_hand("65 zeros", good + b"\x02", keyid=bytes(65))
    yield "x and y of zero", "badPublicKey", by_hand("zero", good + b"\x02", keyid=b"\x04" + bytes(64))
    off = bytearray(public(key("off curve")))
    off[64] ^= 1
    yield "a point off the curve", "badPublicKey", by_hand("off curve", good + b"\x02", keyid=bytes(off))


def main():
    vectors = {"receiver": {"private": b64(RECEIVER.private_numbers().private_value.to_bytes(32, "big")),
                            "public": b64(public(RECEIVER)), "auth": b64(AUTH)}, "opened": [], "refused": []}
    for name, plaintext, record in opened():
        again = http_ece.decrypt(record, private_key=RECEIVER, auth_secret=AUTH, version="aes128gcm")
        assert again == plaintext and len(record) <= 4_096, name
        vectors["opened"].append({"name": name, "plaintext": b64(plaintext), "record": b64(record)})
    for name, error, record in refused():
        vectors["refused"].append({"name": name, "error": error, "record": b64(record)})
    json.dump(vectors, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
