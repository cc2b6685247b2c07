"""A device's setting as vectors and lines write it: prekeys, contacts and the app's lists, one text each."""
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sealedpush_py.encoding import PREKEY_CLASSES, SUITE, base64url, from_base64url
from sealedpush_py.keys import Prekey, is_acceptable_point
from sealedpush_py.rights import Allowed, Contact
from sealedpush_py.succession import Retired

RIGHTS = {"call", "critical", "time-sensitive", "links"}


class NotUnderstood(Exception):
    """A text that this program was not written for. It is never skipped."""


def understand(condition, what):
    if not condition:
        raise NotUnderstood(what)


def prekey(text, identity):
    """`SUITE CLASS SECRET`, `SUITE CLASS locked FP` or `SUITE CLASS destroyed FP`."""
    suite, prekey_class, *rest = text.split(" ")
    understand(suite == str(SUITE) and prekey_class in map(str, PREKEY_CLASSES), f"prekey {suite} {prekey_class}")
    if len(rest) == 1:
        return Prekey.of_secret(from_base64url(rest[0], 32), int(prekey_class), identity)
    understand(len(rest) == 2 and rest[0] in ("locked", "destroyed"), "a prekey's state")
    return Prekey(from_base64url(rest[1], 32), state=rest[0])


def contacts(texts):
    """`SK ROLE RIGHTS`, each; the contacts by SK."""
    found = {}
    for text in texts:
        key, role, rights = text.split(" ")
        rights = frozenset(() if rights == "-" else rights.split(","))
        understand(role in ("person", "service") and rights <= RIGHTS, f"contact {role} {sorted(rights)}")
        key = from_base64url(key, 32)
        understand(is_acceptable_point(key), "a contact's key that cannot be pinned")
        found[key] = Contact(role, rights)
    return found


def retired(texts):
    """`SK superseded MS SK` or `SK revoked MS`, each; by SK."""
    found = {}
    for text in texts:
        key, word, time, *successor = text.split(" ")
        understand((word, len(successor)) in (("superseded", 1), ("revoked", 0)), f"retired {word}")
        found[from_base64url(key, 32)] = Retired(from_base64url(successor[0], 32) if successor else None, int(time))
    return found


def contact_text(key: Ed25519PrivateKey, contact):
    return f"{base64url(key.public_key().public_bytes_raw())} {contact.role} {','.join(sorted(contact.rights)) or '-'}"


def allowed(texts, attachments="allowed"):
    """`category NAME`, `sound NAME`, `user-info NAME`, each."""
    understand(attachments in ("allowed", "refused"), f"attachments {attachments}")
    names = {"category": set(), "sound": set(), "user-info": set()}
    for text in texts:
        kind, _, name = text.partition(" ")
        understand(kind in names and name, f"allow {kind}")
        names[kind].add(name)
    lists = map(frozenset, (names["category"], names["sound"], names["user-info"]))
    return Allowed(*lists, attachments=attachments == "allowed")
