import io
import os
import stat
import tempfile
import tracemalloc
import unittest

from sealedpush import AttachmentError, seal_attachment
from sealedpush.attachment import _chunks, padded_size, stored_size


class Attachments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.sealed = (os.path.join(folder.name, name) for name in ("source", "sealed"))

    def refuse(self, reason):
        with self.assertRaises(AttachmentError) as caught:
            seal_attachment(self.source, self.sealed)
        self.assertEqual(caught.exception.reason, reason)

    def test_a_file_is_sealed_in_constant_memory(self):
        with open(self.source, "wb") as file:
            file.truncate(32 << 20)
        tracemalloc.start()
        attachment = seal_attachment(self.source, self.sealed)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(peak, 1 << 20)
        self.assertEqual((attachment.size, os.stat(self.sealed).st_size), (32 << 20, stored_size(32 << 20)))
        self.assertEqual(stat.S_IMODE(os.stat(self.sealed).st_mode), 0o600)

    def test_keys_and_ids_are_new_for_each_file(self):
        with open(self.source, "wb") as file:
            file.write(b"x")
        one, other = (seal_attachment(self.source, self.sealed + name) for name in "ab")
        self.assertNotEqual(one.key, other.key)
        self.assertNotEqual(one.id, other.id)

    def test_a_file_that_is_there_stays(self):
        for path in (self.source, self.sealed):
            with open(path, "wb") as file:
                file.write(b"x")
        self.refuse("exists")
        with open(self.sealed, "rb") as file:
            self.assertEqual(file.read(), b"x")

    def test_what_is_no_file_is_refused(self):
        self.refuse("file")
        os.mkfifo(self.source)
        if os.fork() == 0:
            os.close(os.open(self.source, os.O_WRONLY))
            os._exit(0)
        self.refuse("not-a-file")
        os.wait()
        self.assertFalse(os.path.exists(self.sealed))

    def test_a_file_that_changes_its_length_is_not_sealed(self):
        for content, size in (
            (b"x" * 20_000, 19_999),
            (b"x" * 20_000, 20_001),
            (b"", 1),
            (b"x", 0),
            (b"x" * 16_384, 16_383),
        ):
            with self.assertRaises(AttachmentError) as caught:
                list(_chunks(io.BytesIO(content), size))
            self.assertEqual(caught.exception.reason, "source-changed")

    def test_lengths_are_padded(self):
        for size, padded in ((0, 0), (1, 1), (2, 2), (9, 10), (1_000, 1_024), (20_000, 20_480), (1 << 40, 1 << 40)):
            self.assertEqual(padded_size(size), padded)
        for size in (0, 1, 9, 16_383, 16_384, 16_385, 50_000):
            sealed = sum(len(chunk) + 16 for chunk in _chunks(io.BytesIO(b"x" * size), size))
            self.assertEqual(sealed + 56, stored_size(size))
