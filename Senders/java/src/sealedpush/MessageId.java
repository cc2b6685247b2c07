package sealedpush;

import java.security.SecureRandom;

/** Id of a message, the same for all its recipients and re-sends. */
public final class MessageId extends RandomId {
    /** Reads the text form of a stored id. */
    public MessageId(String text) {
        super(text);
    }

    MessageId(SecureRandom random) {
        super(random);
    }
}
