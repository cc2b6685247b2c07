package sealedpush;

import java.security.SecureRandom;
import java.util.Arrays;

/** Name of 16 random bytes, 22 characters of base64url as text. Not printed by {@code toString}. */
public abstract class RandomId {
    private final byte[] bytes;

    RandomId(SecureRandom random) {
        bytes = new byte[16];
        random.nextBytes(bytes);
    }

    RandomId(String text) {
        var decoded = Base64Url.decode(text);
        if (decoded == null || decoded.length != 16) throw new IllegalArgumentException("not 22 characters of base64url");
        bytes = decoded;
    }

    /** The text form, 22 characters. */
    public String text() {
        return Base64Url.encode(bytes);
    }

    byte[] bytes() {
        return bytes.clone();
    }

    /** Compares ids of one kind. */
    @Override
    public boolean equals(Object other) {
        return other != null && other.getClass() == getClass() && Arrays.equals(((RandomId) other).bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
