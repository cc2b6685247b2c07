package sealedpush;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The JDK's digests, HKDF (RFC 5869) of its HMAC, and its AEADs. */
final class Crypto {
    private Crypto() {}

    static byte[] sha256(byte[]... parts) {
        return digest("SHA-256", parts);
    }

    static byte[] sha512(byte[]... parts) {
        return digest("SHA-512", parts);
    }

    private static byte[] digest(String name, byte[]... parts) {
        try {
            var digest = MessageDigest.getInstance(name);
            for (var part : parts) digest.update(part);
            return digest.digest();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** HMAC, and HKDF-Extract with {@code key} as the salt. An empty key counts as zeros, as RFC 2104 pads it. */
    static byte[] hmac(String name, byte[] key, byte[]... parts) {
        try {
            var mac = Mac.getInstance(name);
            mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, name));
            for (var part : parts) mac.update(part);
            return mac.doFinal();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** HKDF-Expand of {@code byteCount} bytes, 255 blocks at most. */
    static byte[] expand(String name, byte[] key, byte[] info, int byteCount) {
        var out = new byte[byteCount];
        var block = new byte[0];
        for (int done = 0, n = 1; done < byteCount; n++) {
            block = hmac(name, key, block, info, new byte[] {(byte) n});
            var count = Math.min(block.length, byteCount - done);
            System.arraycopy(block, 0, out, done, count);
            done += count;
        }
        Arrays.fill(block, (byte) 0);
        return out;
    }

    /** Encrypts under a key and nonce that are used once, without associated data. */
    static byte[] chaCha20Poly1305(byte[] key, byte[] nonce, byte[] plaintext) {
        try {
            var cipher = Cipher.getInstance("ChaCha20-Poly1305");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "ChaCha20"), new IvParameterSpec(nonce));
            return cipher.doFinal(plaintext);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** Encrypts the first {@code count} bytes with AES-256-GCM under a nonce that is used once. */
    static byte[] aesGcm(SecretKeySpec key, byte[] nonce, byte[] plaintext, int count) {
        try {
            var cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
            return cipher.doFinal(plaintext, 0, count);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
