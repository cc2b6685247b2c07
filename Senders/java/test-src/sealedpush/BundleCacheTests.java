package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.refuses;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import sealedpush.RelayException.Reason;

/** Bundles of many devices from a real server on this machine, and the cache of them. */
final class BundleCacheTests {
    private BundleCacheTests() {}

    /** Relay that answers queries as the real one does, with a tag of the bundle's text. */
    private static final class Relay implements AutoCloseable {
        final RelayTests.Server server = RelayTests.server();
        final Map<String, byte[]> bundles = new HashMap<>();
        /** Tags of each query, "-" for a device without one. */
        final List<List<String>> queries = new ArrayList<>();

        Relay() throws Exception {
            server.rule = this::answer;
        }

        RelayTests.Answer answer(String path, String body) {
            if (path.equals("/v1/notifications")) return accept(body);
            try {
                equal("/v1/bundles/query", path);
                var devices = (List<?>) ((Map<?, ?>) Json.parse(body.getBytes(StandardCharsets.UTF_8))).get("devices");
                that(devices.size() <= 1_000);
                var tags = new ArrayList<String>();
                var answers = new ArrayList<Object>();
                for (var element : devices) {
                    var item = (Map<?, ?>) element;
                    var device = (String) item.get("device");
                    tags.add(item.containsKey("etag") ? (String) item.get("etag") : "-");
                    answers.add(element(device, (String) item.get("etag")));
                }
                queries.add(tags);
                return new RelayTests.Answer(200, Json.write(Map.of("bundles", answers)), null);
            } catch (Json.Refused | AssertionError wrong) {
                return new RelayTests.Answer(400, "", null);
            }
        }

        private Map<String, Object> element(String device, String tag) {
            if (!bundles.containsKey(device)) return Map.of("device", device, "state", "missing");
            if (tag(device).equals(tag)) return Map.of("device", device, "state", "unchanged");
            return Map.of("device", device, "state", "current", "etag", tag(device), "bundle",
                    Base64Url.encode(bundles.get(device)), "language", "de");
        }

        private static RelayTests.Answer accept(String body) {
            try {
                var accepted = new ArrayList<Object>();
                var rejected = new ArrayList<Object>();
                var members = (Map<?, ?>) Json.parse(body.getBytes(StandardCharsets.UTF_8));
                equal(true, members.get("partial"));
                for (var element : (List<?>) members.get("recipients")) {
                    var device = ((Map<?, ?>) element).get("device");
                    if (device.equals("full")) {
                        rejected.add(Map.of("index", (long) accepted.size(), "device", device, "problem",
                                Map.of("type", "urn:sealedpush:problem:quota-exceeded", "detail", "Tomorrow.")));
                    } else {
                        accepted.add(Map.of("device", device, "id", "i", "trace", "t"));
                    }
                }
                return new RelayTests.Answer(202, Json.write(Map.of("notifications", accepted, "rejected", rejected)),
                        null);
            } catch (Json.Refused | AssertionError wrong) {
                return new RelayTests.Answer(400, "", null);
            }
        }

        String tag(String device) {
            return Base64Url.encode(Arrays.copyOf(Crypto.sha256(bundles.get(device)), 16));
        }

        Map<String, byte[]> get(BundleCache cache, String... devices) throws Exception {
            return server.client().bundles(List.of(devices), cache);
        }

        List<String> tags() {
            return queries.get(queries.size() - 1);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    static void run() {
        queries();
        copies();
        answers();
        test("threads of one client ask one after the other", BundleCacheTests::turns);
        test("a saved cache is read whole or not at all", BundleCacheTests::saved);
        test("a group of a thousand is one query and one submission", BundleCacheTests::group);
    }

    private static void queries() {
        test("one request fetches what the cache does not have", () -> {
            try (var relay = new Relay()) {
                var cache = new BundleCache(10);
                relay.bundles.put("d1", new Device(1).bundle(1));
                relay.bundles.put("d2", new Device(2).bundle(1));
                var got = relay.get(cache, "d2", "gone", "d1", "d2");
                equal(List.of("d2", "d1"), List.copyOf(got.keySet()));
                equal(relay.bundles.get("d1"), got.get("d1"));
                equal(List.of("-", "-", "-"), relay.tags());
                var tags = List.of(relay.tag("d1"), relay.tag("d2"));
                relay.bundles.put("d2", new Device(2).bundle(2));
                got = relay.get(cache, "d1", "d2");
                equal(tags, relay.tags());
                equal(relay.bundles.get("d1"), got.get("d1"));
                equal(relay.bundles.get("d2"), got.get("d2"));
                // A device that is gone has no copy any more, and neither has one that was forgotten.
                relay.bundles.remove("d2");
                equal(1, relay.get(cache, "d1", "d2").size());
                cache.forget("d1");
                cache.forget("never there");
                relay.get(cache, "d1", "d2");
                equal(List.of("-", "-"), relay.tags());
            }
        });
        test("without a cache each bundle is fetched, and no device is no request", () -> {
            try (var relay = new Relay()) {
                relay.bundles.put("d1", new Device(1).bundle(1));
                for (int i = 0; i < 2; i++) {
                    equal(1, relay.server.client().bundles(List.of("d1")).size());
                    equal(List.of("-"), relay.tags());
                }
                equal(0, relay.get(new BundleCache(1)).size());
                equal(2, relay.queries.size());
            }
        });
        test("a request has a thousand devices at most", () -> {
            try (var relay = new Relay()) {
                var bundle = new Device(1).bundle(1);
                var devices = IntStream.range(0, 2_001).mapToObj(i -> "d" + i).toArray(String[]::new);
                for (var device : devices) relay.bundles.put(device, bundle);
                var cache = new BundleCache(2_001);
                for (int i = 0; i < 2; i++) {
                    relay.queries.clear();
                    var got = relay.get(cache, devices);
                    equal(2_001, got.size());
                    equal(bundle, got.get("d2000"));
                    equal(List.of(1_000, 1_000, 1), relay.queries.stream().map(List::size).toList());
                }
                equal(List.of(relay.tag("d2000")), relay.tags());
            }
        });
        test("a thousand bundles of the longest form are read", () -> {
            try (var relay = new Relay()) {
                var devices = IntStream.range(0, 1_000).mapToObj(i -> "d" + i).toArray(String[]::new);
                for (var device : devices) relay.bundles.put(device, new byte[2_838]);
                equal(2_838, relay.get(new BundleCache(1), devices).get("d999").length);
            }
        });
    }

    private static void copies() {
        test("a full cache forgets the longest unused", () -> {
            try (var relay = new Relay()) {
                var cache = new BundleCache(2);
                for (int i = 0; i < 4; i++) relay.bundles.put("d" + i, new Device(i + 1).bundle(1));
                relay.get(cache, "d0", "d1");
                relay.get(cache, "d0");
                relay.get(cache, "d2");
                relay.get(cache, "d0", "d1", "d2");
                equal(List.of(relay.tag("d0"), "-", relay.tag("d2")), relay.tags());
                // A group that is larger than the cache: what pushed a copy out does not take it from this call.
                for (int i = 0; i < 2; i++) {
                    var got = relay.get(cache, "d3", "d2", "d1", "d0");
                    for (var one : relay.bundles.entrySet()) equal(one.getValue(), got.get(one.getKey()));
                }
            }
        });
        test("a cached bundle is checked against the pins at each use", () -> {
            try (var relay = new Relay()) {
                var cache = new BundleCache(10);
                var pins = new MemoryBundlePinStore();
                var device = new Device(1);
                relay.bundles.put("d1", device.bundle(7));
                for (int i = 0; i < 2; i++) device.recipient(relay.get(cache, "d1").get("d1"), pins);
                // Another process saw a newer bundle, which this relay withholds.
                device.recipient(device.bundle(8), pins);
                Check.bundle("rolled-back", () -> device.recipient(relay.get(cache, "d1").get("d1"), pins));
                equal(List.of(relay.tag("d1")), relay.tags());
            }
        });
        test("a caller's change of a bundle is not the cache's", () -> {
            try (var relay = new Relay()) {
                var cache = new BundleCache(10);
                relay.bundles.put("d1", new Device(1).bundle(1));
                for (int i = 0; i < 3; i++) {
                    var bundle = relay.get(cache, "d1").get("d1");
                    equal(relay.bundles.get("d1"), bundle);
                    bundle[0] ^= 1;
                }
            }
        });
        test("threads share a cache", () -> {
            try (var relay = new Relay()) {
                var cache = new BundleCache(5);
                for (int i = 0; i < 10; i++) relay.bundles.put("d" + i, new Device(i + 1).bundle(1));
                var client = relay.server.client();
                var work = new ArrayList<Callable<Void>>();
                for (int i = 0; i < 80; i++) {
                    var device = "d" + i % 10;
                    work.add(() -> {
                        equal(relay.bundles.get(device), client.bundles(List.of(device, "d0"), cache).get(device));
                        cache.encoded();
                        return null;
                    });
                }
                var threads = Executors.newFixedThreadPool(8);
                try {
                    for (var done : threads.invokeAll(work)) done.get();
                } finally {
                    threads.shutdown();
                }
                equal(5L, relay.bundles.keySet().stream().filter(device -> cache.get(device) != null).count());
            }
        });
    }

    private static void turns() throws Exception {
        try (var relay = new Relay()) {
            var isAsked = new CountDownLatch(1);
            var isOver = new CountDownLatch(1);
            relay.server.rule = (path, body) -> {
                isAsked.countDown();
                try {
                    isOver.await();
                } catch (InterruptedException ended) {
                    return new RelayTests.Answer(500, "", null);
                }
                return relay.answer(path, body);
            };
            var client = relay.server.client();
            var threads = Executors.newFixedThreadPool(3);
            try {
                Callable<Map<String, byte[]>> ask = () -> client.bundles(List.of("d1"));
                var first = threads.submit(ask);
                isAsked.await();
                var second = threads.submit(ask);
                var third = threads.submit(ask);
                var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                while (client.query.getQueueLength() < 2 && System.nanoTime() < end) Thread.onSpinWait();
                equal(2, client.query.getQueueLength());
                // A thread that waits for its turn can be ended.
                second.cancel(true);
                isOver.countDown();
                equal(0, first.get().size());
                equal(0, third.get().size());
                equal(2, relay.server.requests.size());
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static void answers() {
        test("an answer about other bundles is malformed", () -> {
            var bundle = Base64Url.encode(new Device(1).bundle(1));
            var one = current("d1", "t", bundle);
            var elements = new String[] {
                "", one, one + "," + current("d2", "t", bundle) + "," + current("d3", "t", bundle),
                current("d2", "t", bundle) + "," + one, one + ",{\"device\":\"d2\",\"state\":\"gone\"}",
                one + ",{\"device\":\"d2\",\"state\":\"unchanged\"}", one + ",{\"device\":\"d2\"}",
                one + "," + current("d2", "t", "!"), one + "," + current("d2", "t", "A".repeat(3_788)),
                one + "," + current("d2", "", bundle), one + "," + current("d2", "t".repeat(65), bundle),
                one + "," + current("d2", "t t", bundle), "1,1"};
            try (var server = RelayTests.server()) {
                for (var text : elements) {
                    server.then(200, "{\"bundles\":[" + text + "]}");
                    equal(Reason.MALFORMED_ANSWER, refuses(RelayException.class,
                            () -> server.client().bundles(List.of("d1", "d2"), new BundleCache(10))).reason());
                }
                equal(elements.length, server.requests.size());
            }
        });
        test("a query is tried again, and its refusal is a problem", () -> {
            try (var server = RelayTests.server()) {
                server.then(429, "", "1").then(0, "")
                        .then(200, "{\"bundles\":[{\"device\":\"d1\",\"state\":\"missing\"}]}")
                        .then(403, "{\"type\":\"urn:sealedpush:problem:forbidden\"}");
                equal(0, server.client().bundles(List.of("d1")).size());
                equal("POST /v1/bundles/query Bearer " + RelayTests.KEY + " {\"devices\":[{\"device\":\"d1\"}]}",
                        server.requests.get(2));
                var error = refuses(RelayException.class, () -> server.client().bundles(List.of("d1")));
                equal("urn:sealedpush:problem:forbidden", error.problem().type());
                for (var device : new String[] {"", "a/b", "d".repeat(65)}) {
                    refuses(IllegalArgumentException.class, () -> server.client().bundles(List.of("d1", device)));
                }
                equal(4, server.requests.size());
            }
        });
    }

    private static String current(String device, String tag, String bundle) {
        return "{\"device\":\"" + device + "\",\"state\":\"current\",\"etag\":\"" + tag + "\",\"bundle\":\"" + bundle + "\"}";
    }

    private static void saved() throws Exception {
        try (var relay = new Relay()) {
            var cache = new BundleCache(3);
            for (int i = 0; i < 3; i++) relay.bundles.put("d" + i, new Device(i + 1).bundle(1));
            relay.get(cache, "d0", "d1", "d2");
            relay.get(cache, "d0");
            var saved = cache.encoded();
            var again = BundleCache.decode(saved, 3);
            equal(saved, again.encoded());
            relay.get(again, "d0", "d1", "d2");
            equal(List.of(relay.tag("d0"), relay.tag("d1"), relay.tag("d2")), relay.tags());
            // A smaller one keeps what was used last.
            relay.get(BundleCache.decode(saved, 1), "d1", "d0");
            equal(List.of("-", relay.tag("d0")), relay.tags());
            equal("{\"bundles\":[]}", new String(BundleCache.decode(new BundleCache(1).encoded(), 1).encoded(),
                    StandardCharsets.UTF_8));
            for (int i = 0; i < saved.length; i++) {
                var cut = Arrays.copyOf(saved, i);
                refuses(BundleCacheException.class, () -> BundleCache.decode(cut, 3));
            }
        }
        for (var text : new String[] {"", "null", "{}", "[]", "{\"bundles\":1}", "{\"bundles\":[null]}",
            "{\"bundles\":[{}]}", saved("a/b", "t", "AA"), saved("d", "", "AA"), saved("d", "t", "A"),
            saved("d", "t", "A".repeat(3_788))}) {
            refuses(BundleCacheException.class,
                    () -> BundleCache.decode(text.getBytes(StandardCharsets.UTF_8), 3));
        }
    }

    private static String saved(String device, String tag, String bundle) {
        return Json.write(Map.of("bundles", List.of(Map.of("device", device, "etag", tag, "bundle", bundle))));
    }

    private static void group() throws Exception {
        try (var relay = new Relay()) {
            // By the system's clock, which the example has too.
            var device = new Device(1, System.currentTimeMillis());
            var bundle = device.bundle(1);
            var group = new LinkedHashMap<String, IdentityKey>();
            for (int i = 0; i < 997; i++) group.put("d" + i, device.identity);
            for (var name : new String[] {"full", "stranger", "gone"}) group.put(name, device.identity);
            group.put("stranger", new Device(2).identity);
            for (var name : group.keySet()) relay.bundles.put(name, bundle);
            relay.bundles.remove("gone");
            var sender = new howto.Group(SenderIdentity.generate(), relay.server.client(), new MemoryBundlePinStore(),
                    new BundleCache(1_000), Device.TOPIC);
            var message = PreparedMessage.of(new Message().body("See you at eight"));
            for (int round = 0; round < 2; round++) {
                relay.server.requests.clear();
                equal(Map.of("gone", "not registered at the relay", "full", "Tomorrow.", "stranger",
                        "the key bundle is refused: other-identity"), sender.send(message, group));
                equal(2, relay.server.requests.size());
                // The second round has a copy of all but the one that is gone and the one whose bundle was refused.
                equal(round * 998L, relay.tags().stream().filter(tag -> !tag.equals("-")).count());
            }
        }
    }
}
