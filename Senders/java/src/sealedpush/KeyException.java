package sealedpush;

/** Refusal of a public key's text or bytes. */
public final class KeyException extends SealedPushException {
    private static final long serialVersionUID = 1;

    KeyException(String message) {
        super(message);
    }
}
