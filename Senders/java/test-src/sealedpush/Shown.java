package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.that;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Sends over a real relay and simulator to a real device, and looks at its screen. */
final class Shown {
    private static final BundleId TOPIC = new BundleId("com.example.chat");
    private static final String SEALEDPUSH = System.getenv("SEALEDPUSH");
    private static final String SEALEDPUSHD = System.getenv("SEALEDPUSHD");

    private final Path folder;
    private final List<AutoCloseable> children = new ArrayList<>();
    private final SenderIdentity sender = SenderIdentity.generate();
    private Map<?, ?> ports;
    private Map<?, ?> providerKey;
    private Program device;
    private IdentityKey identity;
    private BundlePinStore pins;
    private int filesPort;
    private String apiKey;
    private int relayPort;
    private String relayUrl;

    private Shown(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        var shown = new Shown(Path.of(arguments[0]));
        try {
            shown.start();
            shown.run();
        } finally {
            for (int i = shown.children.size() - 1; i >= 0; i--) shown.children.get(i).close();
        }
        Check.finish();
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private Program program(String... command) throws IOException {
        var program = new Program(folder, List.of(command));
        children.add(program);
        return program;
    }

    // The stage

    private void start() throws Exception {
        sender.save(folder.resolve("sender.key"));
        Files.writeString(folder.resolve("contacts"), "sealedpush-contacts-1\nunknown-senders placeholder\n"
                + sender.publicKey().text() + " service call Acme\n");
        var simulator = program(SEALEDPUSH, "simulate", "--json", "--port", "0", "--device-port", "0", "--folder",
                path("simulator"), "--app", TOPIC.text());
        ports = simulator.awaitNamed("ready");
        providerKey = simulator.awaitNamed("keys");
        startFiles();
        device = program(SEALEDPUSH, "device", "--json", "--topic", TOPIC.text(), "--folder", path("phone"),
                "--senders", path("contacts"), "--server", "localhost:" + ports.get("device-port"), "--ca",
                path("simulator/ca.pem"), "--bundle-out", path("bundle"), "--identity-out", path("identity.pub"),
                "--token-out", path("token"), "--register", "voip=" + path("token.voip"), "--files",
                "localhost:" + filesPort, "--time-limit", "120", "--memory-limit", "200");
        device.awaitNamed("ready");
        identity = new IdentityKey(Files.readString(folder.resolve("identity.pub")));
        pins = new FileBundlePinStore(folder.resolve("pins"));
        startRelay();
    }

    /** A server's certificate, signed by the simulator's authority. */
    private void certificate(String name, String host) throws Exception {
        Program.run(folder, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc",
                "-days", "2", "-subj", "/CN=" + host, "-keyout", name + ".key", "-out", name + ".pem",
                "-CA", "simulator/ca.pem", "-CAkey", "simulator/ca.key",
                "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth",
                "-addext", "subjectAltName=DNS:" + host + ",DNS:localhost");
        Files.setPosixFilePermissions(folder.resolve(name + ".key"), PosixFilePermissions.fromString("rw-------"));
    }

    /** Host of attachments, which is files.example.com for the device. */
    private void startFiles() throws Exception {
        certificate("files", "files.example.com");
        Program.run(folder, "openssl", "pkcs12", "-export", "-in", "files.pem", "-inkey", "files.key", "-out",
                "server.p12", "-passout", "pass:sealedpush");
        var files = new ConcurrentHashMap<String, byte[]>();
        HttpsServer server = RelayTests.https(folder);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            if (exchange.getRequestMethod().equals("PUT")) {
                files.put(exchange.getRequestURI().getPath(), exchange.getRequestBody().readAllBytes());
                exchange.sendResponseHeaders(201, -1);
            } else {
                give(exchange, files.get(exchange.getRequestURI().getPath()));
            }
            exchange.close();
        });
        server.start();
        children.add(() -> server.stop(0));
        filesPort = server.getAddress().getPort();
    }

    private static void give(HttpExchange exchange, byte[] file) throws IOException {
        var range = exchange.getRequestHeaders().getFirst("range");
        var match = Pattern.compile("bytes=([0-9]+)-([0-9]*)").matcher(range == null ? "" : range);
        if (file == null) {
            exchange.sendResponseHeaders(404, -1);
        } else if (match.matches()) {
            int start = Integer.parseInt(match.group(1));
            int end = match.group(2).isEmpty() ? file.length : Math.min(file.length, Integer.parseInt(match.group(2)) + 1);
            exchange.getResponseHeaders().set("content-range", "bytes " + start + "-" + (end - 1) + "/" + file.length);
            exchange.sendResponseHeaders(206, end - start);
            exchange.getResponseBody().write(file, start, end - start);
        } else {
            exchange.sendResponseHeaders(200, file.length);
            exchange.getResponseBody().write(file);
        }
    }

    private void startRelay() throws Exception {
        certificate("tls", "localhost");
        Program.run(folder, SEALEDPUSHD, "make-key", "token-encryption.key");
        var made = Program.run(folder, SEALEDPUSHD, "make-api-key");
        apiKey = first("spk_[A-Za-z0-9_-]{43}", made);
        Files.writeString(folder.resolve("api.key"), apiKey);
        var hash = Base64Url.encode(Crypto.sha256(Bytes.ascii("SealedPush/1 API key" + apiKey)));
        var app = Map.of("bundle-id", TOPIC.text(), "environment", "sandbox", "receipts", true,
                "credential", Map.of("key-file", path("simulator/provider.p8"), "key-id", providerKey.get("key-id"),
                        "team-id", providerKey.get("team-id")),
                "endpoint", Map.of("host", "localhost", "port", ports.get("push-port"),
                        "authorities-file", path("simulator/ca.pem")),
                "placeholder", Map.of("body", "You have a new message"));
        var key = Map.of("name", "back-end", "hash", hash, "scopes", List.of("send", "manage", "read"));
        Files.writeString(folder.resolve("relay.json"), Json.write(Map.of(
                "listen", List.of(Map.of("address", "127.0.0.1", "port", 0L)), "loopback-port", 0L,
                "tls", Map.of("certificate-file", path("tls.pem"), "key-file", path("tls.key")),
                "database-file", path("store.sqlite"), "token-key-file", path("token-encryption.key"),
                "tenants", List.of(Map.of("id", "acme", "keys", List.of(key), "apps", List.of(app))))));
        var relay = program(SEALEDPUSHD, "--config", path("relay.json"));
        relay.awaitNamed("ready");
        findRelay(relay);
        var registration = Map.of("token", Files.readString(folder.resolve("token")).strip(),
                "voip-token", Files.readString(folder.resolve("token.voip")).strip(), "topic", TOPIC.text(),
                "environment", "sandbox", "bundle", Files.readString(folder.resolve("bundle")).strip());
        equal(201, call("PUT", "/v1/devices/d1", Json.write(registration)).statusCode());
    }

    /** Tells the two listeners apart: one speaks TLS. */
    private void findRelay(Program relay) throws Exception {
        for (var number : new int[] {0, 1}) {
            var seen = new int[1];
            var listening = relay.await("listening " + number,
                    event -> "listening".equals(event.get("event")) && seen[0]++ == number);
            var port = Integer.parseInt(String.valueOf(listening.get("port")));
            try {
                var client = new RelayClient("https://localhost:" + port, apiKey,
                        Https.trusting(folder.resolve("simulator/ca.pem")), new Retry(1, java.time.Duration.ZERO,
                        java.time.Duration.ZERO), RelayClient::sleep);
                client.bundle("d1");
            } catch (RelayException answer) {
                if (answer.status() == 404) relayUrl = "https://localhost:" + port;
                else relayPort = port;
            }
        }
        that(relayUrl != null && relayPort != 0);
    }

    private HttpResponse<String> call(String method, String path, String body) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + relayPort + path))
                .version(HttpClient.Version.HTTP_1_1).header("authorization", "Bearer " + apiKey)
                .header("content-type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String first(String pattern, String text) {
        var match = Pattern.compile(pattern).matcher(text);
        that(match.find());
        return match.group();
    }

    // The play

    private RelayClient relay() throws FileException {
        return new RelayClient(relayUrl, apiKey, folder.resolve("simulator/ca.pem"));
    }

    private Recipient recipient() throws Exception {
        return Recipient.verify(relay().bundle("d1"), identity, TOPIC, pins);
    }

    /** Submits to the relay; returns what the device showed. */
    private Map<?, ?> send(PreparedMessage message) throws Exception {
        var kind = message.isCall ? NotificationClass.CALL : NotificationClass.URGENT;
        var accepted = relay().submit(new Submission(kind).add("d1", sender.seal(message, recipient())));
        return reported(accepted.get(0).id());
    }

    private Map<?, ?> reported(String id) throws Exception {
        return device.await("push " + id, event -> id.equals(event.get("apns-id")));
    }

    private void run() throws Exception {
        Check.test("the command's key file is ours, and ours is its", () -> {
            Program.run(folder, SEALEDPUSH, "keygen", "sender", "--out", "command");
            equal(new SenderKey(Files.readString(folder.resolve("command/sender.pub"))),
                    SenderIdentity.load(folder.resolve("command/sender.key")).publicKey());
            Files.writeString(folder.resolve("message.json"), "{\"body\":\"b\"}");
            Program.run(folder, SEALEDPUSH, "seal", "message.json", "--sender-key", "sender.key", "--bundle", "bundle",
                    "--identity", "identity.pub", "--topic", TOPIC.text());
        });
        Check.test("both know one safety number", () -> {
            Files.writeString(folder.resolve("sender.pub"), sender.publicKey().text() + "\n");
            equal(SafetyNumber.of(identity, sender.publicKey()),
                    Program.run(folder, SEALEDPUSH, "safety-number", "sender.pub", "identity.pub").strip());
            equal(SafetyNumber.code(identity, sender.publicKey()),
                    Program.run(folder, SEALEDPUSH, "safety-number", "sender.pub", "identity.pub", "--qr").strip());
        });
        Check.test("the README's example is shown", () -> {
            var before = System.out;
            var output = new java.io.ByteArrayOutputStream();
            System.setOut(new java.io.PrintStream(output, true, StandardCharsets.UTF_8));
            try {
                Class.forName("Send").getMethod("main", String[].class).invoke(null, (Object) new String[] {
                    folder.toString(), relayUrl, path("api.key"), path("simulator/ca.pem"), "See you at eight"});
            } finally {
                System.setOut(before);
            }
            var shown = reported(first("[0-9a-fA-F-]{36}", output.toString(StandardCharsets.UTF_8)));
            equal("shown", shown.get("event"));
            equal("Anna", shown.get("title"));
            equal("See you at eight", shown.get("body"));
            equal("chat-7", shown.get("thread-id"));
        });
        alerts();
        groups();
        Check.test("a payload goes by the provider's own way too", () -> {
            var sealed = sender.seal(PreparedMessage.of(new Message().body("by send")), recipient());
            Files.write(folder.resolve("push.json"), sealed.payload(Placeholder.ofKey("NEW_MESSAGE")));
            var sent = Program.run(folder, SEALEDPUSH, "send", "push.json", "--to-file", "token", "--topic", TOPIC.text(),
                    "--provider-key", "simulator/provider.p8", "--key-id", (String) providerKey.get("key-id"),
                    "--team-id", (String) providerKey.get("team-id"), "--server", "localhost:" + ports.get("push-port"),
                    "--ca", "simulator/ca.pem", "--json");
            equal("by send", reported(first("[0-9a-f-]{36}", sent)).get("body"));
        });
        Check.test("a call rings", () -> {
            var event = send(PreparedMessage.of(Message.call("room 7").senderName("Berta")));
            equal("call", event.get("event"));
            equal("Berta", event.get("caller"));
            equal(true, event.get("rings"));
        });
        Check.test("pins of ours hold for the command, and its for us", () -> {
            Program.run(folder, SEALEDPUSH, "seal", "message.json", "--sender-key", "sender.key", "--bundle", "bundle",
                    "--identity", "identity.pub", "--topic", TOPIC.text(), "--pins", "pins");
            var current = new BundlePin[1];
            pins.update(identity, TOPIC, pin -> current[0] = pin);
            pins.update(identity, TOPIC, pin -> new BundlePin(pin.epoch() + 1, pin.digest(), 1, 0, pin.issuedAt(),
                    pin.fetchedAt()));
            var refusal = Check.refuses(AssertionError.class, () -> Program.run(folder, SEALEDPUSH, "seal", "message.json",
                    "--sender-key", "sender.key", "--bundle", "bundle", "--identity", "identity.pub", "--topic",
                    TOPIC.text(), "--pins", "pins"));
            that(refusal.getMessage().contains("this bundle is older"));
            pins.update(identity, TOPIC, pin -> null);
            Program.run(folder, SEALEDPUSH, "seal", "message.json", "--sender-key", "sender.key", "--bundle", "bundle",
                    "--identity", "identity.pub", "--topic", TOPIC.text(), "--pins", "pins");
            pins.update(identity, TOPIC, pin -> {
                equal(current[0].digest(), pin.digest());
                return pin;
            });
        });
    }

    private void groups() {
        var cache = new BundleCache(10);
        Check.test("a group gets a message, but for a device that the relay does not know", () -> {
            var members = Map.of("d1", identity, "nobody", identity);
            for (var text : List.of("fetched", "cached")) {
                var message = PreparedMessage.of(new Message().body(text));
                var left = new howto.Group(sender, relay(), pins, cache, TOPIC).send(message, members);
                equal(Map.of("nobody", "not registered at the relay"), left);
                device.await(text, event -> text.equals(event.get("body")));
            }
        });
        Check.test("a bundle that did not change comes from the cache", () -> {
            // With the right tag and other bytes, what comes back is the cache's.
            var saved = new String(cache.encoded(), StandardCharsets.UTF_8);
            var bundle = Files.readString(folder.resolve("bundle")).strip();
            that(saved.contains(bundle));
            var other = BundleCache.decode(saved.replace(bundle, "AAEC").getBytes(StandardCharsets.UTF_8), 10);
            var got = relay().bundles(List.of("nobody", "d1"), other);
            equal(1, got.size());
            equal(new byte[] {0, 1, 2}, got.get("d1"));
        });
        Check.test("a partial submission leaves out a device that the relay does not know", () -> {
            var sealed = sender.seal(PreparedMessage.of(new Message().body("partial")), recipient());
            var submission = new Submission(NotificationClass.NORMAL).add("nobody", sealed).add("d1",
                    sender.seal(PreparedMessage.of(new Message().body("partial")), recipient()));
            var answer = relay().submitPartial(submission);
            equal("partial", reported(answer.accepted().get(0).id()).get("body"));
            var rejected = answer.rejected().get(0);
            equal(0, rejected.index());
            equal("nobody", rejected.device());
            equal("urn:sealedpush:problem:invalid-fields", rejected.problem().type());
            that(!rejected.problem().detail().isEmpty());
            equal(List.of("/recipients/0/device"), rejected.problem().pointers());
            equal(answer, relay().submitPartial(submission));
            var alone = new Submission(NotificationClass.NORMAL).add("nobody", sealed);
            equal(422, Check.refuses(RelayException.class, () -> relay().submitPartial(alone)).status());
        });
    }

    private void alerts() {
        Check.test("a long text comes shortened, and a service's name is shown", () -> {
            var shown = send(PreparedMessage.of(new Message().body("\ud83d\ude00".repeat(2_000)).senderName("Berta")));
            var body = (String) shown.get("body");
            equal("Berta", shown.get("title"));
            that(body.matches("(\ud83d\ude00){600,}…"));
        });
        Check.test("a message that is sealed again is shown once", () -> {
            var message = PreparedMessage.of(new Message().body("once"));
            equal("once", send(message).get("body"));
            var again = send(message);
            that(!"once".equals(again.get("body")));
            equal(1L, ((List<?>) again.get("screen")).stream().filter("once"::equals).count());
        });
        Check.test("a message is replaced, then removed", () -> {
            var message = PreparedMessage.of(new Message().body("first"));
            equal("first", send(message).get("body"));
            // Later by its time, as every change must be.
            Thread.sleep(5);
            var replaced = send(PreparedMessage.of(Message.replacing(message.id()).body("second")));
            equal("second", replaced.get("body"));
            that(!((List<?>) replaced.get("screen")).contains("first"));
            Thread.sleep(5);
            var screen = (List<?>) send(PreparedMessage.of(Message.removing(message.id()))).get("screen");
            that(!screen.contains("first") && !screen.contains("second"));
        });
        Check.test("a receipt's capability is the one of its hash", () -> {
            var capability = new ReceiptCapability();
            var sealed = sender.seal(PreparedMessage.of(new Message().body("receipt").receipt(capability)), recipient());
            var id = relay().submit(new Submission(NotificationClass.NORMAL).add("d1", sealed)).get(0).id();
            equal("receipt", reported(id).get("body"));
            var receipt = List.of(Map.of("capability", capability.text(), "code", "opened"));
            equal(204, call("POST", "/v1/receipts", Json.write(Map.of("receipts", receipt))).statusCode());
            for (var state = ""; !state.contains("\"state\":\"delivered\""); Thread.sleep(20)) {
                state = call("GET", "/v1/notifications/" + id, "").body();
            }
        });
        Check.test("a file is shown beside its text", () -> {
            var picture = Path.of("../../keys-example/picture.png").toAbsolutePath();
            var stored = folder.resolve("picture.sealed");
            var sealed = SealedAttachment.seal(picture, stored);
            new AttachmentUploader(folder.resolve("simulator/ca.pem"))
                    .put(stored, "https://localhost:" + filesPort + "/v1/blobs/picture?signature=s");
            var pointer = sealed.pointer("https://files.example.com/v1/blobs/picture", "image/png").name("Matterhorn");
            var shown = send(PreparedMessage.of(new Message().body("a picture").attachment(pointer)));
            equal("a picture", shown.get("body"));
            equal(List.of("public.png"), shown.get("attachments"));
        });
    }
}
