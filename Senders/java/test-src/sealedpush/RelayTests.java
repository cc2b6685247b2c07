package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.refuses;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import sealedpush.RelayException.Reason;

/** The relay's client and the uploader against a real server on this machine. */
final class RelayTests {
    static final String KEY = "spk_" + "k".repeat(43);
    private static final String WORDS = "words that nobody may see";

    private RelayTests() {}

    record Answer(int status, String body, String retryAfter) {}

    /** Server that gives the answers in their order, then those of a rule, and keeps what it was asked. */
    static final class Server implements AutoCloseable {
        final Deque<Answer> answers = new ArrayDeque<>();
        final List<String> requests = new ArrayList<>();
        final List<Duration> delays = new ArrayList<>();
        final HttpServer http;
        /** Answers of a path and a body; null if all are in {@code answers}. */
        BiFunction<String, String, Answer> rule;

        Server(HttpServer http) throws IOException {
            this.http = http;
            http.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            http.createContext("/", this::answer);
            http.start();
        }

        private void answer(HttpExchange exchange) throws IOException {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("authorization") + " " + body);
            var answer = answers.isEmpty() && rule != null ? rule.apply(exchange.getRequestURI().getPath(), body)
                    : answers.remove();
            if (answer.status == 0) {
                // Ends the connection without an answer.
                exchange.close();
                return;
            }
            var bytes = answer.body.getBytes(StandardCharsets.UTF_8);
            if (answer.retryAfter != null) exchange.getResponseHeaders().set("retry-after", answer.retryAfter);
            exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        }

        Server then(int status, String body) {
            answers.add(new Answer(status, body, null));
            return this;
        }

        Server then(int status, String body, String retryAfter) {
            answers.add(new Answer(status, body, retryAfter));
            return this;
        }

        String origin() {
            var scheme = http instanceof HttpsServer ? "https" : "http";
            return scheme + "://localhost:" + http.getAddress().getPort();
        }

        RelayClient client() {
            return new RelayClient(origin(), KEY, null, Retry.STANDARD, delays::add);
        }

        @Override
        public void close() {
            http.stop(0);
        }
    }

    static Server server() throws IOException {
        return new Server(HttpServer.create());
    }

    private static Submission submission() throws Exception {
        var now = Instant.ofEpochMilli(Device.NOW);
        var message = PreparedMessage.of(new Message().body(WORDS), now, Duration.ofDays(1),
                PreparedMessage.LIFETIME_MAX, Message.Overflow.REFUSE);
        var sealed = SenderIdentity.generate().seal(message, new Device(1).recipient(), now);
        return new Submission(NotificationClass.NORMAL).add("d1", sealed);
    }

    private static final String ACCEPTED = "{\"notifications\":[{\"device\":\"d1\",\"id\":\"i\",\"trace\":\"t\"}]}";

    private static String problem(String word, String detail) {
        return Json.write(Map.of("type", "urn:sealedpush:problem:" + word, "title", "A title", "status", 400L,
                "detail", detail, "errors", List.of(Map.of("pointer", "/recipients/0/device", "detail", "no"))));
    }

    static void run(Path folder) {
        retries();
        refusals();
        answers();
        connections(folder);
    }

    private static void retries() {
        test("what the server did not process is sent again, under the same idempotency key", () -> {
            try (var server = server()) {
                server.then(429, problem("too-many-requests", "d"), "7").then(503, "").then(0, "").then(500, "not JSON")
                        .then(502, "").then(202, ACCEPTED);
                equal(List.of(new RelayClient.Accepted("d1", "i", "t")), server.client().submit(submission()));
                equal(6, server.requests.size());
                equal(1, new HashSet<>(server.requests).size());
                that(server.requests.get(0).contains("\"idempotency-key\":\""));
                that(server.requests.get(0).startsWith("POST /v1/notifications Bearer " + KEY));
                // Retry-After is kept, and all delays have an upper bound that doubles.
                var delays = server.delays;
                that(delays.get(0).compareTo(Duration.ofSeconds(7)) >= 0);
                that(delays.get(0).compareTo(Duration.ofMillis(7_500)) <= 0);
                for (int i = 1; i < 5; i++) that(delays.get(i).toMillis() <= 500L << i);
            }
        });
        test("two submissions have two keys, and one keeps its own", () -> {
            try (var server = server()) {
                server.then(202, ACCEPTED).then(202, ACCEPTED).then(202, ACCEPTED);
                var one = submission().idempotencyKey("order-4711");
                server.client().submit(one);
                server.client().submit(one);
                server.client().submit(submission());
                equal(server.requests.get(0), server.requests.get(1));
                that(server.requests.get(0).contains("order-4711") && !server.requests.get(2).contains("order-4711"));
            }
        });
        test("attempts end", () -> {
            try (var server = server()) {
                for (int i = 0; i < 9; i++) server.then(503, problem("draining", "later"), "1");
                var error = refuses(RelayException.class, () -> server.client().submit(submission()));
                equal(503, error.status());
                equal("urn:sealedpush:problem:draining", error.problem().type());
                equal(6, server.requests.size());
            }
        });
        test("a Retry-After of over a minute, and one that is no number", () -> {
            try (var server = server()) {
                server.then(429, problem("quota-exceeded", "tomorrow"), "3600");
                equal(429, refuses(RelayException.class, () -> server.client().submit(submission())).status());
                equal(1, server.requests.size());
                server.then(429, "", "99999999999999999999").then(429, "", "-1").then(202, ACCEPTED);
                server.client().submit(submission());
                equal(4, server.requests.size());
            }
        });
        test("delays spread over the whole of their bound", () -> {
            var retry = Retry.STANDARD;
            equal(Duration.ZERO, retry.delay(1, -1, 0).orElseThrow());
            equal(Duration.ofMillis(500), retry.delay(1, -1, 1).orElseThrow());
            equal(Duration.ofSeconds(8), retry.delay(5, -1, 1).orElseThrow());
            equal(Duration.ofSeconds(60), new Retry(99, retry.first(), retry.longest()).delay(90, -1, 1).orElseThrow());
            that(retry.delay(6, -1, 1).isEmpty());
        });
        test("a thread that is interrupted while it waits ends", () -> {
            try (var server = server()) {
                server.then(503, "");
                var client = new RelayClient(server.origin(), KEY, null, Retry.STANDARD, delay -> {
                    throw new InterruptedException();
                });
                refuses(InterruptedException.class, () -> client.submit(submission()));
                equal(1, server.requests.size());
            }
        });
    }

    private static void refusals() {
        test("no other 4xx is sent again, and its problem is the error's", () -> {
            for (int status : new int[] {400, 401, 403, 404, 408, 409, 411, 413, 415, 422, 431}) {
                try (var server = server()) {
                    server.then(status, problem("invalid-fields", "Mend it"));
                    var error = refuses(RelayException.class, () -> server.client().submit(submission()));
                    equal(Reason.REFUSED, error.reason());
                    equal(status, error.status());
                    equal(new RelayException.Problem("urn:sealedpush:problem:invalid-fields", "A title", "Mend it",
                            List.of("/recipients/0/device")), error.problem());
                    equal(1, server.requests.size());
                }
            }
        });
        test("a redirect is not followed", () -> {
            try (var server = server()) {
                server.then(307, "");
                equal(307, refuses(RelayException.class, () -> server.client().bundle("d1")).status());
                equal(1, server.requests.size());
            }
        });
        test("no error has the key or words, also when the answer does", () -> {
            try (var server = server()) {
                server.then(401, problem("unauthorized", "Bearer " + KEY + " is wrong\n\u001b[31m"))
                        .then(422, problem("x", "l".repeat(99_999)));
                var error = refuses(RelayException.class, () -> server.client().submit(submission()));
                that(!error.toString().contains(KEY) && !error.toString().contains(WORDS) && error.getCause() == null);
                var second = refuses(RelayException.class, () -> server.client().submit(submission()));
                equal(300, second.problem().detail().length());
            }
        });
    }

    private static void answers() {
        test("an answer that is not promised is malformed", () -> {
            try (var server = server()) {
                for (var body : new String[] {"", "[]", "{}", "null", "{\"notifications\":1}", "{\"notifications\":[]}",
                    "{\"notifications\":[1]}", ACCEPTED + " x", ACCEPTED.replace("\"i\"", "7"),
                    "{\"notifications\":" + "[".repeat(5_000)}) {
                    server.then(202, body);
                    equal(Reason.MALFORMED_ANSWER,
                            refuses(RelayException.class, () -> server.client().submit(submission())).reason());
                }
                for (var body : new String[] {"", "{}", "{\"bundle\":null}", "{\"bundle\":\"A\"}", "{\"bundle\":\"+\"}"}) {
                    server.then(200, body);
                    equal(Reason.MALFORMED_ANSWER,
                            refuses(RelayException.class, () -> server.client().bundle("d1")).reason());
                }
                server.then(200, "{\"bundle\":\"AAEC\",\"language\":\"de\"}");
                equal(new byte[] {0, 1, 2}, server.client().bundle("d1"));
                that(server.requests.get(server.requests.size() - 1).startsWith("GET /v1/devices/d1/bundle Bearer "));
            }
        });
        test("an answer without end is ended", () -> {
            try (var server = server()) {
                server.then(200, "{\"bundle\":\"" + "A".repeat(2 << 20) + "\"}");
                equal(Reason.MALFORMED_ANSWER, refuses(RelayException.class, () -> server.client().bundle("d1")).reason());
            }
        });
        test("any bytes of an answer are an error", () -> {
            var random = new Random(3);
            var valid = problem("x", "d").getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 20_000; i++) {
                var bytes = valid.clone();
                for (int j = 0; j < 3; j++) bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                try {
                    Json.parse(bytes);
                } catch (Json.Refused refused) {
                    continue;
                }
            }
        });
    }

    private static void connections(Path folder) {
        test("the key goes over TLS or stays on this machine", () -> {
            for (var url : new String[] {"http://push.example.com", "http://127.0.0.1.example.com", "https://u@h",
                "https://h/path", "ftp://h", "http://localhost:1@h", ""}) {
                var error = refuses(IllegalArgumentException.class,
                        () -> new RelayClient(url, KEY, null, Retry.STANDARD, RelayClient::sleep));
                that(!error.getMessage().contains(KEY));
            }
            refuses(IllegalArgumentException.class, () -> new RelayClient("https://h", "spk_short"));
            refuses(IllegalArgumentException.class, () -> new RelayClient("https://h", KEY).bundle("../x"));
        });
        test("no server there is tried again, then unreachable", () -> {
            int port;
            try (var taken = new ServerSocket(0)) {
                port = taken.getLocalPort();
            }
            var delays = new ArrayList<Duration>();
            var client = new RelayClient("http://127.0.0.1:" + port, KEY, null, Retry.STANDARD, delays::add);
            var error = refuses(RelayException.class, () -> client.submit(submission()));
            equal(Reason.UNREACHABLE, error.reason());
            equal(5, delays.size());
        });
        test("only the given authority is trusted, and a foreign certificate is not tried again", () -> {
            try (var server = new Server(https(folder))) {
                server.then(200, "{\"bundle\":\"AAEC\"}");
                equal(3, new RelayClient(server.origin(), KEY, folder.resolve("server.pem")).bundle("d1").length);
                var delays = new ArrayList<Duration>();
                var stranger = new RelayClient(server.origin(), KEY, null, Retry.STANDARD, delays::add);
                equal(Reason.NOT_TRUSTED, refuses(RelayException.class, () -> stranger.bundle("d1")).reason());
                var otherName = new RelayClient(server.origin().replace("localhost", "127.0.0.2"), KEY,
                        Https.trusting(folder.resolve("server.pem")), Retry.STANDARD, delays::add);
                var reason = refuses(RelayException.class, () -> otherName.bundle("d1")).reason();
                that(reason == Reason.NOT_TRUSTED || reason == Reason.UNREACHABLE);
                equal(1, server.requests.size());
            }
            Check.file(FileException.Reason.MALFORMED, () -> {
                Files.writeString(folder.resolve("no.pem"), "no certificate");
                Https.trusting(folder.resolve("no.pem"));
            });
        });
        test("a sealed file is put as it is, again after a failure, and no 4xx twice", () -> {
            try (var server = new Server(https(folder))) {
                var file = Files.writeString(folder.resolve("stored.bin"), "bytes");
                var delays = new ArrayList<Duration>();
                var uploader = new AttachmentUploader(Https.trusting(folder.resolve("server.pem")), Retry.STANDARD,
                        delays::add);
                server.then(503, "").then(0, "").then(201, "");
                uploader.put(file, server.origin() + "/blob?signature=s");
                equal(List.of("PUT /blob?signature=s null bytes", "PUT /blob?signature=s null bytes",
                        "PUT /blob?signature=s null bytes"), server.requests);
                server.then(403, problem("x", "signature=s"));
                var error = refuses(RelayException.class, () -> uploader.put(file, server.origin() + "/blob?signature=s"));
                equal(403, error.status());
                that(!error.toString().contains("signature"));
                refuses(IllegalArgumentException.class, () -> uploader.put(file, "http://localhost/a"));
                Check.file(FileException.Reason.NOT_FOUND,
                        () -> uploader.put(folder.resolve("none"), server.origin() + "/a"));
            }
        });
    }

    static HttpsServer https(Path folder) throws Exception {
        var store = KeyStore.getInstance(folder.resolve("server.p12").toFile(), "sealedpush".toCharArray());
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "sealedpush".toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        var server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return server;
    }
}
