package sealedpush;

/** Public key of a sender, which devices know as a contact. */
public final class SenderKey extends VerifyingKey {
    private static final String PREFIX = "sealedpush-sender-1:";

    /** Checks 32 bytes. */
    public SenderKey(byte[] bytes) throws KeyException {
        super(bytes);
    }

    /** Reads the text form, as in the file {@code sender.pub}. */
    public SenderKey(String text) throws KeyException {
        this(decode(text, PREFIX));
    }

    @Override
    String prefix() {
        return PREFIX;
    }
}
