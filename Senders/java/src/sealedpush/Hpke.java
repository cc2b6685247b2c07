package sealedpush;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.interfaces.XECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.Set;
import javax.crypto.KeyAgreement;

/**
 * HPKE (RFC 9180), Base mode, single shot, without associated data: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
 * ChaCha20-Poly1305. Composed of the JDK's primitives.
 */
final class Hpke {
    private static final String HMAC = "HmacSHA256";
    private static final byte[] KEM_ID = Bytes.concat(Bytes.ascii("KEM"), new byte[] {0, 0x20});
    private static final byte[] SUITE_ID = Bytes.concat(Bytes.ascii("HPKE"), new byte[] {0, 0x20, 0, 1, 0, 3});
    private static final byte[] NONE = new byte[0];
    /** The u of the points of low order, modulo p. */
    private static final Set<BigInteger> LOW_ORDER = Set.of(
            BigInteger.ZERO, BigInteger.ONE, Ed25519.P.subtract(BigInteger.ONE),
            new BigInteger("00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0", 16),
            new BigInteger("57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5f", 16));

    record Sealed(byte[] encapsulatedKey, byte[] ciphertext) {}

    private Hpke() {}

    /** True for an X25519 key with which every shared secret would be zero. */
    static boolean isLowOrder(byte[] key) {
        return LOW_ORDER.contains(Bytes.littleEndian255(key).mod(Ed25519.P));
    }

    /**
     * Seals to a public key, with an ephemeral key of its own.
     *
     * @throws InvalidKeyException if the shared secret would be zero
     */
    static Sealed seal(byte[] recipient, byte[] info, byte[] plaintext, SecureRandom random) throws InvalidKeyException {
        var encapsulatedKey = new byte[32];
        var dh = agree(recipient, random, encapsulatedKey);
        var prk = extract(KEM_ID, NONE, "eae_prk", dh);
        var shared = expand(KEM_ID, prk, "shared_secret", Bytes.concat(encapsulatedKey, recipient), 32);
        var context = Bytes.concat(new byte[] {0}, extract(SUITE_ID, NONE, "psk_id_hash", NONE),
                extract(SUITE_ID, NONE, "info_hash", info));
        var secret = extract(SUITE_ID, shared, "secret", NONE);
        var key = expand(SUITE_ID, secret, "key", context, 32);
        // Sequence number 0: the nonce is the base nonce.
        var nonce = expand(SUITE_ID, secret, "base_nonce", context, 12);
        var ciphertext = Crypto.chaCha20Poly1305(key, nonce, plaintext);
        for (var used : new byte[][] {dh, prk, shared, secret, key, nonce}) Arrays.fill(used, (byte) 0);
        return new Sealed(encapsulatedKey, ciphertext);
    }

    private static byte[] agree(byte[] recipient, SecureRandom random, byte[] encapsulatedKey)
            throws InvalidKeyException {
        try {
            var generator = KeyPairGenerator.getInstance("X25519", Ed25519.PROVIDER);
            generator.initialize(NamedParameterSpec.X25519, random);
            var ephemeral = generator.generateKeyPair();
            var u = Bytes.littleEndian(((XECPublicKey) ephemeral.getPublic()).getU());
            System.arraycopy(u, 0, encapsulatedKey, 0, 32);
            // Bit 255 is ignored; the JDK takes u modulo p.
            var spec = new XECPublicKeySpec(NamedParameterSpec.X25519, Bytes.littleEndian255(recipient));
            var agreement = KeyAgreement.getInstance("X25519", Ed25519.PROVIDER);
            agreement.init(ephemeral.getPrivate());
            agreement.doPhase(KeyFactory.getInstance("X25519", Ed25519.PROVIDER).generatePublic(spec), true);
            var dh = agreement.generateSecret();
            if (Arrays.equals(dh, new byte[32])) throw new InvalidKeyException("low order");
            return dh;
        } catch (InvalidKeyException lowOrder) {
            throw lowOrder;
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static byte[] extract(byte[] suite, byte[] salt, String label, byte[] keyMaterial) {
        return Crypto.hmac(HMAC, salt, Bytes.ascii("HPKE-v1"), suite, Bytes.ascii(label), keyMaterial);
    }

    private static byte[] expand(byte[] suite, byte[] prk, String label, byte[] info, int byteCount) {
        var labeled = Bytes.concat(new byte[] {0, (byte) byteCount}, Bytes.ascii("HPKE-v1"), suite, Bytes.ascii(label),
                info);
        return Crypto.expand(HMAC, prk, labeled, byteCount);
    }
}
