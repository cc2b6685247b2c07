import random
import unittest

from sealedpush import (
    AttachmentPointer,
    LocalizedText,
    Message,
    MessageError,
    MessageTooLong,
    Placeholder,
    Receipt,
    Recipient,
    SealedPushError,
    SealingError,
    SenderKey,
    prepare,
    seal,
    verify_bundle,
)
from sealedpush.encoding import DAY, context, from_base64url
from sealedpush.keys import is_valid_signature
from sealedpush.message import _boundaries, _prefix
from sealedpush.strict_json import JSONRefused, parse
from tests.device import NOW, TOPIC, Device

SECRET = "zq-the-words-qz"


def pointer(number=0, **members):
    members = {"url": "https://files.example.com/x", "size": 9, "media_type": "image/png", **members}
    return AttachmentPointer(id=bytes([number]) * 16, key=bytes([number]) * 32, **members)


class Messages(unittest.TestCase):
    def refuse(self, member, make):
        with self.assertRaises(MessageError) as caught:
            prepare(make())
        self.assertEqual(caught.exception.member, member)
        self.assertNotIn(SECRET, str(caught.exception))

    def test_what_a_device_would_refuse_is_not_sealed(self):
        text = {"body": SECRET}
        for member, make in (
            ("body", lambda: Message()),
            ("body", lambda: Message(subtitle=SECRET)),
            ("body", lambda: Message(body=SECRET + "\0")),
            ("title", lambda: Message(title=SECRET + "\ud800")),
            ("title", lambda: Message(title=b"bytes", body=SECRET)),
            ("badge", lambda: Message(badge=10_000, **text)),
            ("badge", lambda: Message(badge=True, **text)),
            ("badge", lambda: Message.setting_badge(-1)),
            ("badge", lambda: Message(operation="badge")),
            ("sound-volume", lambda: Message(sound="default", sound_volume="1.1", **text)),
            ("sound-volume", lambda: Message(sound_volume="1", **text)),
            ("relevance-score", lambda: Message(relevance_score="0.12345", **text)),
            ("relevance-score", lambda: Message(relevance_score=0.5, **text)),
            ("level", lambda: Message(level="loud", **text)),
            ("crit", lambda: Message(crit=("unheard-of",), **text)),
            ("loc-key", lambda: Message(localized_body=LocalizedText(""))),
            ("loc-key", lambda: Message(localized_body=LocalizedText("K", ("a",) * 9))),
            ("loc-key", lambda: Message(localized_body=LocalizedText("K", (1,)))),
            ("loc-key", lambda: Message(localized_body=LocalizedText("K", "word"))),
            ("user-info", lambda: Message(user_info={f"n{i}": 1 for i in range(17)}, **text)),
            ("user-info", lambda: Message(user_info={"a b": 1}, **text)),
            ("user-info", lambda: Message(user_info={"a": 1.5}, **text)),
            ("user-info", lambda: Message(user_info={"a": 1 << 63}, **text)),
            ("user-info", lambda: Message(user_info={"a": SECRET + "\0"}, **text)),
            ("op", lambda: Message(operation="shout", **text)),
            ("target", lambda: Message.removing(b"short")),
            ("target", lambda: Message(target=bytes(16), **text)),
            ("body", lambda: Message.replacing(bytes(16))),
            ("call", lambda: Message.call("")),
            ("call", lambda: Message(call_text=SECRET, **text)),
            ("attachments", lambda: Message(operation="remove", target=bytes(16), attachments=(pointer(),))),
            ("attachments", lambda: Message(attachments=(pointer(), pointer()), **text)),
            ("attachments", lambda: Message(attachments=tuple(map(pointer, range(5))), **text)),
            ("attachments", lambda: Message(attachments=(pointer(thumbnail=True),), **text)),
            (
                "attachments",
                lambda: Message(
                    attachments=(pointer(0, thumbnail=True), pointer(1, thumbnail=True), pointer(2)), **text
                ),
            ),
            ("attachments", lambda: Message(attachments=(pointer(url="http://files.example.com/x"),), **text)),
            ("attachments", lambda: Message(attachments=(pointer(media_type="image/PNG"),), **text)),
            ("attachments", lambda: Message(attachments=(pointer(name="n" * 65),), **text)),
            ("attachments", lambda: Message(attachments=(pointer(name="n\0"),), **text)),
            ("attachments", lambda: Message(attachments=(pointer(size=(1 << 40) + 1),), **text)),
        ):
            with self.subTest(member=member):
                self.refuse(member, make)

    def test_nothing_that_has_words_shows_them(self):
        message = Message(title=SECRET, body=SECRET, receipt=Receipt(), attachments=(pointer(name=SECRET),))
        prepared = prepare(message)
        for value in (message, prepared, message.receipt, message.attachments[0], LocalizedText(SECRET)):
            self.assertNotIn(SECRET, repr(value))

    def test_a_text_that_does_not_fit_is_cut_or_refused(self):
        room = 2_690
        for body in (
            "a" * 5_000,
            "ü" * 5_000,
            '"' * 5_000,
            "\n" * 3_000,
            "🇨🇭" * 1_000,
            "👩‍👩‍👧 " * 1_000,
            "한국어" * 900,
        ):
            prepared = prepare(Message(title="t", body=body))
            self.assertTrue(prepared.is_shortened)
            self.assertLessEqual(len(prepared.body), room)
            self.assertGreater(len(prepared.body), room - 60)
            self.assertTrue(body.startswith(parse(prepared.body, room)["body"]))
            with self.assertRaises(MessageTooLong) as caught:
                prepare(Message(title="t", body=body), shorten=False)
            self.assertGreater(caught.exception.excess, 0)
        frame = '{"body":""}'
        self.assertFalse(prepare(Message(body="a" * (room - len(frame)))).is_shortened)
        self.assertTrue(prepare(Message(body="a" * (room - len(frame) + 1))).is_shortened)

    def test_what_stays_too_long_is_refused(self):
        for message in (
            Message(title="t" * 3_000, body="b"),
            Message(body="e" + "\u0301" * 3_000),
            Message.call("c" * 3_459),
        ):
            with self.assertRaises(MessageTooLong):
                prepare(message)
        self.assertFalse(prepare(Message.call("c" * 3_400)).is_shortened)

    def test_a_cut_is_between_grapheme_clusters(self):
        try:
            import regex
        except ImportError:
            self.skipTest("the module 'regex' is not installed")
        chance = random.Random(3)
        pieces = [
            "a",
            "e\u0301",
            "🇨🇭",
            "👩‍👩‍👧",
            "👍🏽",
            "한",
            "\u1112\u1161\u11ab",
            "\r\n",
            "\n",
            "क्षि",
            "नी",
            "ำ",
            "ก",
            "\u200d",
            "\u0600",
            "☂️",
            " ",
            "\ufe0f",
            "ﾞ",
            "中",
            "\u0d4e",
            "\U000111c2",
            "\U0001f1e6",
            "\u1100",
            "가",
            "ག",
            "\u0f39",
            "့",
            "ြ",
            "1️⃣",
        ]
        letters = [*range(0x20, 0xD800), *range(0xE000, 0x20000)]
        texts = ["".join(chance.choices(pieces, k=6)) for _ in range(20_000)]
        texts += ["".join(map(chr, chance.choices(letters, k=4))) for _ in range(20_000)]
        for text in texts:
            whole = {match.start() for match in regex.finditer(r"\X", text)}
            found = {index for index, is_boundary in enumerate(_boundaries(text)) if is_boundary}
            self.assertLessEqual(found, whole, ascii(text))
        self.assertEqual(_prefix("aé中 b", 100), "aé中 b")
        self.assertEqual(_prefix("aé中 b", 6), "aé中")

    def test_a_placeholder_is_a_constant_of_173_bytes_at_most(self):
        Placeholder(body="b" * (173 - len('{"body":""}')))
        for fault in ({}, {"body": "b" * 163}, {"key": "K\0"}):
            with self.assertRaises(MessageError):
                Placeholder(**fault)


class Sealing(unittest.TestCase):
    def setUp(self):
        self.device, self.sender = Device(), SenderKey()
        self.recipient, _ = verify_bundle(self.device.bundle(), self.device.identity, TOPIC, None, NOW)

    def refuse(self, reason, act):
        with self.assertRaises(SealingError) as caught:
            act()
        self.assertEqual(caught.exception.reason, reason)

    def test_times_that_a_device_would_refuse_are_refused(self):
        message, call = Message(body="b"), Message.call("c")
        for reason, options in (
            ("lifetime", {"lifetime": 0}),
            ("lifetime", {"lifetime": 7 * DAY + 1}),
            ("lifetime", {"lifetime": DAY, "lifetime_max": 30 * DAY + 1}),
            ("lifetime", {"expires_at": NOW, "sent_at": NOW}),
            ("time", {"sent_at": (1 << 53) - 1}),
            ("time", {"sent_at": -1}),
            ("time", {"sent_at": NOW / 7}),
            ("time", {"lifetime": 0.5}),
        ):
            self.refuse(reason, lambda: prepare(message, **{"sent_at": NOW, **options}))
        self.refuse("call-lifetime", lambda: prepare(call, sent_at=NOW, lifetime=60_001))
        prepare(call, sent_at=NOW, lifetime=60_000)
        prepare(message, sent_at=NOW, lifetime=30 * DAY, lifetime_max=30 * DAY)

    def test_nothing_is_sealed_after_its_end(self):
        prepared = prepare(Message(body="b"), sent_at=NOW, lifetime=1_000)
        self.refuse("expired", lambda: seal(self.sender, prepared, self.recipient, NOW + 1_000))
        late = prepare(Message(body="b"), sent_at=NOW + 60 * DAY)
        self.refuse("prekey-expired", lambda: seal(self.sender, late, self.recipient, NOW + 59 * DAY + 1))
        seal(self.sender, prepare(Message(body="b"), sent_at=NOW + 59 * DAY), self.recipient, NOW + 59 * DAY)

    def test_a_recipient_of_low_order_is_refused(self):
        weak = Recipient(self.device.identity, TOPIC, bytes(32), bytes(32), NOW + DAY, NOW, NOW)
        self.refuse("low-order-prekey", lambda: seal(self.sender, prepare(Message(body="b"), sent_at=NOW), weak, NOW))

    def test_envelopes_have_one_length_for_each_class(self):
        for message, size in (
            (Message(body="b"), 2_880),
            (Message(body="b" * 2_600), 2_880),
            (Message.call("c"), 3_648),
        ):
            sealed = seal(self.sender, prepare(message, sent_at=NOW), self.recipient, NOW)
            self.assertEqual(len(from_base64url(sealed.field)), size)
        self.assertEqual(len(sealed.payload()), 4_919)

    def test_a_message_sealed_again_has_the_same_id_and_times(self):
        receipt = Receipt()
        message = Message(body="b", receipt=receipt)
        prepared = prepare(message, sent_at=NOW)
        again = prepare(
            message, message_id=prepared.message_id, sent_at=prepared.sent_at, expires_at=prepared.expires_at
        )
        self.assertEqual(prepared, again)
        one, other = (seal(self.sender, p, self.recipient, NOW) for p in (prepared, again))
        self.assertEqual((one.message_id, one.receipt_hash), (other.message_id, receipt.hash))
        self.assertNotEqual(one.field, other.field)
        self.assertNotEqual(one.trace, other.trace)

    def test_the_library_opens_what_was_sealed(self):
        prepared = prepare(Message(title="Anna", body="b" * 5_000), sent_at=NOW)
        sealed = seal(self.sender, prepared, self.recipient, NOW)
        try:
            frame, info = self.device.open(from_base64url(sealed.field))
        except ImportError:
            self.skipTest("this version of the library has no HPKE of its own")
        body_count = int.from_bytes(frame[66:68], "big")
        body = frame[132 : 132 + body_count]
        self.assertEqual((len(frame), body, frame[132 + body_count :].strip(b"\0")), (2_822, prepared.body, b""))
        self.assertEqual(
            (frame[:16], frame[32:64], frame[64:66]), (prepared.message_id, self.sender.public_key.raw, b"\0\1")
        )
        signed = context("message") + info + frame[:68] + __import__("hashlib").sha256(body).digest()
        self.assertTrue(is_valid_signature(frame[32:64], frame[68:132], signed))

    def test_an_alert_needs_a_placeholder(self):
        sealed = seal(self.sender, prepare(Message(body="b"), sent_at=NOW), self.recipient, NOW)
        with self.assertRaises(SealedPushError):
            sealed.payload()


class StrictJSON(unittest.TestCase):
    def test_whatever_bytes_are_refused_by_a_typed_error(self):
        chance = random.Random(4)
        pieces = [
            b"{",
            b"}",
            b"[",
            b"]",
            b'"',
            b"\\",
            b"\\u",
            b"d800",
            b":",
            b",",
            b"1",
            b"-0",
            b"e",
            b".",
            b"true",
            b"null",
            b" ",
            b"\xff",
            b"NaN",
            b"Infinity",
            b"\0",
            b'"a"',
        ]
        for _ in range(5_000):
            try:
                parse(b"".join(chance.choices(pieces, k=chance.randrange(20))), 1_000)
            except JSONRefused:
                pass
        for fault in (b"[" * 100_000, b"1" * 100_000, b'{"a":1,"a":1}', b'"\\ud800"', b'{"\\u0000":1}', b"", b"1" * 21):
            with self.assertRaises(JSONRefused):
                parse(fault, 1 << 20)
        with self.assertRaises(JSONRefused):
            parse(b'"longer"', 7)
