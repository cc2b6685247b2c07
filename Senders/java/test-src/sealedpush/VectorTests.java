package sealedpush;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Every vector that a sender can be held to; prints a line for each kind. */
final class VectorTests {
    /** Reasons for the vectors that are not run. */
    private static final Map<String, String> NOT_APPLICABLE = Map.of(
            "message", "a device opens, a sender does not",
            "announcement", "a sender makes none that is malformed, unsupported or badly signed",
            "attachment", "a sender opens no attachment; it seals what opens",
            "web-push", "a device opens Web Push");
    private final Path folder;
    private final Map<String, int[]> counts = new TreeMap<>();

    VectorTests(Path folder) {
        this.folder = folder;
    }

    /** Returns true if all passed. */
    boolean run() throws Exception {
        List<Path> files;
        try (var all = Files.list(Path.of(System.getProperty("vectors")))) {
            files = all.filter(path -> path.toString().endsWith(".txt")).sorted().toList();
        }
        for (var file : files) {
            var vector = Vector.read(file);
            var count = counts.computeIfAbsent(vector.get("kind"), kind -> new int[3]);
            if (!isApplicable(vector)) {
                count[2]++;
                continue;
            }
            count[0]++;
            try {
                run(vector);
                count[1]++;
            } catch (Exception | Error failure) {
                System.out.println("FAILED: " + vector.name() + ": " + vector.get("title"));
                failure.printStackTrace(System.out);
            }
        }
        var passed = true;
        for (var count : counts.entrySet()) {
            var n = count.getValue();
            passed &= n[0] == n[1];
            System.out.println("java " + count.getKey() + " run " + n[0] + " passed " + n[1] + " not-applicable " + n[2]
                    + (n[2] > 0 ? ": " + NOT_APPLICABLE.get(count.getKey()) : ""));
        }
        return passed && files.size() > 500;
    }

    private static boolean isApplicable(Vector vector) {
        return switch (vector.get("kind")) {
            case "announcement" -> AnnouncementTests.isMade(vector);
            case "attachment" -> vector.get("expect").equals("opened");
            default -> !NOT_APPLICABLE.containsKey(vector.get("kind"));
        };
    }

    private void run(Vector vector) throws Exception {
        switch (vector.get("kind")) {
            case "seal" -> seal(vector);
            case "bundle" -> bundle(vector);
            case "announcement" -> AnnouncementTests.vector(vector);
            case "attachment" -> attachment(vector);
            case "attachment-url" -> attachmentUrl(vector);
            case "base64url" -> {
                var bytes = Base64Url.decode(vector.input());
                Check.equal(vector.get("expect"), bytes == null ? "refused" : "valid");
                if (bytes != null) {
                    var hex = HexFormat.of().formatHex(bytes);
                    Check.equal(vector.get("bytes"), hex.isEmpty() ? "-" : hex);
                }
            }
            case "json" -> Check.equal(vector.get("expect"), isJson(vector.input()) ? "valid" : "refused");
            case "safety-number" -> {
                var one = new IdentityKey(vector.bytes("one"));
                var other = new SenderKey(vector.bytes("other"));
                Check.equal(vector.get("number"), SafetyNumber.of(one, other));
                Check.equal(vector.get("number"), SafetyNumber.of(other, one));
                Check.equal(vector.get("qr"), SafetyNumber.code(one, other));
                Check.equal(SafetyNumber.Comparison.MATCH, SafetyNumber.compare(vector.get("qr"), other, one));
            }
            default -> throw new AssertionError("unknown kind");
        }
    }

    private static boolean isJson(byte[] bytes) {
        try {
            Json.parse(bytes);
            return true;
        } catch (Json.Refused refused) {
            return false;
        }
    }

    private static void seal(Vector vector) throws Exception {
        var now = Instant.ofEpochMilli(vector.number("now"));
        var protectionClass = ProtectionClass.values()[(int) vector.number("class-of-prekey") - 1];
        var recipient = Recipient.verify(vector.bytes("bundle"), now, new IdentityKey(vector.bytes("pinned")),
                new BundleId(vector.get("topic")), protectionClass, new MemoryBundlePinStore(), now);
        var sentAt = Instant.ofEpochMilli(vector.number("sent-at"));
        var expiresAt = Instant.ofEpochMilli(vector.number("expires-at"));
        var body = vector.get("body").getBytes(StandardCharsets.UTF_8);
        var message = message(Json.parse(body));
        var prepared = PreparedMessage.again(message, new MessageId(vector.get("message-id")), sentAt, expiresAt,
                Duration.ofDays(7), Message.Overflow.REFUSE);
        Check.equal(vector.get("body"), new String(prepared.body, StandardCharsets.UTF_8));
        Check.equal(0L, vector.number("flags"));
        var random = new Script(vector.bytes("ephemeral"), vector.bytes("trace"));
        var sender = new SenderIdentity(vector.bytes("sender-secret"));
        var sealed = SealedMessage.seal(prepared, recipient, sender, now.toEpochMilli(), random);
        var payload = sealed.payload(Placeholder.ofKey(vector.get("alert-loc-key")));
        Check.equal(vector.get("payload"), new String(payload, StandardCharsets.UTF_8));
    }

    /** The message of a body, through the public interface. */
    private static Message message(Object body) throws Exception {
        var members = (Map<?, ?>) body;
        var target = members.containsKey("target") ? new MessageId((String) members.get("target")) : null;
        var message = switch ((String) (members.containsKey("op") ? members.get("op") : "show")) {
            case "replace" -> Message.replacing(target);
            case "remove" -> Message.removing(target);
            default -> new Message();
        };
        for (var member : members.entrySet()) {
            var value = member.getValue();
            switch ((String) member.getKey()) {
                case "op", "target", "title-loc-args" -> {}
                case "badge" -> message.badge(((Long) value).intValue());
                case "title" -> message.title((String) value);
                case "subtitle" -> message.subtitle((String) value);
                case "body" -> message.body((String) value);
                case "title-loc-key" -> message.titleKey((String) value,
                        ((List<?>) members.get("title-loc-args")).toArray(new String[0]));
                case "subtitle-loc-key" -> message.subtitleKey((String) value);
                case "loc-key" -> message.bodyKey((String) value);
                case "thread-id" -> message.conversation((String) value);
                case "category" -> message.category((String) value);
                case "sound" -> message.sound((String) value);
                case "sound-volume" -> message.soundVolume(new BigDecimal((String) value));
                case "level" -> message.level(Message.Level.TIME_SENSITIVE);
                case "relevance-score" -> message.relevance(new BigDecimal((String) value));
                case "target-content-id" -> message.targetContent((String) value);
                case "sender" -> message.senderName((String) value);
                case "user-info" -> message.userInfo("c", "z").userInfo("b", true).userInfo("a", -1);
                case "attachments" -> {
                    for (var file : (List<?>) value) message.attachment(pointer((Map<?, ?>) file));
                }
                case "crit" -> message.critical("sound");
                default -> throw new AssertionError("a member that this test does not know");
            }
        }
        return message;
    }

    private static AttachmentPointer pointer(Map<?, ?> members) throws MessageException {
        var pointer = new AttachmentPointer(Base64Url.decode((String) members.get("id")),
                Base64Url.decode((String) members.get("key")), (Long) members.get("size"), (String) members.get("url"),
                (String) members.get("type"));
        if (members.get("name") instanceof String name) pointer.name(name);
        return members.containsKey("thumbnail") ? pointer.thumbnail() : pointer;
    }

    private static void bundle(Vector vector) throws Exception {
        var identity = new IdentityKey(vector.bytes("pinned"));
        var topic = new BundleId(vector.get("topic"));
        var pins = new MemoryBundlePinStore();
        if (vector.head().containsKey("pin")) {
            var pin = vector.get("pin").split(" ");
            pins.update(identity, topic, none -> new BundlePin(Long.parseLong(pin[0]), pin[1],
                    Integer.parseInt(pin[2]), Integer.parseInt(pin[3]), 0, 0));
        }
        var lines = vector.lines();
        for (int i = 0; i < lines.size(); i++) {
            var now = Instant.ofEpochMilli(Long.parseLong(vector.head().get("now").get(i)));
            var outcome = "valid";
            try {
                Recipient.verify(Base64Url.decode(lines.get(i)), now, identity, topic, ProtectionClass.AFTER_FIRST_UNLOCK,
                        pins, now);
            } catch (BundleException refused) {
                if (refused.refusal() != BundleException.Refusal.NO_PREKEY) outcome = refused.refusal().word();
            }
            Check.equal(vector.head().get("expect").get(i), outcome);
        }
    }

    private static void attachmentUrl(Vector vector) {
        // Malformed UTF-8 becomes a character that no URL has.
        var url = AttachmentUrl.parse(new String(vector.input(), StandardCharsets.UTF_8));
        Check.equal(vector.get("expect"), url == null ? "refused" : "valid");
        if (url == null) return;
        Check.equal(vector.get("host"), url.host());
        Check.equal(vector.get("port"), String.valueOf(url.port()));
        Check.equal(vector.get("path"), url.path());
    }

    /** Opens what is stored, seals the file again under the same salt, and compares. */
    private void attachment(Vector vector) throws Exception {
        var stored = stored(new String(vector.input(), StandardCharsets.US_ASCII));
        var key = vector.bytes("key");
        var id = vector.bytes("id");
        var salt = Arrays.copyOf(stored, 24);
        var source = folder.resolve("file");
        var target = folder.resolve("stored");
        Files.write(source, Arrays.copyOf(open(stored, key, id), (int) vector.number("size")));
        Check.equal(vector.get("file-sha256"), Base64Url.encode(Crypto.sha256(Files.readAllBytes(source))));
        SealedAttachment.seal(source, target, id, key, salt);
        Check.that(Arrays.equals(stored, Files.readAllBytes(target)));
        Check.equal((long) stored.length, AttachmentPointer.stored(vector.number("size")));
        Files.delete(target);
    }

    private static byte[] stored(String text) {
        var parts = Arrays.stream(text.split(" ")).map(part -> {
            var times = part.split("\\*");
            return HexFormat.of().parseHex(times.length == 2 ? times[0].repeat(Integer.parseInt(times[1])) : part);
        });
        return Bytes.concat(parts.toArray(byte[][]::new));
    }

    private static byte[] open(byte[] stored, byte[] key, byte[] id) throws Exception {
        var info = Bytes.concat(Bytes.ascii("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"),
                Arrays.copyOf(stored, 24), Bytes.lengthPrefixed("SealedPush/1 attachment"), id);
        var derived = Crypto.expand("HmacSHA512", key, info, 76);
        Check.that(Arrays.equals(derived, 44, 76, stored, 24, 56));
        var padded = new byte[0];
        for (int n = 0, start = 56; start < stored.length; n++, start += 16_400) {
            var nonce = Arrays.copyOfRange(derived, 32, 44);
            nonce[11] ^= (byte) n;
            var cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(derived, 0, 32, "AES"), new GCMParameterSpec(128, nonce));
            padded = Bytes.concat(padded, cipher.doFinal(stored, start, Math.min(16_400, stored.length - start)));
        }
        return padded;
    }

    /** Random source that gives out what the vector says, in that order. */
    static final class Script extends SecureRandom {
        private static final long serialVersionUID = 1;
        private final transient ArrayDeque<byte[]> values;

        Script(byte[]... values) {
            super(null, null);
            this.values = new ArrayDeque<>(List.of(values));
        }

        @Override
        public void nextBytes(byte[] bytes) {
            System.arraycopy(values.remove(), 0, bytes, 0, bytes.length);
        }
    }
}
