package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.refuses;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import sealedpush.RelayException.Reason;

/** Partial submissions to a real server on this machine. */
final class PartialTests {
    private static final String D0 = "{\"device\":\"d0\",\"id\":\"i0\",\"trace\":\"t\"}";
    private static final String D2 = "{\"device\":\"d2\",\"id\":\"i2\",\"trace\":\"t\"}";
    private static final String PROBLEM = "\"problem\":{\"type\":\"urn:sealedpush:problem:invalid-fields\","
            + "\"title\":\"T\",\"status\":422,\"detail\":\"D\",\"errors\":[{\"pointer\":\"/recipients/1/device\","
            + "\"detail\":\"E\"}]}";
    private static final String D1 = "{\"index\":1,\"device\":\"d1\"," + PROBLEM + "}";

    private PartialTests() {}

    private static Submission submission(int count) throws Exception {
        var now = Instant.ofEpochMilli(Device.NOW);
        var message = PreparedMessage.of(new Message().body("words"), now, Duration.ofDays(1),
                PreparedMessage.LIFETIME_MAX, Message.Overflow.REFUSE);
        var sealed = SenderIdentity.generate().seal(message, new Device(1).recipient(), now);
        var submission = new Submission(NotificationClass.NORMAL);
        for (int i = 0; i < count; i++) submission.add("d" + i, sealed);
        return submission;
    }

    private static String answer(String accepted, String rejected) {
        return "{\"notifications\":[" + accepted + "],\"rejected\":[" + rejected + "]}";
    }

    static void run() {
        test("each recipient has its notification's id or its problem", () -> {
            try (var server = RelayTests.server()) {
                server.then(202, answer(D0 + "," + D2, D1));
                var answer = server.client().submitPartial(submission(3));
                equal(List.of(new RelayClient.Accepted("d0", "i0", "t"), new RelayClient.Accepted("d2", "i2", "t")),
                        answer.accepted());
                equal(List.of(new PartialAnswer.Rejected(1, "d1", new RelayException.Problem(
                        "urn:sealedpush:problem:invalid-fields", "T", "D", List.of("/recipients/1/device")))),
                        answer.rejected());
            }
        });
        test("the name of a device that the relay omits is the submission's", () -> {
            try (var server = RelayTests.server()) {
                server.then(202, answer(D0 + "," + D2, D1.replace("\"device\":\"d1\",", "")));
                equal("d1", server.client().submitPartial(submission(3)).rejected().get(0).device());
            }
        });
        test("only a partial submission says so, and both keep their key", () -> {
            try (var server = RelayTests.server()) {
                var accepted = answer("{\"device\":\"d0\",\"id\":\"i\",\"trace\":\"t\"}", "");
                server.then(503, "").then(202, accepted).then(202, accepted).then(202, accepted);
                var submission = submission(1);
                server.client().submitPartial(submission);
                server.client().submitPartial(submission);
                server.client().submit(submission);
                equal(server.requests.get(0), server.requests.get(1));
                equal(server.requests.get(0), server.requests.get(2));
                that(server.requests.get(0).contains("\"partial\":true"));
                equal(server.requests.get(0).replace("\"partial\":true,", ""), server.requests.get(3));
            }
        });
        test("an answer that does not name each recipient once is malformed", PartialTests::malformed);
        test("if none can be sent to, the error is the problem of the first", () -> {
            try (var server = RelayTests.server()) {
                server.then(422, Json.write(Map.of("type", "urn:sealedpush:problem:invalid-fields")));
                var error = refuses(RelayException.class, () -> server.client().submitPartial(submission(3)));
                equal(422, error.status());
                equal("urn:sealedpush:problem:invalid-fields", error.problem().type());
                refuses(IllegalArgumentException.class,
                        () -> server.client().submitPartial(new Submission(NotificationClass.NORMAL)));
                equal(1, server.requests.size());
            }
        });
        test("a rejected recipient's words are short, on one line, and without the key", () -> {
            try (var server = RelayTests.server()) {
                server.then(202, answer(D0 + "," + D2, D1.replace("\"D\"", "\"\\u001b[2J" + "l".repeat(5_000) + "\"")
                        .replace("\"T\"", "\"" + RelayTests.KEY + "\"")));
                var problem = server.client().submitPartial(submission(3)).rejected().get(0).problem();
                equal("", problem.title());
                that(problem.detail().length() == 300 && problem.detail().indexOf('\u001b') < 0);
            }
        });
        test("a thousand problems are read", () -> {
            try (var server = RelayTests.server()) {
                var rejected = new ArrayList<String>();
                for (int i = 1; i < 1_000; i++) {
                    rejected.add("{\"index\":" + i + ",\"device\":\"d" + i + "\",\"problem\":{\"type\":\"t\",\"detail\":\""
                            + "w".repeat(1_500) + "\"}}");
                }
                server.then(202, answer(D0, String.join(",", rejected)));
                equal("d999", server.client().submitPartial(submission(1_000)).rejected().get(998).device());
            }
        });
    }

    private static void malformed() throws Exception {
        var d1 = "{\"device\":\"d1\",\"id\":\"i\",\"trace\":\"t\"}";
        var both = D0 + "," + D2;
        var bodies = new String[] {
            answer(D0, D1), answer(D0 + "," + d1 + "," + D2, D1), answer(D0 + "," + D0, D1), answer(D2 + "," + D0, D1),
            answer(both, D1 + "," + D1), answer(both, D1.replace(":1,", ":3,")), answer(both, D1.replace(":1,", ":-1,")),
            answer(both, D1.replace(":1,", ":4294967297,")), answer(both, D1.replace(":1,", ":\"1\",")),
            answer(both, D1.replace("\"d1\"", "\"d2\"")), answer(both, D1.replace("\"d1\"", "1")),
            answer(D0 + "," + D2.replace("d2", "x"), D1), answer(both, D1.replace("," + PROBLEM, "")),
            answer(both, "{\"index\":1,\"device\":\"d1\",\"problem\":\"t\"}"), answer(both, "1"), answer("", ""),
            "{\"notifications\":[" + both + "]}", "{\"notifications\":[" + both + "],\"rejected\":1}"};
        var submission = submission(3);
        try (var server = RelayTests.server()) {
            for (var body : bodies) {
                server.then(202, body);
                equal(Reason.MALFORMED_ANSWER,
                        refuses(RelayException.class, () -> server.client().submitPartial(submission)).reason());
            }
            equal(bodies.length, server.requests.size());
        }
    }
}
