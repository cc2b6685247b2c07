import json
import random
import threading
import unittest
from hashlib import sha256

from sealedpush import (
    Accepted,
    BundleCache,
    BundleRefused,
    ConnectionFailed,
    MemoryPins,
    Message,
    MessageError,
    Problem,
    Rejected,
    RelayClient,
    Retry,
    SenderKey,
    prepare,
    seal,
)
from sealedpush.bundle_cache import BundleCopy
from sealedpush.encoding import base64url
from tests.device import NOW, TOPIC, Device
from tests.server import KEY, Server

UNKNOWN = {
    "type": "urn:sealedpush:problem:invalid-fields",
    "title": "Some fields are wrong",
    "status": 422,
    "detail": "Correct the fields listed here, and send to this recipient in a separate request.",
    "errors": [{"pointer": "/recipients/1/device", "detail": "no such device is registered"}],
}


def current(device, bundle, etag="tag"):
    return {"device": device, "state": "current", "etag": etag, "bundle": base64url(bundle)}


def answer(*bundles):
    return 200, {}, {"bundles": list(bundles)}


def accepted(device):
    return {"device": device, "id": f"id of {device}", "trace": "t"}


class RelayCase(unittest.TestCase):
    def setUp(self):
        self.waits = []

    def client(self, server):
        return RelayClient(server.url, KEY, timeout=300, retry=Retry(sleep=self.waits.append))

    def bodies(self, server):
        return [json.loads(body) for *_, body in server.requests]


class Partial(RelayCase):
    @classmethod
    def setUpClass(cls):
        device = Device()
        recipient = MemoryPins().recipient(device.bundle(), device.identity, TOPIC, now=NOW)
        prepared = prepare(Message(body="b"), sent_at=NOW)
        cls.sealed = seal(SenderKey(), prepared, recipient, now=NOW)

    def send(self, answer, devices=("d1", "d2", "d3"), **options):
        options.setdefault("partial", True)
        with Server((202, {}, answer)) as server:
            results = self.client(server).send([(device, self.sealed) for device in devices], topic=TOPIC, **options)
        return results, self.bodies(server)[0]

    def test_each_recipient_has_an_id_or_a_typed_problem(self):
        results, body = self.send(
            {
                "notifications": [accepted("d1"), accepted("d3")],
                "rejected": [{"index": 1, "device": "d2", "problem": UNKNOWN}],
            }
        )
        self.assertIs(body["partial"], True)
        self.assertEqual([results[0], results[2]], [Accepted("d1", "id of d1", "t"), Accepted("d3", "id of d3", "t")])
        rejected = results[1]
        self.assertIsInstance(rejected, Rejected)
        self.assertEqual((rejected.index, rejected.device), (1, "d2"))
        problem = rejected.problem
        self.assertIsInstance(problem, Problem)
        self.assertEqual((problem.status, problem.type, problem.detail), (422, UNKNOWN["type"], UNKNOWN["detail"]))
        self.assertEqual(problem.errors, (("/recipients/1/device", "no such device is registered"),))

    def test_a_device_that_the_relay_could_not_read_keeps_its_name(self):
        results, _ = self.send(
            {"notifications": [accepted("d1")], "rejected": [{"index": 1, "problem": UNKNOWN}]}, ("d1", "d2")
        )
        self.assertEqual(results[1].device, "d2")

    def test_a_submission_that_is_not_partial_is_whole_or_refused(self):
        whole = {"notifications": [accepted("d1"), accepted("d2"), accepted("d3")]}
        results, body = self.send(whole, partial=False)
        self.assertEqual([result.device for result in results], ["d1", "d2", "d3"])
        self.assertNotIn("partial", body)
        short = {"notifications": [accepted("d1")], "rejected": [{"index": 1, "device": "d2", "problem": UNKNOWN}]}
        with self.assertRaises(ConnectionFailed):
            self.send(short, ("d1", "d2"), partial=False)

    def test_if_none_can_be_sent_to_it_is_a_problem(self):
        with Server((422, {}, UNKNOWN)) as server, self.assertRaises(Problem) as caught:
            self.client(server).send([("d1", self.sealed)], topic=TOPIC, partial=True)
        self.assertEqual((caught.exception.status, len(server.requests)), (422, 1))

    def test_an_answer_that_does_not_fit_the_recipients_is_malformed_and_names_the_idempotency_key(self):
        rejected = {"index": 1, "device": "d2", "problem": UNKNOWN}
        both = [accepted("d1"), accepted("d3")]
        for notifications, listed in (
            (both, None),
            (both, []),
            (both, {}),
            (both, [7]),
            (both, [rejected | {"device": "d3"}]),
            (both, [rejected | {"device": None}]),
            (both, [rejected | {"index": "1"}]),
            (both, [rejected | {"index": True}]),
            (both, [rejected | {"index": -2}]),
            (both, [rejected | {"index": 3}]),
            (both, [rejected | {"problem": "gone"}]),
            (both, [rejected | {"problem": {"type": "about:blank"}}]),
            (both, [rejected, rejected]),
            ([accepted("d3"), accepted("d1")], [rejected]),
            ([accepted("d1"), accepted("d2"), accepted("d3")], [rejected]),
            ([accepted("d1")], [rejected]),
            ([*both, accepted("d4")], [rejected]),
            ([accepted("d1") | {"id": 7}, accepted("d3")], [rejected]),
        ):
            with self.assertRaises(ConnectionFailed, msg=(notifications, listed)) as caught:
                self.send({"notifications": notifications, "rejected": listed}, idempotency_key="order-1")
            error = caught.exception
            self.assertEqual((error.reason, error.idempotency_key), ("malformed-answer", "order-1"))

    def test_the_problem_of_a_recipient_is_cleaned(self):
        problem = UNKNOWN | {"detail": f"{KEY}\x1b[31m" + "d" * 900, "title": 7}
        results, _ = self.send({"notifications": [], "rejected": [{"index": 0, "problem": problem}]}, ("d1",))
        self.assertNotIn(KEY, str(results[0].problem))
        self.assertNotIn("\x1b", str(results[0].problem))
        self.assertLessEqual(len(results[0].problem.detail), 500)


class Bundles(RelayCase):
    def setUp(self):
        super().setUp()
        self.bundles = {f"d{index}": Device().bundle(epoch=NOW + index) for index in range(3)}

    def test_a_query_has_the_tags_of_what_is_there_and_brings_the_changed_ones(self):
        cache, newer = BundleCache(), Device().bundle()
        unchanged = {"device": "d0", "state": "unchanged"}
        with Server(
            answer(*(current(device, bundle, "tag-" + device) for device, bundle in self.bundles.items())),
            answer(unchanged, current("d1", newer, "tag-new"), {"device": "d2", "state": "missing"}),
            answer(unchanged, {"device": "d1", "state": "unchanged"}, {"device": "d2", "state": "missing"}),
        ) as server:
            client = self.client(server)
            self.assertEqual(client.bundles(self.bundles, cache), self.bundles)
            wanted = {"d0": self.bundles["d0"], "d1": newer, "d2": None}
            self.assertEqual(client.bundles(self.bundles, cache), wanted)
            self.assertEqual(client.bundles(self.bundles, cache), wanted)
        self.assertEqual({request[:2] for request in server.requests}, {("POST", "/v1/bundles/query")})
        first, second, third = self.bodies(server)
        self.assertEqual(first, {"devices": [{"device": device} for device in self.bundles]})
        self.assertEqual(second, {"devices": [{"device": d, "etag": "tag-" + d} for d in self.bundles]})
        self.assertEqual(third["devices"][1:], [{"device": "d1", "etag": "tag-new"}, {"device": "d2"}])

    def test_a_device_is_asked_for_once_and_a_thousand_at_a_time(self):
        devices = [f"d{index}" for index in range(2_001)]
        missing = lambda body: answer(*({"device": one["device"], "state": "missing"} for one in body["devices"]))
        with Server(missing, (429, {"Retry-After": "1"}, {}), missing, missing) as server:
            self.assertEqual(self.client(server).bundles(devices + devices[:9]), dict.fromkeys(devices))
        self.assertEqual([len(body["devices"]) for body in self.bodies(server)], [1_000, 1_000, 1_000, 1])
        self.assertEqual(len(self.waits), 1)
        with Server() as server:
            self.assertEqual(self.client(server).bundles([]), {})
            with self.assertRaises(MessageError):
                self.client(server).bundles(["d1", "../d2"])
        self.assertEqual(server.requests, [])

    def test_a_copy_that_another_thread_forgets_meanwhile_is_still_the_answer(self):
        cache = BundleCache()
        cache.keep({"d0": BundleCopy("tag", self.bundles["d0"])})

        def forgetting(_):
            cache.forget("d0")
            return answer({"device": "d0", "state": "unchanged"})

        with Server(forgetting) as server:
            self.assertEqual(self.client(server).bundles(["d0"], cache), {"d0": self.bundles["d0"]})

    def test_threads_of_one_client_ask_one_after_the_other(self):
        second, overlaps = threading.Event(), []

        def first_answer(_):
            overlaps.append(second.wait(0.3))
            return answer({"device": "d0", "state": "missing"})

        def second_answer(_):
            second.set()
            return answer({"device": "d0", "state": "missing"})

        with Server(first_answer, second_answer) as server:
            client = self.client(server)
            threads = [threading.Thread(target=client.bundles, args=(["d0"],)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((overlaps, len(server.requests)), ([False], 2))

    def test_whatever_the_relay_answers_nothing_else_is_kept(self):
        cache, bundle = BundleCache(), self.bundles["d0"]
        right, kept = current("d0", bundle), {"d1": BundleCopy("tag", self.bundles["d1"])}
        cache.keep(kept)
        for listed in (
            None,
            {},
            [],
            [7],
            [right],
            [right, right],
            [right, {"device": "d1"}],
            [right, {"device": "d1", "state": "lost"}],
            [{"device": "d0", "state": "unchanged"}, {"device": "d1", "state": "unchanged"}],
            [right | {"etag": ""}, {"device": "d1", "state": "unchanged"}],
            [right | {"etag": "t" * 65}, {"device": "d1", "state": "unchanged"}],
            [right | {"etag": "a b"}, {"device": "d1", "state": "unchanged"}],
            [right | {"bundle": None}, {"device": "d1", "state": "unchanged"}],
            [right | {"bundle": "A"}, {"device": "d1", "state": "unchanged"}],
            [right | {"bundle": "A" * 3_786}, {"device": "d1", "state": "unchanged"}],
        ):
            with Server((200, {}, {"bundles": listed})) as server, self.assertRaises(ConnectionFailed, msg=listed) as e:
                self.client(server).bundles(["d0", "d1"], cache)
            self.assertEqual(e.exception.reason, "malformed-answer")
            self.assertEqual(cache.copies(["d0", "d1"]), kept)

    def test_the_longest_answer_is_read(self):
        devices = [f"{index:064}" for index in range(1_000)]
        bundle = bytes(2_838)
        whole = answer(*(current(device, bundle, "t" * 22) | {"language": "l" * 35} for device in devices))
        with Server(whole) as server:
            self.assertEqual(self.client(server).bundles(devices), dict.fromkeys(devices, bundle))


class Cache(unittest.TestCase):
    def test_it_has_a_bound_and_loses_what_was_asked_for_longest_ago(self):
        cache = BundleCache(count_max=3)
        copy = BundleCopy("tag", b"bundle")
        for devices in (["d0", "d1", "d2"], ["d0"], ["d3"]):
            cache.keep(dict.fromkeys(devices, copy))
        self.assertEqual(sorted(cache.copies(["d0", "d1", "d2", "d3"])), ["d0", "d2", "d3"])
        cache.keep({f"e{index}": copy for index in range(9)})
        self.assertEqual(len(cache), 3)

    def test_a_saved_cache_comes_back_as_it_was(self):
        cache = BundleCache()
        cache.keep({f"d{index}": BundleCopy(f'tag"\\{index}', bytes([index]) * index) for index in range(9)})
        again = BundleCache.from_text(cache.text)
        devices = [f"d{index}" for index in range(9)]
        self.assertEqual(again.copies(devices), cache.copies(devices))
        self.assertEqual(again.text, cache.text)
        small = BundleCache.from_text(cache.text, count_max=2)
        self.assertEqual(sorted(small.copies(devices)), ["d7", "d8"])

    def test_a_damaged_text_gives_an_empty_cache_that_works(self):
        cache = BundleCache()
        cache.keep({"d0": BundleCopy("tag", Device().bundle()), "d1": BundleCopy("tag", b"")})
        text, chance = cache.text, random.Random(1)
        damaged = ["", "\n", "{}", "\ud800", text[:-1], text + " ", text.replace("d0", "d2"), "[" * 9_000]
        for _ in range(300):
            place = chance.randrange(len(text))
            damaged.append(text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :])
        # Whole by its check, and no cache all the same.
        wrong = ('["d0","t"]', '["d0",7,"AA"]', '[7,"t","AA"]', '["a/b","t","AA"]', '["d0","t","A"]', "7", "{}", "null")
        wrong += ('["d0","t","AA"],["d1","t","A"]',)
        damaged += [with_check(f"[{one}]") for one in wrong] + [with_check(one) for one in ("7", "{}", "[{")]
        for one in damaged:
            again = BundleCache.from_text(one)
            self.assertEqual(len(again), 0, one)
            again.keep({"d0": BundleCopy("tag", b"")})
        self.assertEqual(len(BundleCache.from_text(with_check('[["d0","t","AA"]]'))), 1)


def with_check(content):
    return f"{sha256(content.encode()).hexdigest()}\n{content}"


class FanOut(RelayCase):
    def test_a_message_to_a_thousand_devices_is_one_query_and_one_submission_and_pins_are_checked_each_time(self):
        keys = [Device() for _ in range(10)]  # A thousand take seconds to make.
        devices = {f"d{index}": keys[index % 10] for index in range(1_000)}
        bundles = {device.identity: device.bundle() for device in keys}
        pins, cache, sender = MemoryPins(), BundleCache(), SenderKey()
        prepared = prepare(Message(body="b"), sent_at=NOW)

        def send(relay, names):
            """What the README's example does."""
            sealed, refused = [], []
            for device, bundle in relay.bundles(names, cache).items():
                try:
                    recipient = pins.recipient(bundle, devices[device].identity, TOPIC, now=NOW)
                    sealed.append((device, seal(sender, prepared, recipient, now=NOW)))
                except BundleRefused as error:
                    refused.append((device, error.reason))
            return relay.send(sealed, topic=TOPIC, partial=True), refused

        names = lambda body: [one["device"] for one in body["devices"]]
        whole = lambda body: answer(*(current(name, bundles[devices[name].identity]) for name in names(body)))
        same = lambda body: answer(*({"device": name, "state": "unchanged"} for name in names(body)))
        taken = lambda body: (
            202,
            {},
            {"notifications": [accepted(one["device"]) for one in body["recipients"][1:]]}
            | {"rejected": [{"index": 0, "device": body["recipients"][0]["device"], "problem": UNKNOWN}]},
        )
        with Server(whole, taken, same, taken) as server:
            relay = self.client(server)
            results, refused = send(relay, devices)
            self.assertEqual([result.device for result in results], list(devices))
            self.assertEqual([type(result) for result in results], [Rejected] + [Accepted] * 999)
            self.assertEqual(refused, [])
            # A newer bundle of one device was pinned elsewhere, so its copy is an old one.
            pins.recipient(devices["d7"].bundle(epoch=NOW + 1), devices["d7"].identity, TOPIC, now=NOW)
            results, refused = send(relay, list(devices)[:10])
            self.assertEqual((len(results), refused), (9, [("d7", "rolled-back")]))
        paths = [path for _, path, *_ in server.requests]
        self.assertEqual(paths, ["/v1/bundles/query", "/v1/notifications"] * 2)
        self.assertTrue(all(one["etag"] == "tag" for one in self.bodies(server)[2]["devices"]))
        fields = {one["sealed"] for one in self.bodies(server)[1]["recipients"]}
        self.assertEqual(len(fields), 1_000)
