package sealedpush;

/** Identity of a device, which signs its bundles. Pinned from the app's own authenticated channel, never the relay. */
public final class IdentityKey extends VerifyingKey {
    private static final String PREFIX = "sealedpush-identity-1:";

    /** Checks 32 bytes. */
    public IdentityKey(byte[] bytes) throws KeyException {
        super(bytes);
    }

    /** Reads the text form, as in the file {@code identity.pub}. */
    public IdentityKey(String text) throws KeyException {
        this(decode(text, PREFIX));
    }

    @Override
    String prefix() {
        return PREFIX;
    }
}
