package sealedpush;

import java.time.Instant;
import java.util.Arrays;

/**
 * Signed statement of a sender that its key is replaced or revoked (docs/protocol.md, section 22).
 *
 * <p>It is public. A back end keeps all of them, and the app hands them to its device at each launch, the oldest first.
 * {@link SenderIdentity} makes it.
 */
public final class Announcement {
    private static final byte VERSION = 1;
    private static final byte SUCCESSOR = 1;
    private static final byte REVOCATION = 2;

    private final byte[] bytes;

    private Announcement(byte[] bytes) {
        this.bytes = bytes;
    }

    static Announcement ofSuccessor(SenderIdentity sender, SenderIdentity successor, BundleId topic, Instant at)
            throws AnnouncementException {
        if (successor.publicKey().equals(sender.publicKey())) {
            throw new AnnouncementException(AnnouncementException.Reason.SAME_KEY);
        }
        var content = Bytes.concat(head(SUCCESSOR, sender, topic, at), successor.publicKey().bytes());
        return new Announcement(signed(sender, signed(successor, content)));
    }

    static Announcement ofRevocation(SenderIdentity sender, BundleId topic, Instant at) throws AnnouncementException {
        return new Announcement(signed(sender, head(REVOCATION, sender, topic, at)));
    }

    /** Makes what both kinds begin with. */
    private static byte[] head(byte kind, SenderIdentity sender, BundleId topic, Instant at) throws AnnouncementException {
        return Bytes.concat(new byte[] {VERSION, kind}, sender.publicKey().bytes(), Bytes.u64(milliseconds(at)),
                Bytes.lengthPrefixed(topic.text()));
    }

    private static long milliseconds(Instant at) throws AnnouncementException {
        if (at.isBefore(Instant.EPOCH) || !at.isBefore(Instant.ofEpochMilli(KeyBundle.TIME_END))) {
            throw new AnnouncementException(AnnouncementException.Reason.TIME);
        }
        return at.toEpochMilli();
    }

    /** Appends a key's signature of all bytes before it. */
    private static byte[] signed(SenderIdentity key, byte[] content) {
        return Bytes.concat(content, key.sign(Bytes.concat(Bytes.lengthPrefixed("SealedPush/1 sender"), content)));
    }

    /** The bytes, 203 and the topic's for a successor, 107 and the topic's for a revocation. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The bytes in base64url. */
    public String text() {
        return Base64Url.encode(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Announcement announcement && Arrays.equals(announcement.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return text();
    }
}
