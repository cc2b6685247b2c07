package sealedpush;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.Set;

/** The JDK's Ed25519 (RFC 8032), with the checks of docs/protocol.md, section 2, in front of it. */
final class Ed25519 {
    /** The JDK's own, also where another provider stands before it: keys of others have other classes. */
    static final String PROVIDER = "SunEC";
    static final BigInteger P = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
    private static final BigInteger ORDER =
            BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
    /** The y of the eight points of small order; 0 and the last two belong to two points each. */
    private static final Set<BigInteger> SMALL_ORDER = Set.of(
            BigInteger.ZERO, BigInteger.ONE, P.subtract(BigInteger.ONE),
            new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16),
            new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16));

    record KeyPair(PrivateKey privateKey, byte[] publicKey) {
        @Override
        public String toString() {
            return "KeyPair";
        }
    }

    private Ed25519() {}

    /** Makes the key pair of a seed of 32 bytes. */
    static KeyPair keyPair(byte[] seed) {
        try {
            // The JDK computes a public key only while it generates a pair, of which the random bytes are the seed.
            var generator = KeyPairGenerator.getInstance("Ed25519", PROVIDER);
            generator.initialize(NamedParameterSpec.ED25519, new FixedRandom(seed));
            var pair = generator.generateKeyPair();
            var made = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElse(new byte[0]);
            var isSeed = Arrays.equals(made, seed);
            Arrays.fill(made, (byte) 0);
            if (!isSeed) throw new IllegalStateException("the JDK's Ed25519 generator does not use the seed");
            var point = ((EdECPublicKey) pair.getPublic()).getPoint();
            var publicKey = Bytes.littleEndian(point.getY());
            if (point.isXOdd()) publicKey[31] |= (byte) 0x80;
            return new KeyPair(pair.getPrivate(), publicKey);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    static byte[] sign(PrivateKey key, byte[] message) {
        try {
            var signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(message);
            return signature.sign();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** True for 32 bytes that are a canonical encoding, and not one of small order. */
    static boolean isAcceptable(byte[] point) {
        if (point.length != 32) return false;
        var y = Bytes.littleEndian255(point);
        return y.compareTo(P) < 0 && !SMALL_ORDER.contains(y);
    }

    /** Verifies as the protocol wants it: S below the order, A and R acceptable, then without the cofactor. */
    static boolean isValid(byte[] signature, byte[] message, byte[] publicKey) {
        if (signature.length != 64 || !isAcceptable(publicKey)) return false;
        var s = new BigInteger(1, Bytes.reversed(Arrays.copyOfRange(signature, 32, 64)));
        if (s.compareTo(ORDER) >= 0 || !isAcceptable(Arrays.copyOf(signature, 32))) return false;
        try {
            var point = new EdECPoint(publicKey[31] < 0, Bytes.littleEndian255(publicKey));
            var key = KeyFactory.getInstance("Ed25519")
                    .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point));
            var verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(key);
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException notAPoint) {
            return false;
        }
    }

    /** Random source that gives out one value. */
    private static final class FixedRandom extends SecureRandom {
        private static final long serialVersionUID = 1;
        private final transient byte[] value;

        FixedRandom(byte[] value) {
            super(null, null);
            this.value = value;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            if (bytes.length != value.length) throw new IllegalStateException("not the length of a seed");
            System.arraycopy(value, 0, bytes, 0, bytes.length);
        }
    }
}
