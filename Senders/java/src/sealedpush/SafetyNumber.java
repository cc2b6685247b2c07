package sealedpush;

import java.util.Arrays;

/** Number and code that two people compare to be sure that nobody is in between (docs/protocol.md, section 17). */
public final class SafetyNumber {
    private static final int HASH_COUNT = 5_200;
    private static final byte[] MARK = Bytes.ascii("SPS1");

    /** Result of a scan. */
    public enum Comparison {
        /** The same two keys. */
        MATCH,
        /** Other keys: a third party may be in between. */
        MISMATCH,
        /** No safety code; nothing was compared. */
        NOT_A_CODE
    }

    private SafetyNumber() {}

    /** Twelve groups of five digits with spaces between. Costs 10,400 hashes on purpose; either order of the keys. */
    public static String of(VerifyingKey one, VerifyingKey other) {
        var a = groups(one.bytes());
        var b = groups(other.bytes());
        return a.compareTo(b) <= 0 ? a + " " + b : b + " " + a;
    }

    private static String groups(byte[] key) {
        var digest = Crypto.sha512(Bytes.lengthPrefixed("SealedPush/1 safety"), key);
        for (int i = 1; i < HASH_COUNT; i++) digest = Crypto.sha512(digest, key);
        var groups = new String[6];
        for (int i = 0; i < groups.length; i++) {
            long number = 0;
            for (int j = 0; j < 5; j++) number = number << 8 | digest[5 * i + j] & 0xFF;
            groups[i] = "%05d".formatted(number % 100_000);
        }
        return String.join(" ", groups);
    }

    /** Text of the QR code, 91 characters; either order of the keys. */
    public static String code(VerifyingKey one, VerifyingKey other) {
        var isInOrder = Arrays.compareUnsigned(one.bytes(), other.bytes()) <= 0;
        return Base64Url.encode(isInOrder ? Bytes.concat(MARK, one.bytes(), other.bytes())
                : Bytes.concat(MARK, other.bytes(), one.bytes()));
    }

    /** Compares a scanned text with the code of two keys. */
    public static Comparison compare(String scanned, VerifyingKey one, VerifyingKey other) {
        var bytes = scanned.length() == 91 ? Base64Url.decode(scanned) : null;
        if (bytes == null || !Arrays.equals(Arrays.copyOf(bytes, 4), MARK)
                || Arrays.compareUnsigned(bytes, 4, 36, bytes, 36, 68) > 0) {
            return Comparison.NOT_A_CODE;
        }
        return scanned.equals(code(one, other)) ? Comparison.MATCH : Comparison.MISMATCH;
    }
}
