"""Random valid messages, their senders and recipients. Everything comes from one seeded generator."""
import dataclasses
import random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

import setting
from sealedpush_py import attachment, bundle
from sealedpush_py.encoding import DAY, MINUTE, base64url
from sealedpush_py.rights import Contact

TOPIC = "com.example.chat"
NOW = 1_800_000_000_000  # a moment in 2027; no test reads a clock
WORDS = ["meet", "me", "under", "the", "clock", "at", "nine", "Grüße", "пример", "例え", "שלום", "ไม้", "हिन्दी", "각"]
EMOJI = ["🕘", "👩‍👩‍👧", "🇨🇭", "👍🏽", "❤️", "e\u0301", "𝄞"]
ESCAPES = list('"\\/\n\t\r\b\f\u0001\u001f\u007f\u2028\ufeff\uffff') + ["\\u0041"]
CATEGORIES, SOUNDS, INFO = ["reply", "invite"], ["default", "bell.caf"], ["room", "count", "is-new", "~"]
ALLOW = [*(f"category {name}" for name in CATEGORIES), *(f"sound {name}" for name in SOUNDS),
         *(f"user-info {name}" for name in INFO)]
OPERATIONS = ["show"] * 6 + ["replace", "remove", "badge", "call", "test"]
ALL_RIGHTS = Contact("service", frozenset(setting.RIGHTS))


@dataclasses.dataclass
class World:
    """One device with prekeys of both classes, and senders, known to it or not."""

    generator: random.Random

    def __post_init__(self):
        self.identity = self.ed25519()
        self.prekeys = {1: self.x25519(), 2: self.x25519()}
        self.old_prekey = self.x25519()  # class 1, superseded, still open
        some = frozenset({"call", "time-sensitive"})
        self.service = self.ed25519()
        self.contacts = [(self.service, ALL_RIGHTS), (self.ed25519(), Contact("service")),
                         (self.ed25519(), Contact("person")), (self.ed25519(), Contact("person", some)),
                         (self.ed25519(), Contact("person", ALL_RIGHTS.rights))]
        self.stranger = self.ed25519()

    def ed25519(self):
        return Ed25519PrivateKey.from_private_bytes(self.generator.randbytes(32))

    def x25519(self):
        return X25519PrivateKey.from_private_bytes(self.generator.randbytes(32))

    def bundle(self, classes=(1, 2), now=NOW):
        entries = [bundle.Entry(1, c, now - DAY, now + 59 * DAY, public_bytes(self.prekeys[c])) for c in classes]
        return bundle.sign(self.identity, now - DAY, now - DAY, TOPIC.encode(), entries)

    def open_request(self, payload, now=NOW, **changes):
        """A line of open-lines. The device was built ten days before, unless a change says otherwise."""
        prekeys = [(1, self.prekeys[1]), (1, self.old_prekey), (2, self.prekeys[2])]
        request = {"topic": TOPIC, "identity": base64url(public_bytes(self.identity)),
                   "prekeys": [f"1 {c} {base64url(key.private_bytes_raw())}" for c, key in prekeys],
                   "contacts": [setting.contact_text(*contact) for contact in self.contacts], "allow": ALLOW,
                   "build-date": NOW - 10 * DAY, "now": now, "payload": payload}
        return request | {name.replace("_", "-"): value for name, value in changes.items()}

    def seal_request(self, message, **changes):
        """A line of seal-lines, by the sender with all rights."""
        return {"sender-secret": base64url(self.service.private_bytes_raw()), "bundle": base64url(self.bundle()),
                "pinned": base64url(public_bytes(self.identity)), "topic": TOPIC, "message": message, "sent-at": NOW,
                "lifetime-ms": lifetime(self.generator, message), "class": self.generator.choice((1, 2))} | changes


def public_bytes(private_key):
    return private_key.public_key().public_bytes_raw()


def lifetime(generator, message):
    longest = MINUTE if message.get("op") == "call" else 7 * DAY
    return generator.choice((1_000, longest // 2, longest))


def text(generator, pieces, count, joint=" "):
    return joint.join(generator.choice(pieces) for _ in range(count))


def any_text(generator):
    """Words, emoji, characters that JSON escapes; or, now and then, more than fits."""
    kind = generator.randrange(12)
    if kind == 0:
        return text(generator, WORDS + EMOJI, 1_400)
    if kind < 4:
        return text(generator, EMOJI + WORDS, generator.randint(1, 80), "")
    if kind < 6:
        return text(generator, ESCAPES + WORDS, generator.randint(1, 60), "")
    return text(generator, WORDS, generator.randint(1, 60))


def message(generator):
    """A valid message of any operation, with any of the members that section 6 has for it."""
    operation = generator.choice(OPERATIONS)
    members = {} if operation == "show" else {"op": operation}
    if operation in ("replace", "remove"):
        members["target"] = base64url(generator.randbytes(16))
    if operation == "call":
        members["call"] = text(generator, WORDS + EMOJI, 3)
    if operation == "badge" or generator.random() < 0.2:
        members["badge"] = generator.choice((0, 1, generator.randint(2, 9_999), 9_999))
    if operation in ("show", "replace") or generator.random() < 0.3:
        members["title"] = text(generator, WORDS, 3)
        members["body"] = any_text(generator)
    if operation in ("show", "replace") and generator.random() < 0.25:
        members["attachments"] = attachments(generator)
    for name, make in OPTIONAL.items():
        if generator.random() < 0.15:
            members |= make(generator) if callable(make) else {name: generator.choice(make)}
    return members


def user_info(generator):
    values = {"room": text(generator, WORDS, 2), "count": generator.choice((0, -1, 2**63 - 1, -(2**63))),
              "is-new": generator.random() < 0.5, "~": "", "not-allowed": 1}
    return {"user-info": {name: values[name] for name in generator.sample(list(values), generator.randint(1, 5))}}


def localized(prefix):
    def make(generator):
        args = [text(generator, WORDS, 1) for _ in range(generator.randint(0, 8))]
        return {f"{prefix}loc-key": "NEW_MESSAGE"} | ({f"{prefix}loc-args": args} if args else {})
    return make


def receipt(generator):
    return {"receipt": base64url(generator.randbytes(16))}


HOSTS = ["blobs.example.com", "a-1.xn--bcher-kva.example:8443", "localhost:1", "127.0.0.1:65535", "[::1]:443"]
PATHS = ["/", "/v1/blobs/" + "A" * 43, "/a//b/", "/a%20b/%c3%a9;x=1", "/?a=%2F&b=?/", "/~(!$&*+,=:@)"]
SIZES = [0, 1, 2, 3, 255, 16_383, 16_384, 16_385, 2**20 + 1, 2**40 - 1, 2**40]
TYPES = ["image/jpeg", "video/mp4", "audio/x-caf", "application/vnd.a.b+json", "x/" + "y" * 62]


def pointer(generator):
    size = generator.choice((generator.choice(SIZES), generator.randrange(2 ** generator.randint(1, 40))))
    found = {"id": base64url(generator.randbytes(16)),
             "url": "https://" + generator.choice(HOSTS) + generator.choice(PATHS),
             "key": base64url(generator.randbytes(32)), "size": size, "stored": attachment.stored(size),
             "type": generator.choice(TYPES)}
    if generator.random() < 0.3:
        found["name"] = generator.choice(EMOJI + WORDS + ["../x", "\\"]) + "a" * generator.randrange(40)
    return found


def attachments(generator):
    pointers = [pointer(generator) for _ in range(generator.choice((1, 1, 2, 3, 4)))]
    i = 0
    while i < len(pointers) - 1:  # a thumbnail, and behind it what it stands in for
        if generator.random() < 0.4:
            pointers[i]["thumbnail"] = True
            i += 1
        i += 1
    return pointers


def sound(generator):
    volume = {"sound-volume": generator.choice(("0", "1", "0.5", "0.1234", "1.0"))}
    return {"sound": generator.choice(SOUNDS + ["siren.caf"])} | (volume if generator.random() < 0.5 else {})


OPTIONAL = {
    "subtitle": EMOJI, "thread-id": WORDS, "category": CATEGORIES + ["unknown"], "sender": WORDS,
    "level": ["passive", "active", "time-sensitive", "critical"], "relevance-score": ["0", "1", "0.25", "0.1234"],
    "target-content-id": WORDS, "sound": sound, "user-info": user_info, "receipt": receipt, "loc": localized(""),
    "title-loc": localized("title-"), "subtitle-loc": localized("subtitle-"),
}


def all_rights_show(members):
    """The app's view of a message with all rights: computed here a second time, apart from the package."""
    unsaid = ("op", "show"), ("level", "active")
    shows = {name: value for name, value in members.items() if (name, value) not in unsaid}
    if shows.get("category") not in (None, *CATEGORIES):
        del shows["category"]
    if shows.get("sound") not in (None, *SOUNDS):
        del shows["sound"]
        shows.pop("sound-volume", None)
    if "user-info" in shows:
        info = {name: value for name, value in shows.pop("user-info").items() if name in INFO}
        shows |= {"user-info": info} if info else {}
    return shows
