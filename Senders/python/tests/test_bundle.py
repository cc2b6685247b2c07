import dataclasses
import multiprocessing
import os
import random
import tempfile
import threading
import unittest

from sealedpush import (
    BundleRefused,
    FilePins,
    MemoryPins,
    Pin,
    PinError,
    TopicError,
    decode_pin,
    encode_pin,
    verify_bundle,
)
from sealedpush.encoding import DAY
from tests.device import NOW, TOPIC, Device


def take_epochs(folder, device_bundles, identity):
    """One of several processes that share pins."""
    for bundle in device_bundles:
        try:
            FilePins(folder).recipient(bundle, identity, TOPIC, now=NOW)
        except BundleRefused as error:
            assert error.reason == "rolled-back", error.reason


class PinStores(unittest.TestCase):
    def setUp(self):
        self.device = Device()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "pins")
        self.stores = [FilePins(self.folder), MemoryPins()]

    def refuse(self, store, reason, bundle, **options):
        before = self.pin(store)
        with self.assertRaises(BundleRefused) as caught:
            store.recipient(bundle, options.pop("identity", self.device.identity), TOPIC, **{"now": NOW, **options})
        self.assertEqual(caught.exception.reason, reason)
        self.assertEqual(self.pin(store), before, "a refused bundle changed the pin")

    def pin(self, store):
        with store.slot(self.device.identity, TOPIC) as slot:
            return slot.pin

    def accept(self, store, bundle, **options):
        return store.recipient(bundle, self.device.identity, TOPIC, **{"now": NOW, **options})

    def test_an_older_bundle_is_refused_also_by_the_next_process(self):
        for store in self.stores:
            self.accept(store, self.device.bundle(epoch=NOW))
            self.refuse(store, "rolled-back", self.device.bundle(epoch=NOW - 1))
        self.refuse(FilePins(self.folder), "rolled-back", self.device.bundle(epoch=NOW - 1))

    def test_two_bundles_of_one_epoch_are_equivocation(self):
        for store in self.stores:
            self.accept(store, self.device.bundle())
            self.refuse(store, "equivocation", self.device.bundle(issued_at=NOW + 1))
            self.accept(store, self.device.bundle())

    def test_a_changed_identity_is_refused(self):
        other = Device()
        for store in self.stores:
            self.accept(store, self.device.bundle())
            self.refuse(store, "other-identity", other.bundle())
            self.refuse(store, "other-identity", self.device.bundle(), identity=other.identity)

    def test_a_lower_suite_is_refused_until_a_person_resets_it(self):
        for store in self.stores:
            self.accept(store, self.device.bundle(epoch=NOW))
            with store.slot(self.device.identity, TOPIC) as slot:
                slot.pin = dataclasses.replace(slot.pin, suites=(2, 0))
            self.refuse(store, "suite-downgrade", self.device.bundle(epoch=NOW + 1))
            store.reset_suites(self.device.identity, TOPIC)
            self.refuse(store, "rolled-back", self.device.bundle(epoch=NOW - 1))
            self.accept(store, self.device.bundle(epoch=NOW + 1))

    def test_an_epoch_of_the_future_pins_nothing(self):
        for store in self.stores:
            self.refuse(store, "not-yet-valid", self.device.bundle(epoch=NOW + 300_001))
            self.assertIsNone(self.pin(store))
            self.accept(store, self.device.bundle(epoch=NOW + 300_000))

    def test_a_bundle_without_the_wanted_class_is_refused(self):
        for store in self.stores:
            self.refuse(store, "no-prekey", self.device.bundle(), protection_class=2)

    def test_a_forgotten_device_begins_anew(self):
        for store in self.stores:
            self.accept(store, self.device.bundle(epoch=NOW))
            store.forget(self.device.identity, TOPIC)
            self.assertIsNone(self.pin(store))
            self.accept(store, self.device.bundle(epoch=NOW - 1))
            store.forget(Device().identity, TOPIC)

    def test_a_bundle_is_to_be_fetched_again_after_seven_days(self):
        for store in self.stores:
            recipient = self.accept(store, self.device.bundle(), fetched_at=NOW - 7 * DAY + 1)
            self.assertFalse(recipient.needs_refresh(NOW))
            self.assertTrue(recipient.needs_refresh(NOW + 1))
            self.assertTrue(recipient.needs_refresh(NOW - 8 * DAY))
            again = self.accept(store, self.device.bundle(), fetched_at=NOW - 9 * DAY)
            self.assertEqual(again.fetched_at, recipient.fetched_at)

    def test_a_damaged_pin_is_an_error_and_not_a_first_use(self):
        self.accept(self.stores[0], self.device.bundle())
        (path,) = (os.path.join(f, n) for f, _, names in os.walk(self.folder) for n in names if n != "lock")
        with open(path, "rb") as file:
            content = file.read()
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        for damaged in (b"", content[:-1], content + b"\0", content[:60] + b"\xff" + content[61:], os.urandom(119)):
            with open(path, "wb") as file:
                file.write(damaged)
            with self.assertRaises(PinError) as caught:
                self.accept(FilePins(self.folder), self.device.bundle())
            self.assertEqual(caught.exception.reason, "damaged")

    def test_a_folder_that_others_may_write_is_refused(self):
        os.chmod(self.folder, 0o777)
        with self.assertRaises(PinError) as caught:
            FilePins(self.folder)
        self.assertEqual(caught.exception.reason, "writable-by-others")

    def test_pins_that_cannot_be_written_let_nothing_be_sealed(self):
        with self.assertRaises(PinError):
            FilePins(os.path.join(self.folder, "missing", "pins"))
        with open(self.folder + ".file", "w"):
            pass
        with self.assertRaises(PinError):
            FilePins(os.path.join(self.folder + ".file", "pins"))

    def test_processes_that_share_pins_never_take_one_back(self):
        bundles = [self.device.bundle(epoch=NOW + offset) for offset in range(40)]
        mixed = [random.sample(bundles, len(bundles)) for _ in range(4)]
        children = [
            multiprocessing.Process(target=take_epochs, args=(self.folder, some, self.device.identity))
            for some in mixed
        ]
        for child in children:
            child.start()
        for child in children:
            child.join()
        self.assertEqual([child.exitcode for child in children], [0] * 4)
        self.assertEqual(self.pin(self.stores[0]).epoch, NOW + 39)

    def test_one_slot_is_changed_by_one_at_a_time(self):
        for one, other in ((self.stores[0], FilePins(self.folder)), (self.stores[1], self.stores[1])):
            entered = threading.Event()

            def enter():
                with other.slot(self.device.identity, TOPIC):
                    entered.set()

            thread = threading.Thread(target=enter)
            with one.slot(self.device.identity, TOPIC):
                thread.start()
                self.assertFalse(entered.wait(0.3))
            thread.join()
            self.assertTrue(entered.is_set())

    def test_a_pin_comes_back_as_it_was_and_in_its_own_place_alone(self):
        pin = Pin(NOW, bytes(range(32)), (1, 2), NOW - 1, NOW - 2)
        data = encode_pin(pin, self.device.identity, TOPIC)
        self.assertEqual(len(data), 103 + len(TOPIC))
        self.assertEqual(decode_pin(data, self.device.identity, TOPIC), pin)
        self.assertIsNone(decode_pin(data, Device().identity, TOPIC))
        self.assertIsNone(decode_pin(data, self.device.identity, TOPIC + "s"))


class Bundles(unittest.TestCase):
    def test_whatever_bytes_are_refused_by_a_typed_error(self):
        device = Device()
        bundle = device.bundle(entries=[device.entry(), device.entry(protection_class=2)])
        chance = random.Random(1)
        for _ in range(3_000):
            changed = bytearray(bundle[: chance.randrange(len(bundle) + 1)] if chance.random() < 0.3 else bundle)
            for _ in range(chance.randrange(1, 4)):
                if changed:
                    changed[chance.randrange(len(changed))] = chance.randrange(256)
            if bytes(changed) != bundle:
                with self.assertRaises(BundleRefused):
                    verify_bundle(changed, device.identity, TOPIC, None, NOW)

    def test_an_entry_that_ends_too_early_is_malformed_before_its_suite_is_read(self):
        device = Device()
        whole = device.bundle(entries=[device.entry(suite=9)])
        for bundle, reason in (
            (whole, "unsupported-suite"),
            (whole[: 67 + 17], "malformed"),
            (whole[: 67 + 18], "unsupported-suite"),
        ):
            with self.assertRaises(BundleRefused) as caught:
                verify_bundle(bundle, device.identity, TOPIC, None, NOW)
            self.assertEqual(caught.exception.reason, reason)

    def test_a_topic_that_is_no_bundle_id_is_an_error_of_the_caller(self):
        for topic in ("", "a" * 156, "com.exämple", "com.example.chat\n", None):
            with self.assertRaises(TopicError):
                device = Device()
                verify_bundle(device.bundle(), device.identity, topic, None, NOW)
