"""Makes app-attest.json: objects of App Attest under a root of our own, each with one fault, the same in every run.

    python3 -m venv venv && venv/bin/pip install cryptography==50.0.2 cbor2==6.3.0
    venv/bin/python make_attestations.py > app-attest.json

Keys are hashes of a label: they protect nothing. The form is that of Apple's "Validating apps that connect to your
server"; no object is Apple's.
"""
import base64, datetime, hashlib, json, struct, sys
import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID, ObjectIdentifier

NOW = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
APP = "TEAM123456.com.example.chat"
PRODUCTION, SANDBOX = b"appattest" + bytes(7), b"appattestdevelop"
NONCE = ObjectIdentifier("1.2.840.113635.100.8.2")


def key(label, curve=ec.SECP256R1()):
    number = hashlib.shake_128(f"SealedPush App Attest vectors: {label}".encode()).digest(curve.key_size // 8)
    return ec.derive_private_key(int.from_bytes(number, "big") >> 1, curve)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def public(private):
    return private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def certificate(name, private, issuer, issuer_key, start, end, extensions, is_authority=False, serial=1):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer.subject if issuer else subject)
        .public_key(private.public_key()).serial_number(serial).not_valid_before(start).not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    for value in extensions:
        builder = builder.add_extension(x509.UnrecognizedExtension(NONCE, value), critical=False)
    return builder.sign(issuer_key, hashes.SHA256(), ecdsa_deterministic=True)


ROOT_KEY, MIDDLE_KEY, KEY = key("root", ec.SECP384R1()), key("intermediate", ec.SECP384R1()), key("credential")
ROOT = certificate("Test App Attestation Root", ROOT_KEY, None, ROOT_KEY, NOW - 900 * DAY, NOW + 9000 * DAY, [], True)
MIDDLE = certificate("Test App Attestation CA 1", MIDDLE_KEY, ROOT, ROOT_KEY, NOW - 800 * DAY, NOW + 3000 * DAY, [], True, 2)
OTHER_ROOT = certificate("Test App Attestation Root", key("other"), None, key("other"), NOW - DAY, NOW + 9000 * DAY, [], True)
KEY_ID, HASH = sha(public(KEY)), sha(b"client data")
vectors = []


def data(app=APP, counter=0, environment=PRODUCTION, key_id=KEY_ID, flags=0x40, length=None, cut=None):
    cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: public(KEY)[1:33], -3: public(KEY)[33:]})
    length = len(key_id) if length is None else length
    whole = sha(app.encode()) + bytes([flags]) + struct.pack(">I", counter) + environment + struct.pack(">H", length)
    return (whole + key_id + cose)[:cut]


def leaf(authenticator_data, private=KEY, issuer=MIDDLE, issuer_key=MIDDLE_KEY, start=NOW - DAY, end=NOW + 2 * DAY, nonce=None,
         hash=HASH):
    value = b"\x30\x24\xa1\x22\x04\x20" + sha(authenticator_data, hash) if nonce is None else nonce
    return certificate("credential", private, issuer, issuer_key, start, end, [value] if value else [], False, 3)


def der(one):
    return one.public_bytes(Encoding.DER)


def statement(authenticator_data, chain=None, **fields):
    chain = [der(leaf(authenticator_data)), der(MIDDLE)] if chain is None else chain
    return {"fmt": "apple-appattest", "attStmt": {"x5c": chain, "receipt": b"receipt"}, "authData": authenticator_data} | fields


def text(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def add(kind, name, expected, thing, key_id=KEY_ID, time=NOW):
    thing = thing if isinstance(thing, bytes) else cbor2.dumps(thing)
    vectors.append({"kind": kind, "name": name, "expected": expected, "object": text(thing), "key-id": text(key_id),
                    "time": int(time.timestamp())})


def attestation(*arguments, **named):
    add("attestation", *arguments, **named)


def with_leaf(**named):
    return statement(data(), [der(leaf(data(), **named)), der(MIDDLE)])


good = statement(data())
attestation("whole", "valid", good)
attestation("without a receipt", "valid", statement(data(), attStmt={"x5c": good["attStmt"]["x5c"]}))
attestation("members in another order", "valid", dict(reversed(good.items())))
attestation("the root in its chain", "valid", statement(data(), good["attStmt"]["x5c"] + [der(ROOT)]))
attestation("a root of the same name and another key", "chain",
            statement(data(), [der(leaf(data(), issuer=OTHER_ROOT, issuer_key=key("other"))), der(OTHER_ROOT)]))
attestation("signed by another key", "chain", with_leaf(issuer_key=key("thief")))
attestation("its own authority", "chain", with_leaf(issuer=None, issuer_key=KEY))
attestation("past its end", "chain", good, time=NOW + 3 * DAY)
attestation("before its start", "chain", good, time=NOW - 2 * DAY)
attestation("without the intermediate", "chain", statement(data(), [der(leaf(data())), der(ROOT)]))
no_authority = certificate("not an authority", key("no authority"), MIDDLE, MIDDLE_KEY, NOW - DAY, NOW + 9 * DAY, [], False, 4)
attestation("issued by a leaf", "chain", statement(
    data(), [der(leaf(data(), issuer=no_authority, issuer_key=key("no authority"))), der(no_authority), der(MIDDLE)]))
attestation("the intermediate first", "nonce", statement(data(), good["attStmt"]["x5c"][::-1]))
attestation("of other client data", "nonce", with_leaf(hash=sha(b"other")))
attestation("without the nonce", "nonce", with_leaf(nonce=b""))
nonce = sha(data(), HASH)
attestation("the nonce without its wrapping", "nonce", with_leaf(nonce=nonce))
attestation("a byte behind the nonce", "nonce", with_leaf(nonce=b"\x30\x24\xa1\x22\x04\x20" + nonce + b"\x00"))
attestation("authenticator data changed afterwards", "nonce", statement(data(), authData=data(counter=1)))
attestation("another key id in the request", "key-id", good, key_id=sha(b"other"))
attestation("another key in the certificate", "key-id", with_leaf(private=key("second")))
attestation("another key id in the authenticator data", "key-id", statement(data(key_id=sha(b"other"))))
attestation("another app", "app-id", statement(data(app="TEAM123456.com.example.other")))
attestation("another team", "app-id", statement(data(app="TEAM654321.com.example.chat")))
attestation("a counter of 1", "counter", statement(data(counter=1)))
attestation("the sandbox", "environment", statement(data(environment=SANDBOX)))
attestation("no environment", "environment", statement(data(environment=bytes(16))))
attestation("a key on another curve", "malformed", with_leaf(private=key("large", ec.SECP384R1())))
attestation("no credential", "malformed", statement(data(cut=37)))
attestation("authenticator data cut", "malformed", statement(data(cut=36)))
attestation("a key id cut", "malformed", statement(data(cut=86)))
attestation("a key id of another length", "malformed", statement(data(length=31)))
attestation("another format", "malformed", good | {"fmt": "apple"})
attestation("a format of bytes", "malformed", good | {"fmt": b"apple-appattest"})
attestation("an unknown member", "malformed", good | {"more": 1})
attestation("a member in place of another", "malformed", {"fmt": "apple-appattest", "attStmt": good["attStmt"], "data": data()})
attestation("a chain of one", "malformed", statement(data(), good["attStmt"]["x5c"][:1]))
attestation("a chain of five", "malformed", statement(data(), good["attStmt"]["x5c"] + [der(ROOT)] * 3))
attestation("a chain that is text", "malformed", statement(data(), ["leaf", "intermediate"]))
attestation("certificates that are none", "malformed", statement(data(), [b"leaf", b"intermediate"]))
attestation("a byte behind a certificate", "malformed", statement(data(), [one + b"\x00" for one in good["attStmt"]["x5c"]]))
attestation("a byte behind it", "malformed", cbor2.dumps(good) + b"\x00")
attestation("a map without an end", "malformed", b"\xbf" + cbor2.dumps(good)[1:] + b"\xff")
attestation("a length of 64 bits", "malformed", b"\xbb" + struct.pack(">Q", 3) + cbor2.dumps(good)[1:])
attestation("a map as long as memory", "malformed", b"\xba\xff\xff\xff\xff" + cbor2.dumps(good)[1:])
attestation("a string as long as memory", "malformed", b"\xa3\x63fmt\x7a\xff\xff\xff\xff")
attestation("a tag", "malformed", b"\xc0" + cbor2.dumps(good))
attestation("the format twice", "malformed", b"\xa3" + (cbor2.dumps("fmt") + cbor2.dumps("apple-appattest")) * 2
            + cbor2.dumps("authData") + cbor2.dumps(data()))
attestation("nothing", "malformed", b"")


def signature(bytes, private=KEY):
    return private.sign(bytes, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))


def assertion(name, expected, authenticator_data, signed=None, **named):
    value = signature(sha(authenticator_data, HASH)) if signed is None else signed
    add("assertion", name, expected, {"signature": value, "authenticatorData": authenticator_data} | named)


first = data(counter=7, cut=37)
assertion("whole", "valid", first)
assertion("flags that claim no credential", "valid", data(counter=7, flags=0, cut=37))
assertion("of another key", "signature", first, signature(sha(first, HASH), key("thief")))
assertion("of other client data", "signature", first, signature(sha(first, sha(b"other"))))
assertion("the nonce hashed once", "signature", first, signature(first + HASH))
r, s = decode_dss_signature(signature(sha(first, HASH)))
assertion("a signature of 64 bytes", "signature", first, r.to_bytes(32, "big") + s.to_bytes(32, "big"))
assertion("no signature", "signature", first, b"\x00")
assertion("another app", "app-id", data(app="TEAM123456.com.example.other", counter=7, cut=37))
assertion("authenticator data cut", "malformed", data(cut=36))
assertion("an unknown member", "malformed", first, more=1)
add("assertion", "a byte behind it", "malformed",
    cbor2.dumps({"signature": signature(sha(first, HASH)), "authenticatorData": first}) + b"\x00")
add("assertion", "an attestation", "malformed", good)

json.dump({"root": ROOT.public_bytes(Encoding.PEM).decode(), "public-key": text(public(KEY)), "client-data-hash": text(HASH),
           "vectors": vectors}, sys.stdout, indent=1)
print()
