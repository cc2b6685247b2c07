package sealedpush;

import java.util.Arrays;

/** Public Ed25519 key, canonical and not of small order. Its role is its class. */
public abstract class VerifyingKey {
    private final byte[] bytes;

    VerifyingKey(byte[] bytes) throws KeyException {
        if (!Ed25519.isAcceptable(bytes)) throw new KeyException("not a usable Ed25519 key");
        this.bytes = bytes.clone();
    }

    /** Decodes the text form of a role; white space around it is ignored. */
    static byte[] decode(String text, String prefix) throws KeyException {
        var trimmed = text.strip();
        if (!trimmed.startsWith(prefix)) throw new KeyException("a public key that begins with " + prefix + " is needed");
        var bytes = Base64Url.decode(trimmed.substring(prefix.length()));
        if (bytes == null) throw new KeyException("not a key in base64url");
        return bytes;
    }

    abstract String prefix();

    /** The key, 32 bytes (RFC 8032). */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The text form: the role's prefix and 43 characters. */
    public String text() {
        return prefix() + Base64Url.encode(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other != null && other.getClass() == getClass() && Arrays.equals(((VerifyingKey) other).bytes, bytes);
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
