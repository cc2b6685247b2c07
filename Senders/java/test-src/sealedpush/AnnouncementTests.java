package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.refuses;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import sealedpush.AnnouncementException.Reason;

/** Announcements of a sender: both kinds, what is not made, and the vectors' bytes. */
final class AnnouncementTests {
    private static final Instant NOW = Instant.ofEpochMilli(Device.NOW);
    private static final BundleId TOPIC = Device.TOPIC;

    private AnnouncementTests() {}

    static void run(Path folder) {
        test("both keys sign a successor, and the old one a revocation", () -> {
            var old = SenderIdentity.generate();
            var next = SenderIdentity.generate();
            var successor = old.announceSuccessor(next, TOPIC, NOW).bytes();
            equal(203 + 16, successor.length);
            signed(old, successor);
            signed(next, Arrays.copyOf(successor, successor.length - 64));
            var revocation = old.announceRevocation(TOPIC, NOW).bytes();
            equal(107 + 16, revocation.length);
            signed(old, revocation);
        });
        test("an announcement that no device would take is not made", () -> {
            var old = SenderIdentity.generate();
            var next = SenderIdentity.generate();
            refused(Reason.SAME_KEY, () -> old.announceSuccessor(old, TOPIC, NOW));
            // The same key from another file is the same key.
            refused(Reason.SAME_KEY, () -> old.announceSuccessor(new SenderIdentity(old.seed()), TOPIC, NOW));
            for (var time : new Instant[] {Instant.ofEpochMilli(-1), Instant.ofEpochMilli(KeyBundle.TIME_END),
                Instant.MIN, Instant.MAX}) {
                refused(Reason.TIME, () -> old.announceSuccessor(next, TOPIC, time));
                refused(Reason.TIME, () -> old.announceRevocation(TOPIC, time));
            }
            old.announceSuccessor(next, TOPIC, Instant.ofEpochMilli(KeyBundle.TIME_END - 1));
            old.announceRevocation(TOPIC, Instant.EPOCH);
        });
        test("an announcement is dated now, and its text is base64url", () -> {
            var before = System.currentTimeMillis();
            for (var made : new Announcement[] {SenderIdentity.generate().announceRevocation(TOPIC),
                SenderIdentity.generate().announceSuccessor(SenderIdentity.generate(), TOPIC)}) {
                var announcedAt = ByteBuffer.wrap(made.bytes()).getLong(34);
                that(before <= announcedAt && announcedAt <= System.currentTimeMillis());
                equal(made.bytes(), Base64Url.decode(made.text()));
                made.bytes()[0] ^= 1;
                equal((byte) 1, made.bytes()[0]);
            }
        });
        test("the README's new key is saved before it is announced", () -> {
            var old = SenderIdentity.generate();
            var path = folder.resolve("next.key");
            var announced = howto.NewKey.announce(old, path, TOPIC).bytes();
            equal(SenderIdentity.load(path).publicKey().bytes(), Arrays.copyOfRange(announced, 59, 91));
            var before = Files.readAllBytes(path);
            Check.file(FileException.Reason.EXISTS, () -> howto.NewKey.announce(old, path, TOPIC));
            equal(before, Files.readAllBytes(path));
        });
    }

    private static void refused(Reason reason, Check.Body body) {
        equal(reason, refuses(AnnouncementException.class, body).reason());
    }

    private static void signed(SenderIdentity key, byte[] bytes) {
        var content = Arrays.copyOf(bytes, bytes.length - 64);
        that(Ed25519.isValid(Arrays.copyOfRange(bytes, content.length, bytes.length),
                Bytes.concat(Bytes.lengthPrefixed("SealedPush/1 sender"), content), key.publicKey().bytes()));
    }

    // The vectors

    private static final Set<String> NEVER_MADE = Set.of("malformed", "unsupported", "bad-signature");

    /** True if a sender makes all of a vector's announcements. */
    static boolean isMade(Vector vector) {
        return vector.head().get("expect").stream().noneMatch(NEVER_MADE::contains);
    }

    /** Makes each input once more, from the seeds of its keys, and compares all bytes. */
    static void vector(Vector vector) throws Exception {
        var keys = new HashMap<SenderKey, SenderIdentity>();
        var seeds = seeds(vector.name().replace(".txt", ""));
        // The scenes about several keys use two more of the vector "replayed".
        var more = seeds("announcement-replayed");
        for (var seed : new byte[][] {seeds[2], seeds[3], more[4], more[5]}) {
            var key = new SenderIdentity(seed);
            keys.put(key.publicKey(), key);
        }
        for (var line : vector.lines()) equal(line, again(Base64Url.decode(line), keys).text());
    }

    private static Announcement again(byte[] expected, Map<SenderKey, SenderIdentity> keys) throws Exception {
        var topicEnd = 43 + expected[42];
        var topic = new BundleId(new String(expected, 43, topicEnd - 43, StandardCharsets.US_ASCII));
        var announcedAt = Instant.ofEpochMilli(ByteBuffer.wrap(expected).getLong(34));
        var sender = keys.get(new SenderKey(Arrays.copyOfRange(expected, 2, 34)));
        if (expected[1] == 2) return sender.announceRevocation(topic, announcedAt);
        var successor = keys.get(new SenderKey(Arrays.copyOfRange(expected, topicEnd, topicEnd + 32)));
        return sender.announceSuccessor(successor, topic, announcedAt);
    }

    /**
     * The secrets behind a vector, of 32 bytes each: identity, prekey, sender, successor, two more. The vectors draw them
     * by SplitMix64 from the vector's name (Tests/Conformance/VectorKit/Making/Actors.swift).
     */
    private static byte[][] seeds(String name) {
        var state = ByteBuffer.wrap(Crypto.sha256(Bytes.ascii(name))).getLong();
        var seeds = new byte[6][32];
        for (var seed : seeds) {
            for (int i = 0; i < seed.length; i++) {
                state += 0x9E3779B97F4A7C15L;
                var mixed = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
                mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
                seed[i] = (byte) (mixed ^ mixed >>> 31);
            }
        }
        return seeds;
    }
}
