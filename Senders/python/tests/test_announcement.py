import time
import unittest

from sealedpush import Announcement, AnnouncementError, SenderKey, TopicError
from sealedpush.encoding import TIME_END, base64url, context
from sealedpush.keys import is_valid_signature
from tests.device import NOW, TOPIC


class Announcements(unittest.TestCase):
    def setUp(self):
        self.old, self.new = SenderKey(), SenderKey()

    def assert_signed(self, data, byte_count, key):
        content, signature = data[:byte_count], data[byte_count : byte_count + 64]
        self.assertTrue(is_valid_signature(key.public_key.raw, signature, context("sender") + content))

    def test_a_succession_is_signed_by_the_new_key_and_then_by_the_old_one(self):
        data = Announcement.succession(self.old, self.new, TOPIC, NOW).data
        self.assertEqual(len(data), 203 + len(TOPIC))
        head = b"\x01\x01" + self.old.public_key.raw + NOW.to_bytes(8, "big") + bytes([len(TOPIC)]) + TOPIC.encode()
        self.assertTrue(data.startswith(head + self.new.public_key.raw))
        self.assert_signed(data, len(data) - 128, self.new)
        self.assert_signed(data, len(data) - 64, self.old)

    def test_a_revocation_is_signed_by_the_key_that_is_over(self):
        announcement = Announcement.revocation(self.old, TOPIC, NOW)
        self.assertEqual(len(announcement.data), 107 + len(TOPIC))
        self.assertEqual(announcement.data[:2], b"\x01\x02")
        self.assert_signed(announcement.data, len(announcement.data) - 64, self.old)
        self.assertEqual(announcement.text, base64url(announcement.data))

    def test_without_a_time_it_is_announced_now(self):
        before = time.time_ns() // 1_000_000
        at = int.from_bytes(Announcement.revocation(self.old, TOPIC).data[34:42], "big")
        self.assertTrue(before <= at <= time.time_ns() // 1_000_000)

    def test_what_every_device_would_refuse_is_not_made(self):
        with self.assertRaises(AnnouncementError) as caught:
            Announcement.succession(self.old, SenderKey(self.old.seed()), TOPIC, NOW)
        self.assertEqual(caught.exception.reason, "same-key")
        for at in (-1, TIME_END, 1.5, "1", True):
            for make in (
                lambda at: Announcement.succession(self.old, self.new, TOPIC, at),
                lambda at: Announcement.revocation(self.old, TOPIC, at),
            ):
                with self.assertRaises(AnnouncementError, msg=at) as caught:
                    make(at)
                self.assertEqual(caught.exception.reason, "time")
        Announcement.revocation(self.old, TOPIC, TIME_END - 1)
        for topic in ("", "a" * 156, "com.exämple", None):
            with self.assertRaises(TopicError):
                Announcement.succession(self.old, self.new, topic)
