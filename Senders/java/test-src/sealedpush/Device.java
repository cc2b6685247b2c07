package sealedpush;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.interfaces.XECPublicKey;

/** Device of the tests: an identity, and bundles under it. */
final class Device {
    static final BundleId TOPIC = new BundleId("com.example.chat");
    static final long NOW = 1_800_000_000_000L;
    private final Ed25519.KeyPair keys;
    private final long now;
    final IdentityKey identity;

    Device(int seed) {
        this(seed, NOW);
    }

    /** A device whose clock shows another time than the tests'. */
    Device(int seed, long now) {
        this.now = now;
        var bytes = new byte[32];
        bytes[0] = (byte) seed;
        keys = Ed25519.keyPair(bytes);
        try {
            identity = new IdentityKey(keys.publicKey());
        } catch (KeyException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A valid bundle with a new prekey of class 1. */
    byte[] bundle(long epoch) {
        return bundle(epoch, 1, newKey());
    }

    byte[] bundle(long epoch, int protectionClass, byte[] key) {
        return signed(Bytes.concat(new byte[] {1}, identity.bytes(), Bytes.u64(epoch), Bytes.u64(now),
                Bytes.lengthPrefixed(TOPIC.text()), new byte[] {1, 1, (byte) protectionClass}, Bytes.u64(now),
                Bytes.u64(now + 86_400_000), key));
    }

    byte[] signed(byte[] content) {
        var signature = Ed25519.sign(keys.privateKey(),
                Bytes.concat(Bytes.lengthPrefixed("SealedPush/1 bundle"), content));
        return Bytes.concat(content, signature);
    }

    static byte[] newKey() {
        try {
            var key = (XECPublicKey) KeyPairGenerator.getInstance("X25519").generateKeyPair().getPublic();
            return Bytes.littleEndian(key.getU());
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }

    Recipient recipient() {
        try {
            return recipient(bundle(1), new MemoryBundlePinStore());
        } catch (SealedPushException impossible) {
            throw new AssertionError(impossible);
        }
    }

    Recipient recipient(byte[] bundle, BundlePinStore pins) throws BundleException, FileException {
        var now = java.time.Instant.ofEpochMilli(NOW);
        return Recipient.verify(bundle, now, identity, TOPIC, ProtectionClass.AFTER_FIRST_UNLOCK, pins, now);
    }
}
