package sealedpush;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** Base64url without padding, canonical texts only (RFC 4648 section 5). */
final class Base64Url {
    private Base64Url() {}

    static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Decodes a text of ASCII; null if it is not canonical. */
    static byte[] decode(String text) {
        return decode(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Decodes without a String, for secrets; null if the text is not canonical. */
    static byte[] decode(byte[] text) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
        // The JDK's decoder takes padding and spare bits.
        var canonical = Base64.getUrlEncoder().withoutPadding().encode(bytes);
        var isCanonical = Arrays.equals(canonical, text);
        Arrays.fill(canonical, (byte) 0);
        if (isCanonical) return bytes;
        Arrays.fill(bytes, (byte) 0);
        return null;
    }
}
