package sealedpush;

import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Signing key of a sender. Devices know a sender by this key alone: make it once and load it at every start.
 *
 * <pre>{@code
 * SenderIdentity sender;
 * try {
 *     sender = SenderIdentity.load(path);
 * } catch (FileException error) {
 *     if (error.reason() != FileException.Reason.NOT_FOUND) throw error;
 *     sender = SenderIdentity.generate();
 *     sender.save(path);
 * }
 * }</pre>
 */
public final class SenderIdentity {
    private static final String FORMAT = "sealedpush-sender-key-1";
    private static final String EXAMPLE_MARKER = "# SealedPush example key";
    private static final int FILE_BYTE_COUNT_MAX = 64 << 10;

    private final PrivateKey key;
    private final byte[] seed;
    private final SenderKey publicKey;

    /**
     * Makes the key of a seed of 32 bytes, from the caller's own secret store. The caller wipes its copy.
     *
     * @throws KeyException for another length, and for zeros
     */
    public SenderIdentity(byte[] seed) throws KeyException {
        if (seed.length != 32 || Arrays.equals(seed, new byte[32])) throw new KeyException("not a seed of 32 bytes");
        this.seed = seed.clone();
        var pair = Ed25519.keyPair(this.seed);
        key = pair.privateKey();
        publicKey = new SenderKey(pair.publicKey());
    }

    /** Makes a new key. */
    public static SenderIdentity generate() {
        var seed = new byte[32];
        new SecureRandom().nextBytes(seed);
        try {
            return new SenderIdentity(seed);
        } catch (KeyException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            Arrays.fill(seed, (byte) 0);
        }
    }

    /** Loads a key file, of {@link #save} or of {@code sealedpush keygen sender}. Others must not be able to read it. */
    public static SenderIdentity load(Path path) throws FileException {
        var bytes = PrivateFile.read(path, FILE_BYTE_COUNT_MAX);
        byte[] seed = null;
        try {
            var lines = lines(bytes);
            // The first line names the format; then there is one line, "sender SEED".
            if (startsWith(bytes, EXAMPLE_MARKER)) throw new FileException(FileException.Reason.EXAMPLE_KEY, path);
            if (lines.size() == 2 && Arrays.equals(lines.get(0), Bytes.ascii(FORMAT))
                    && startsWith(lines.get(1), "sender ")) {
                seed = Base64Url.decode(Arrays.copyOfRange(lines.get(1), 7, lines.get(1).length));
            }
            for (var line : lines) Arrays.fill(line, (byte) 0);
            if (seed == null) throw new FileException(FileException.Reason.MALFORMED, path);
            return new SenderIdentity(seed);
        } catch (KeyException notASeed) {
            throw new FileException(FileException.Reason.MALFORMED, path);
        } finally {
            Arrays.fill(bytes, (byte) 0);
            if (seed != null) Arrays.fill(seed, (byte) 0);
        }
    }

    /** Lines without comments and empty ones; as bytes, since a String cannot be wiped. */
    private static List<byte[]> lines(byte[] bytes) {
        var lines = new ArrayList<byte[]>();
        for (int start = 0, end; start < bytes.length; start = end + 1) {
            end = start;
            while (end < bytes.length && bytes[end] != '\n') end++;
            if (end > start && bytes[start] != '#') lines.add(Arrays.copyOfRange(bytes, start, end));
        }
        return lines;
    }

    private static boolean startsWith(byte[] bytes, String text) {
        return bytes.length >= text.length() && Arrays.equals(Arrays.copyOf(bytes, text.length()), Bytes.ascii(text));
    }

    /** Creates a key file of mode 0600. A file that is there stays as it is, and the error is {@code EXISTS}. */
    public void save(Path path) throws FileException {
        var text = java.util.Base64.getUrlEncoder().withoutPadding().encode(seed);
        var bytes = Bytes.concat(Bytes.ascii(FORMAT + "\nsender "), text, Bytes.ascii("\n"));
        try {
            PrivateFile.create(path, bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
            Arrays.fill(text, (byte) 0);
        }
    }

    /** Copies the seed, for the caller's own secret store. The caller wipes it. */
    public byte[] seed() {
        return seed.clone();
    }

    /** The public key; the app adds its text to the devices' contacts. */
    public SenderKey publicKey() {
        return publicKey;
    }

    /** Seals a prepared message for a device, for the first time or again, by the system's clock. */
    public SealedMessage seal(PreparedMessage message, Recipient recipient) throws MessageException {
        return seal(message, recipient, Instant.now());
    }

    /**
     * Seals a prepared message for a device, with an encapsulation, a signature and a trace of its own.
     *
     * @param now the sender's clock; an expired message or prekey is refused
     */
    public SealedMessage seal(PreparedMessage message, Recipient recipient, Instant now) throws MessageException {
        return SealedMessage.seal(message, recipient, this, now.toEpochMilli(), new SecureRandom());
    }

    /** Announces now that another key takes this one's place. */
    public Announcement announceSuccessor(SenderIdentity successor, BundleId topic) throws AnnouncementException {
        return announceSuccessor(successor, topic, Instant.now());
    }

    /**
     * Announces that another key takes this one's place; both sign. Never announce a second one: devices keep the first.
     *
     * @param successor saved already, as a sender that loses it has no key; seal under it when the devices' apps have run
     * @param topic the app's; each app needs an announcement of its own
     * @param now the sender's clock
     */
    public Announcement announceSuccessor(SenderIdentity successor, BundleId topic, Instant now)
            throws AnnouncementException {
        return Announcement.ofSuccessor(this, successor, topic, now);
    }

    /** Announces now that this key is over. */
    public Announcement announceRevocation(BundleId topic) throws AnnouncementException {
        return announceRevocation(topic, Instant.now());
    }

    /**
     * Announces that this key is over. Devices that have it show nothing under this key, whenever it was sealed.
     *
     * @param now the sender's clock
     */
    public Announcement announceRevocation(BundleId topic, Instant now) throws AnnouncementException {
        return Announcement.ofRevocation(this, topic, now);
    }

    byte[] sign(byte[] message) {
        return Ed25519.sign(key, message);
    }
}
