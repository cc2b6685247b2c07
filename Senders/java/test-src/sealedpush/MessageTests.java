package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.file;
import static sealedpush.Check.message;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import sealedpush.MessageException.Reason;

/** What is sealed, and what is refused. */
final class MessageTests {
    private static final Instant NOW = Instant.ofEpochMilli(Device.NOW);
    private static final SenderIdentity SENDER = SenderIdentity.generate();

    private MessageTests() {}

    static void run(Path folder) {
        members();
        lengths();
        times();
        attachments(folder);
        submissions();
    }

    private static PreparedMessage prepare(Message message, Message.Overflow overflow) throws MessageException {
        var lifetime = message.isCall() ? Duration.ofSeconds(30) : Duration.ofDays(1);
        return PreparedMessage.of(message, NOW, lifetime, PreparedMessage.LIFETIME_MAX, overflow);
    }

    private static String json(Message message) throws MessageException {
        return new String(prepare(message, Message.Overflow.REFUSE).body, StandardCharsets.UTF_8);
    }

    private static void invalid(String member, Message message) {
        message(Reason.INVALID, member, () -> json(message));
    }

    private static Message text() {
        return new Message().title("t");
    }

    private static void members() {
        test("what a device would refuse is not sealed", () -> {
            message(Reason.NO_TEXT, null, () -> json(new Message()));
            message(Reason.NO_TEXT, null, () -> json(new Message().subtitle("s").body("")));
            message(Reason.NO_TEXT, null, () -> json(Message.replacing(new MessageId("A".repeat(22)))));
            invalid("title", new Message().title("a\0b"));
            invalid("body", new Message().body("\ud800"));
            invalid("body", new Message().body("\udc00\ud800"));
            invalid("call", Message.call(""));
            invalid("badge", text().badge(10_000));
            invalid("badge", Message.settingBadge(-1));
            invalid("sound-volume", text().soundVolume(BigDecimal.ONE));
            invalid("sound-volume", text().sound("default").soundVolume(new BigDecimal("1.0001")));
            invalid("relevance-score", text().relevance(new BigDecimal("0.00001")));
            invalid("relevance-score", text().relevance(new BigDecimal("-0.1")));
            invalid("loc-args", new Message().bodyKey("k", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
            invalid("loc-args", new Message().bodyKey("k", "\0"));
            invalid("loc-key", text().bodyKey("", "1"));
            invalid("crit", text().critical("unknown"));
            invalid("crit", text().critical(""));
            invalid("user-info", text().userInfo("", 1));
            invalid("user-info", text().userInfo("a b", 1));
            invalid("user-info", text().userInfo("n".repeat(65), true));
            invalid("user-info", text().userInfo("n", "\0"));
            var many = text();
            for (int i = 0; i < 17; i++) many.userInfo("n" + i, i);
            invalid("user-info", many);
        });
        test("members have the protocol's spelling, and empty ones are absent", () -> {
            equal("{\"title\":\"t\"}", json(text().body("").category("").critical().bodyKey("")));
            equal("{\"op\":\"call\",\"call\":\"c\"}", json(Message.call("c")));
            equal("{\"op\":\"badge\",\"badge\":0}", json(Message.settingBadge(0)));
            equal("{\"op\":\"test\"}", json(Message.test()));
            equal("{\"title\":\"t\",\"sound\":\"s\",\"sound-volume\":\"1\",\"relevance-score\":\"0.05\"}",
                    json(text().sound("s").soundVolume(new BigDecimal("1.0000")).relevance(new BigDecimal("0.0500"))));
            equal("{\"title\":\"t\",\"relevance-score\":\"0\"}", json(text().relevance(new BigDecimal("0E+9"))));
            equal("{\"title\":\"t\",\"user-info\":{\"n\":\"\"}}", json(text().userInfo("n", "")));
            equal("{\"title\":\"\\u0001\\n\\\"\\\\/\u007f\"}", json(new Message().title("\u0001\n\"\\/\u007f")));
            equal("{\"title\":\"t\",\"level\":\"time-sensitive\"}", json(text().level(Message.Level.TIME_SENSITIVE)));
        });
    }

    private static void lengths() {
        test("every envelope of a class has one length", () -> {
            var recipient = new Device(1).recipient();
            for (var words : new String[] {"a", "a".repeat(2_000), "a".repeat(9_000)}) {
                var sealed = SENDER.seal(prepare(new Message().body(words), Message.Overflow.SHORTEN), recipient, NOW);
                equal(3_840, sealed.sealedField().length());
                equal(3_923 + 22, sealed.payload(Placeholder.ofKey("12345678")).length);
                equal(words.length() > 2_690, sealed.isTruncated());
            }
            var call = SENDER.seal(prepare(Message.call("c"), Message.Overflow.REFUSE), recipient, NOW);
            equal(4_864, call.sealedField().length());
            equal(4_919, call.payload(null).length);
        });
        test("a text is shortened to the last whole grapheme cluster that fits", () -> {
            for (var cluster : new String[] {"a", "\n", "\u0001", "é", "e\u0301", "\ud83d\ude00",
                "\ud83c\udde8\ud83c\udded",
                "\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67", "\ud83d\udc4d\ud83c\udffd", "\r\n"}) {
                // Of another length each time, so that the end falls on each byte of the cluster.
                for (int titleLength = 1; titleLength <= 20; titleLength++) {
                    var message = new Message().title("t".repeat(titleLength)).body(cluster.repeat(3_000));
                    var prepared = prepare(message, Message.Overflow.SHORTEN);
                    equal((byte) 1, SealedMessage.frame(prepared, SENDER, new byte[0])[65]);
                    var body = (String) ((Map<?, ?>) Json.parse(prepared.body)).get("body");
                    equal(cluster.repeat(body.length() / cluster.length()), body);
                    var clusterByteCount = Json.write(cluster).getBytes(StandardCharsets.UTF_8).length - 2;
                    that(prepared.body.length <= 2_690 && prepared.body.length + clusterByteCount > 2_690);
                }
            }
        });
        test("what stays too long is refused", () -> {
            var fits = new Message().body("a".repeat(2_690 - 11));
            equal(2_690, prepare(fits, Message.Overflow.REFUSE).body.length);
            message(Reason.TOO_LONG, "1 bytes too many",
                    () -> prepare(new Message().body("a".repeat(2_690 - 10)), Message.Overflow.REFUSE));
            message(Reason.TOO_LONG, null, () -> prepare(new Message().title("a".repeat(3_000)), Message.Overflow.SHORTEN));
            message(Reason.TOO_LONG, null,
                    () -> prepare(new Message().title("a".repeat(3_000)).body("b"), Message.Overflow.SHORTEN));
            // One cluster that does not fit: no text would be left.
            message(Reason.TOO_LONG, null,
                    () -> prepare(new Message().body("e" + "\u0301".repeat(2_000)), Message.Overflow.SHORTEN));
            message(Reason.TOO_LONG, null, () -> prepare(Message.call("c".repeat(4_000)), Message.Overflow.SHORTEN));
        });
        test("a placeholder is constant, and fits", () -> {
            Placeholder.of("", "a".repeat(173 - 11));
            message(Reason.INVALID, "placeholder", () -> Placeholder.of("", "a".repeat(173 - 10)));
            message(Reason.INVALID, "placeholder", () -> Placeholder.of("", ""));
            message(Reason.INVALID, "placeholder", () -> Placeholder.ofKey("\0"));
        });
    }

    private static void life(Reason reason, Message message, Instant sentAt, Duration life, Duration max) {
        message(reason, null, () -> PreparedMessage.of(message, sentAt, life, max, Message.Overflow.REFUSE));
    }

    private static void times() {
        test("times that a device would refuse are not sealed", () -> {
            var week = PreparedMessage.LIFETIME_MAX;
            life(Reason.LIFETIME, text(), NOW, Duration.ZERO, week);
            life(Reason.LIFETIME, text(), NOW, Duration.ofMillis(-1), week);
            life(Reason.LIFETIME, text(), NOW, week.plusMillis(1), week);
            life(Reason.LIFETIME, text(), NOW, Duration.ofDays(1), Duration.ofDays(31));
            life(Reason.LIFETIME, Message.call("c"), NOW, Duration.ofMillis(60_001), week);
            life(Reason.TIME, text(), Instant.ofEpochMilli(-1), Duration.ofDays(1), week);
            life(Reason.TIME, text(), Instant.ofEpochMilli((1L << 53) - 1), Duration.ofMillis(1), week);
            life(Reason.TIME, text(), Instant.MAX.minus(Duration.ofDays(9)), Duration.ofDays(1), week);
            PreparedMessage.of(text(), NOW, Duration.ofDays(30), Duration.ofDays(30), Message.Overflow.REFUSE);
            PreparedMessage.of(Message.call("c"), NOW, Duration.ofSeconds(60), week, Message.Overflow.REFUSE);
        });
        test("nothing is sealed after the end of the message or the prekey", () -> {
            var recipient = new Device(1).recipient();
            var prepared = prepare(text(), Message.Overflow.REFUSE);
            SENDER.seal(prepared, recipient, NOW.plus(Duration.ofDays(1)).minusMillis(1));
            message(Reason.EXPIRED, null, () -> SENDER.seal(prepared, recipient, NOW.plus(Duration.ofDays(1))));
            message(Reason.PREKEY_EXPIRED, null,
                    () -> SENDER.seal(prepared, recipient, NOW.plus(Duration.ofDays(1)).plusMillis(1)));
        });
        test("a message that is sealed again has its id and times, and nothing else in common", () -> {
            var recipient = new Device(1).recipient();
            var prepared = prepare(text(), Message.Overflow.REFUSE);
            var again = PreparedMessage.again(text(), new MessageId(prepared.id().text()), prepared.sentAt(),
                    prepared.expiresAt(), PreparedMessage.LIFETIME_MAX, Message.Overflow.REFUSE);
            equal(prepared.id(), again.id());
            var one = SENDER.seal(prepared, recipient, NOW);
            var other = SENDER.seal(again, recipient, NOW);
            equal(one.messageId(), other.messageId());
            equal(one.expiresAt(), other.expiresAt());
            that(!one.trace().equals(other.trace()) && !one.sealedField().equals(other.sealedField()));
            // Version, suite and prekey id.
            equal(one.sealedField().substring(0, 13), other.sealedField().substring(0, 13));
        });
        test("a low-order prekey is refused by the bundle's check and by sealing itself", () -> {
            var device = new Device(1);
            Check.bundle("low-order-prekey",
                    () -> device.recipient(device.bundle(1, 1, new byte[32]), new MemoryBundlePinStore()));
            for (var u : new long[] {0, 1}) {
                Check.refuses(java.security.InvalidKeyException.class, () -> Hpke.seal(
                        Bytes.littleEndian(java.math.BigInteger.valueOf(u)), new byte[0], new byte[0],
                        new java.security.SecureRandom()));
            }
        });
    }

    private static void attachments(Path folder) {
        test("attachments that a device would refuse are not sealed", () -> {
            var id = new byte[16];
            var key = new byte[32];
            var url = "https://files.example.com/a";
            var file = new AttachmentPointer(id, key, 1, url, "image/png");
            message(Reason.INVALID, "attachments.url", () -> new AttachmentPointer(id, key, 1, "http://a.b/", "image/png"));
            for (var type : new String[] {"image", "Image/png", "image/png; q=1", "image/", "a/" + "b".repeat(63)}) {
                message(Reason.INVALID, "attachments.type", () -> new AttachmentPointer(id, key, 1, url, type));
            }
            message(Reason.INVALID, "attachments.size", () -> new AttachmentPointer(id, key, (1L << 40) + 1, url, "a/b"));
            message(Reason.INVALID, "attachments.name", () -> file.name("é".repeat(33)));
            message(Reason.INVALID, "attachments.name", () -> file.name(""));
            invalid("attachments", text().attachment(file).attachment(file));
            invalid("attachments", Message.test().attachment(file));
            invalid("attachments.thumbnail", text().attachment(
                    new AttachmentPointer(id, key, 1, url, "image/png").thumbnail()));
            var five = text();
            for (byte i = 0; i < 5; i++) {
                five.attachment(new AttachmentPointer(new byte[] {i}, new byte[] {i}, 1, url, "image/png"));
            }
            invalid("attachments", five);
        });
        test("padded lengths are Padmé's, and a tebibyte has a length", () -> {
            equal(0L, AttachmentPointer.padded(0));
            equal(1L, AttachmentPointer.padded(1));
            equal(1_024L, AttachmentPointer.padded(1_000));
            equal(1L << 40, AttachmentPointer.padded(1L << 40));
            for (long n = 2; n < 1L << 40; n = n * 3 / 2 + 1) {
                var padded = AttachmentPointer.padded(n);
                that(padded >= n && padded - n <= n * 12 / 100 && AttachmentPointer.padded(padded) == padded);
            }
        });
        test("a file that is longer than it said is not sealed", () -> {
            // Linux says that it has no bytes.
            var source = Path.of("/proc/self/status");
            if (!Files.exists(source)) return;
            file(FileException.Reason.CHANGED, () -> SealedAttachment.seal(source, folder.resolve("changed")));
            that(!Files.exists(folder.resolve("changed")));
        });
        test("a file larger than the memory is sealed", () -> {
            var source = folder.resolve("large");
            var target = folder.resolve("large.sealed");
            var size = Runtime.getRuntime().maxMemory() + 1;
            try (var file = new java.io.RandomAccessFile(source.toFile(), "rw")) {
                file.setLength(size);
            }
            SealedAttachment.seal(source, target);
            equal(AttachmentPointer.stored(size), Files.size(target));
            Files.delete(source);
            Files.delete(target);
        });
        test("a sealed file is its owner's, never overwritten, and gone after an error", () -> {
            var source = folder.resolve("cat.jpg");
            var target = folder.resolve("cat.sealed");
            Files.write(source, new byte[100_000]);
            SealedAttachment.seal(source, target);
            equal(AttachmentPointer.stored(100_000), Files.size(target));
            equal("[OWNER_READ, OWNER_WRITE]", Files.getPosixFilePermissions(target).stream().sorted().toList().toString());
            file(FileException.Reason.EXISTS, () -> SealedAttachment.seal(source, target));
            that(Files.exists(target));
            file(FileException.Reason.NOT_A_FILE, () -> SealedAttachment.seal(folder, folder.resolve("new")));
            file(FileException.Reason.NOT_FOUND,
                    () -> SealedAttachment.seal(folder.resolve("no"), folder.resolve("new")));
            that(!Files.exists(folder.resolve("new")));
        });
    }

    private static void submissions() {
        test("Apple keeps a push as long as its message lives", () -> {
            var lives = new long[] {1, 3_600, 3_601, 86_400, 86_401, 604_800};
            var expiries = new int[] {3_600, 3_600, 86_400, 86_400, 604_800, 604_800};
            for (int i = 0; i < lives.length; i++) {
                var prepared = PreparedMessage.of(text(), NOW, Duration.ofSeconds(lives[i]), PreparedMessage.LIFETIME_MAX,
                        Message.Overflow.REFUSE);
                var sealed = SENDER.seal(prepared, new Device(1).recipient(), NOW);
                var json = new Submission(NotificationClass.URGENT).add("d1", sealed).json(false);
                that(json.contains("\"expiry\":" + expiries[i] + ","));
            }
            var call = SENDER.seal(prepare(Message.call("c"), Message.Overflow.REFUSE), new Device(1).recipient(), NOW);
            that(new Submission(NotificationClass.CALL).add("d1", call).json(false).contains("\"expiry\":0,"));
        });
        test("a submission holds one app's messages of one class, and each device and receipt once", () -> {
            var device = new Device(1);
            var capability = new ReceiptCapability();
            var sealed = SENDER.seal(prepare(text().receipt(capability), Message.Overflow.REFUSE), device.recipient(), NOW);
            var submission = new Submission(NotificationClass.URGENT).add("d1", sealed).expiry(3_600).collapseId("c");
            that(submission.json(false).contains("\"receipt-hash\":\"" + capability.hash() + "\""));
            that(!submission.json(false).contains(capability.text()) && submission.json(false).contains("\"expiry\":3600"));
            message(Reason.INVALID, "device", () -> submission.add("d1", sealed));
            message(Reason.INVALID, "device", () -> submission.add("../d", sealed));
            message(Reason.INVALID, "receipt", () -> submission.add("d2", sealed));
            // What was refused left nothing behind.
            submission.add("d2", SENDER.seal(prepare(text(), Message.Overflow.REFUSE), device.recipient(), NOW));
            message(Reason.INVALID, "class", () -> new Submission(NotificationClass.CALL).add("d1", sealed));
            message(Reason.INVALID, "expiry", () -> new Submission(NotificationClass.CALL).expiry(3_600));
            message(Reason.INVALID, "collapse-id", () -> new Submission(NotificationClass.NORMAL).collapseId(""));
            message(Reason.INVALID, "idempotency-key",
                    () -> new Submission(NotificationClass.NORMAL).idempotencyKey("a b"));
        });
    }
}
