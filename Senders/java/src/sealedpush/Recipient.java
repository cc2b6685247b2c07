package sealedpush;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

import sealedpush.BundleException.Refusal;

/** A device that messages can be sealed for: its prekey, from a bundle that was checked against identity and pin. */
public final class Recipient {
    /** Age at which a copy of a bundle is to be fetched anew. */
    public static final Duration COPY_AGE_MAX = Duration.ofDays(7);

    private final IdentityKey identity;
    private final BundleId topic;
    private final KeyBundle.Entry prekey;
    private final Instant issuedAt;
    private final Instant fetchedAt;

    private Recipient(IdentityKey identity, BundleId topic, KeyBundle.Entry prekey, BundlePin pin) {
        this.identity = identity;
        this.topic = topic;
        this.prekey = prekey;
        issuedAt = Instant.ofEpochMilli(pin.issuedAt());
        fetchedAt = Instant.ofEpochMilli(pin.fetchedAt());
    }

    /** Checks a bundle that was fetched now, for prekeys of class 1, by the system's clock. */
    public static Recipient verify(byte[] bundle, IdentityKey identity, BundleId topic, BundlePinStore pins)
            throws BundleException, FileException {
        var now = Instant.now();
        return verify(bundle, now, identity, topic, ProtectionClass.AFTER_FIRST_UNLOCK, pins, now);
    }

    /**
     * Checks a bundle, and updates the pin. A refused bundle changes nothing.
     *
     * @param fetchedAt the sender's time of the fetch; of a cached copy, when the cache was filled
     * @param identity pinned through the app's own channel: a changed one is a new contact, never a new bundle
     * @param topic the app's bundle id, a constant
     * @param protectionClass a constant of the app; a bundle without it is refused
     */
    public static Recipient verify(byte[] bundle, Instant fetchedAt, IdentityKey identity, BundleId topic,
            ProtectionClass protectionClass, BundlePinStore pins, Instant now) throws BundleException, FileException {
        // Before the store is locked: a signature takes its time.
        var checked = new KeyBundle(bundle, identity, topic);
        var kept = new BundlePin[1];
        pins.update(identity, topic, pin -> {
            checked.check(pin, now.toEpochMilli());
            kept[0] = checked.pin(pin, fetchedAt.toEpochMilli(), now.toEpochMilli());
            return pin != null && !pin.isOutdatedBy(kept[0]) ? pin : kept[0];
        });
        var prekey = checked.entries.stream().filter(entry -> entry.protectionClass() == protectionClass).findFirst()
                .orElseThrow(() -> new BundleException(Refusal.NO_PREKEY));
        return new Recipient(identity, topic, prekey, kept[0]);
    }

    /** The pinned identity. */
    public IdentityKey identity() {
        return identity;
    }

    /** The device's time of its bundle. An age of weeks is the one sign of a relay that holds a sender on old keys. */
    public Instant issuedAt() {
        return issuedAt;
    }

    /** End of the prekey: nothing is sealed after it. */
    public Instant notAfter() {
        return Instant.ofEpochMilli(prekey.notAfter());
    }

    /** True if the bundle is to be fetched anew: it was fetched 7 days ago, or in the future. */
    public boolean needsRefresh(Instant now) {
        return now.isBefore(fetchedAt) || !now.isBefore(fetchedAt.plus(COPY_AGE_MAX));
    }

    BundleId topic() {
        return topic;
    }

    byte[] prekey() {
        return prekey.key();
    }

    /** Version, suite and prekey id, 10 bytes. */
    byte[] header() {
        return Bytes.concat(new byte[] {1, 1}, Arrays.copyOf(fingerprint(), 8));
    }

    /** HPKE's {@code info}. */
    byte[] info() {
        return Bytes.concat(Bytes.lengthPrefixed("SealedPush/1"), header(), Bytes.lengthPrefixed(topic.text()),
                identity.bytes(), fingerprint());
    }

    private byte[] fingerprint() {
        var suiteAndClass = new byte[] {1, (byte) (prekey.protectionClass().ordinal() + 1)};
        return Crypto.sha256(Bytes.lengthPrefixed("SealedPush/1 prekey"), suiteAndClass, identity.bytes(), prekey.key());
    }
}
