package sealedpush;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import sealedpush.BundleException.Refusal;

/** A device's prekeys with their dates, signed by its identity (docs/protocol.md, section 3). */
final class KeyBundle {
    static final long CLOCK_SKEW_MAX = 5 * 60_000;
    static final long TIME_END = 1L << 53;
    private static final long VALIDITY_MAX = 60L * 86_400_000;
    private static final int BYTE_COUNT_MAX = 2_838;

    /** A prekey of suite 1. Times are milliseconds since 1970; unsigned ones beyond a long are negative. */
    record Entry(ProtectionClass protectionClass, long notBefore, long notAfter, byte[] key) {}

    final long epoch;
    final long issuedAt;
    final List<Entry> entries = new ArrayList<>();
    private final byte[] bytes;

    /** Steps 1 to 6, which need neither clock nor pin. */
    KeyBundle(byte[] bytes, IdentityKey identity, BundleId topic) throws BundleException {
        require(bytes.length <= BYTE_COUNT_MAX, Refusal.MALFORMED);
        this.bytes = bytes.clone();
        var reader = ByteBuffer.wrap(this.bytes);
        try {
            require(reader.get() == 1, Refusal.UNSUPPORTED_VERSION);
            require(Arrays.equals(take(reader, 32), identity.bytes()), Refusal.OTHER_IDENTITY);
            epoch = reader.getLong();
            issuedAt = reader.getLong();
            require(Arrays.equals(take(reader, reader.get() & 0xFF), Bytes.ascii(topic.text())), Refusal.OTHER_TOPIC);
            int count = reader.get();
            require(count >= 1 && count <= 4, Refusal.MALFORMED);
            for (int i = 0; i < count; i++) entries.add(entry(reader));
            require(reader.remaining() == 64, Refusal.MALFORMED);
        } catch (BufferUnderflowException tooShort) {
            throw new BundleException(Refusal.MALFORMED);
        }
        var signed = Arrays.copyOf(bytes, reader.position());
        var isSigned = Ed25519.isValid(take(reader, 64),
                Bytes.concat(Bytes.lengthPrefixed("SealedPush/1 bundle"), signed), identity.bytes());
        require(isSigned, Refusal.BAD_SIGNATURE);
        // All entries are of suite 1.
        for (int i = 1; i < entries.size(); i++) {
            var isAscending = entries.get(i - 1).protectionClass.compareTo(entries.get(i).protectionClass) < 0;
            require(isAscending, Refusal.MALFORMED);
        }
        require(issuedAt >= 0 && issuedAt < TIME_END, Refusal.MALFORMED);
    }

    private static Entry entry(ByteBuffer reader) throws BundleException {
        require(reader.remaining() >= 18, Refusal.MALFORMED);
        int suite = reader.get();
        int protectionClass = reader.get();
        require(protectionClass == 1 || protectionClass == 2, Refusal.MALFORMED);
        require(suite == 1, Refusal.UNSUPPORTED_SUITE);
        return new Entry(ProtectionClass.values()[protectionClass - 1], reader.getLong(), reader.getLong(),
                take(reader, 32));
    }

    /** Steps 7 to 10, against the clock and the pin, which may be null. */
    void check(BundlePin pin, long now) throws BundleException {
        // Times are unsigned: a negative one is far in the future.
        require(epoch >= 0 && epoch <= now + CLOCK_SKEW_MAX, Refusal.NOT_YET_VALID);
        if (pin != null) {
            require(Long.compareUnsigned(epoch, pin.epoch()) >= 0, Refusal.ROLLED_BACK);
            require(epoch != pin.epoch() || digest().equals(pin.digest()), Refusal.EQUIVOCATION);
            for (var entry : entries) {
                var pinned = entry.protectionClass == ProtectionClass.UNLOCKED
                        ? pin.suiteOfClass2() : pin.suiteOfClass1();
                require(pinned <= 1, Refusal.SUITE_DOWNGRADE);
            }
        }
        for (var entry : entries) {
            require(entry.notAfter >= 0 && entry.notAfter < TIME_END, Refusal.VALIDITY_TOO_LONG);
            require(entry.notBefore >= 0 && entry.notBefore <= entry.notAfter, Refusal.VALIDITY_TOO_LONG);
            require(entry.notAfter - entry.notBefore <= VALIDITY_MAX, Refusal.VALIDITY_TOO_LONG);
            require(entry.notBefore <= now + CLOCK_SKEW_MAX, Refusal.NOT_YET_VALID);
            require(now <= entry.notAfter, Refusal.EXPIRED);
        }
        for (var entry : entries) require(!Hpke.isLowOrder(entry.key), Refusal.LOW_ORDER_PREKEY);
    }

    /** The pin after a check; the suites are the highest ever seen. */
    BundlePin pin(BundlePin old, long fetchedAt, long now) {
        var fetched = Math.min(fetchedAt, now);
        // An older copy of the same bytes makes them no older; a time in the future is a clock's error.
        if (old != null && old.digest().equals(digest()) && old.fetchedAt() <= now) {
            fetched = Math.max(fetched, old.fetchedAt());
        }
        var suites = new int[] {old == null ? 0 : old.suiteOfClass1(), old == null ? 0 : old.suiteOfClass2()};
        for (var entry : entries) {
            var index = entry.protectionClass.ordinal();
            suites[index] = Math.max(suites[index], 1);
        }
        return new BundlePin(epoch, digest(), suites[0], suites[1], issuedAt, fetched);
    }

    private String digest() {
        return Base64Url.encode(Crypto.sha256(bytes));
    }

    private static byte[] take(ByteBuffer reader, int count) {
        var bytes = new byte[count];
        reader.get(bytes);
        return bytes;
    }

    private static void require(boolean holds, Refusal refusal) throws BundleException {
        if (!holds) throw new BundleException(refusal);
    }
}
