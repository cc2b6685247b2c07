import hashlib
import os
import pickle
import random
import tempfile
import unittest

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from sealedpush import IdentityKey, KeyFileError, SenderKey, SenderPublicKey
from sealedpush.encoding import base64url, from_base64url
from sealedpush.keys import _GROUP_ORDER, _P, is_valid_signature

CHECKOUT = os.path.join(os.path.dirname(__file__), "../../..")


class KeyFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "sender.key")

    def write(self, content, mode=0o600):
        with open(self.path, "wb") as file:
            file.write(content)
        os.chmod(self.path, mode)

    def refuse(self, reason, load=SenderKey.load):
        with self.assertRaises(KeyFileError) as caught:
            load(self.path)
        self.assertEqual(caught.exception.reason, reason)
        return str(caught.exception)

    def test_a_key_comes_back_from_its_file(self):
        key = SenderKey()
        key.save(self.path)
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        with open(self.path) as file:
            self.assertEqual(file.read(), f"sealedpush-sender-key-1\nsender {base64url(key.seed())}\n")
        self.assertEqual(SenderKey.load(self.path).public_key, key.public_key)
        self.assertEqual(SenderKey(key.seed()).public_key, key.public_key)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["sender.key"])

    def test_a_file_that_is_there_stays(self):
        first = SenderKey()
        first.save(self.path)
        with self.assertRaises(KeyFileError) as caught:
            SenderKey().save(self.path)
        self.assertEqual(caught.exception.reason, "exists")
        self.assertEqual(SenderKey.load_or_make(self.path).public_key, first.public_key)

    def test_a_key_is_made_at_the_first_start(self):
        key = SenderKey.load_or_make(self.path)
        self.assertEqual(SenderKey.load_or_make(self.path).public_key, key.public_key)

    def test_what_is_no_key_file_is_refused(self):
        seed = base64url(bytes(range(32)))
        good = f"sealedpush-sender-key-1\nsender {seed}\n".encode()
        self.write(b"# a comment\n" + good)
        SenderKey.load(self.path)
        for content in (
            good.replace(b"key-1", b"key-2"),
            good + b"topic com.example.chat\n",
            good + good,
            good[:-2] + b"\n",
            good.replace(b"sender A", b"sender  A"),
            good.replace(b"\n", b"\r\n"),
            b"sealedpush-sender-key-1\n",
            b"\xff" * 40,
        ):
            self.write(content)
            text = self.refuse("malformed")
            self.assertNotIn(seed[:8], text)

    def test_each_fault_of_a_file_has_its_word(self):
        good = f"sealedpush-sender-key-1\nsender {base64url(bytes(range(32)))}\n".encode()
        self.refuse("not-found")
        self.write(good, 0o640)
        self.refuse("readable-by-others")
        self.write(b"")
        self.refuse("empty")
        self.write(b"#" * 70_000)
        self.refuse("too-large")
        self.write(SenderKey().public_key.text.encode(), 0o644)
        self.refuse("public-key")
        self.write(b"sealedpush-sender-key-1\nsender " + b"A" * 43 + b"\n")
        self.refuse("zeros")
        os.unlink(self.path)
        os.mkfifo(self.path)
        self.refuse("not-a-file")

    def test_published_keys_are_refused(self):
        path = os.path.join(CHECKOUT, "keys-example/sender.key")
        with self.assertRaises(KeyFileError) as caught:
            SenderKey.load(path)
        self.assertEqual(caught.exception.reason, "example-key")
        key = SenderKey.load(path, allow_example=True)
        self.assertEqual(SenderPublicKey.load(os.path.join(CHECKOUT, "keys-example/sender.pub")), key.public_key)

    def test_random_files_never_crash(self):
        chance = random.Random(2)
        good = b"sealedpush-sender-key-1\nsender " + b"B" * 43 + b"\n"
        for _ in range(500):
            changed = bytearray(good)
            for _ in range(chance.randrange(1, 5)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            self.write(changed)
            try:
                SenderKey.load(self.path)
            except KeyFileError:
                pass
            try:
                IdentityKey.load(self.path)
            except KeyFileError:
                pass

    def test_a_private_key_in_the_place_of_a_public_one_is_named(self):
        SenderKey().save(self.path)
        self.refuse("private-key", IdentityKey.load)


class PublicKeys(unittest.TestCase):
    def test_a_key_has_one_role(self):
        key = SenderKey().public_key
        self.assertEqual(SenderPublicKey.from_text(f" {key.text}\n"), key)
        self.assertNotEqual(IdentityKey(key.raw), key)
        with self.assertRaises(KeyFileError) as caught:
            IdentityKey.from_text(key.text)
        self.assertEqual(caught.exception.reason, "wrong-prefix")

    def test_keys_at_which_libraries_differ_are_refused(self):
        small = [0, 1, _P - 1, _P, _P + 1]
        small += [
            int.from_bytes(bytes.fromhex(text), "little")
            for text in (
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            )
        ]
        for y in small:
            for sign in (0, 1 << 255):
                with self.assertRaises(KeyFileError):
                    IdentityKey((y | sign).to_bytes(32, "little"))
        for length in (0, 31, 33):
            with self.assertRaises(KeyFileError):
                IdentityKey(bytes(length))

    def test_a_signature_is_valid_in_one_form(self):
        key = SenderKey()
        signature = key.sign(b"text")
        self.assertTrue(is_valid_signature(key.public_key.raw, signature, b"text"))
        s = int.from_bytes(signature[32:], "little") + _GROUP_ORDER
        for changed in (
            signature[:32] + s.to_bytes(32, "little"),
            bytes([1]) + bytes(31) + signature[32:],
            signature[:63],
            b"",
        ):
            self.assertFalse(is_valid_signature(key.public_key.raw, changed, b"text"))

    def test_a_signature_whose_r_has_small_order_is_refused(self):
        key = SenderKey()
        hashed = hashlib.sha512(key.seed()).digest()
        scalar = int.from_bytes(hashed[:32], "little") & ((1 << 254) - 8) | 1 << 254
        r = bytes([1]) + bytes(31)
        k = int.from_bytes(hashlib.sha512(r + key.public_key.raw + b"text").digest(), "little")
        signature = r + (k * scalar % _GROUP_ORDER).to_bytes(32, "little")
        Ed25519PublicKey.from_public_bytes(key.public_key.raw).verify(signature, b"text")  # the library takes it
        self.assertFalse(is_valid_signature(key.public_key.raw, signature, b"text"))

    def test_a_private_key_is_not_shown_and_not_pickled(self):
        key = SenderKey()
        seed = base64url(key.seed())
        for text in (repr(key), str(key), f"{vars(key)}"):
            self.assertNotIn(seed, text)
            self.assertNotIn(key.seed().hex(), text)
        with self.assertRaises(TypeError):
            pickle.dumps(key)
        self.assertEqual(from_base64url(seed, 32), key.seed())
