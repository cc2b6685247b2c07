package sealedpush;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a sender keeps of a device's newest bundle (docs/protocol.md, section 16).
 *
 * @param epoch highest that was seen
 * @param digest SHA-256 of that bundle with its signature, in base64url
 * @param suiteOfClass1 highest suite that was seen after the first unlock; 0 for none
 * @param suiteOfClass2 the same of prekeys for the unlocked device
 * @param issuedAt the device's time of the bundle, in milliseconds since 1970
 * @param fetchedAt the sender's time of the fetch, in milliseconds since 1970
 */
public record BundlePin(
        long epoch, String digest, int suiteOfClass1, int suiteOfClass2, long issuedAt, long fetchedAt) {
    /** Least change of {@code fetchedAt} that is worth a write. */
    private static final long FETCHED_AT_STEP = 3_600_000;

    BundlePin withoutSuites() {
        return new BundlePin(epoch, digest, 0, 0, issuedAt, fetchedAt);
    }

    /** True if {@code newer}, of the same device, must be stored. */
    boolean isOutdatedBy(BundlePin newer) {
        var same = new BundlePin(epoch, digest, suiteOfClass1, suiteOfClass2, newer.issuedAt, newer.fetchedAt);
        return !same.equals(newer) || newer.fetchedAt < fetchedAt || newer.fetchedAt >= fetchedAt + FETCHED_AT_STEP;
    }

    /**
     * Encodes a pin for a database or file, as the Swift sender does: "SPP1", identity, topic, pin, and a check against
     * accidents.
     */
    public byte[] encoded(IdentityKey identity, BundleId topic) {
        var bytes = Bytes.concat(head(identity, topic), Bytes.u64(epoch), Base64Url.decode(digest),
                new byte[] {(byte) suiteOfClass1, (byte) suiteOfClass2}, Bytes.u64(issuedAt), Bytes.u64(fetchedAt));
        return Bytes.concat(bytes, check(bytes));
    }

    /** Decodes a pin of this device and app; null for any other bytes. */
    public static BundlePin decode(byte[] bytes, IdentityKey identity, BundleId topic) {
        var head = head(identity, topic);
        if (bytes.length != head.length + 8 + 32 + 2 + 16 + 8) return null;
        var content = Arrays.copyOf(bytes, bytes.length - 8);
        if (!Arrays.equals(check(content), Arrays.copyOfRange(bytes, content.length, bytes.length))) return null;
        if (!Arrays.equals(Arrays.copyOf(bytes, head.length), head)) return null;
        var reader = ByteBuffer.wrap(content, head.length, content.length - head.length);
        var epoch = reader.getLong();
        var digest = new byte[32];
        reader.get(digest);
        return new BundlePin(epoch, Base64Url.encode(digest), reader.get() & 0xFF, reader.get() & 0xFF,
                reader.getLong(), reader.getLong());
    }

    private static byte[] head(IdentityKey identity, BundleId topic) {
        return Bytes.concat(Bytes.ascii("SPP1"), identity.bytes(), Bytes.lengthPrefixed(topic.text()));
    }

    private static byte[] check(byte[] content) {
        return Arrays.copyOf(Crypto.sha256(content), 8);
    }
}
