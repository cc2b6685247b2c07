package sealedpush;

/** Reason why a message was not sealed or submitted. Names members, never their contents. */
public final class MessageException extends SealedPushException {
    private static final long serialVersionUID = 1;

    /** Kinds of faults. */
    public enum Reason {
        /** Neither title nor body, in words or as a key. */
        NO_TEXT,
        /** The member is out of range, has U+0000 or half a surrogate pair, or does not fit the operation. */
        INVALID,
        /** The message exceeds its class, after shortening where that was allowed. */
        TOO_LONG,
        /** The life is under a millisecond, over the app's limit, or over 60 seconds for a call. */
        LIFETIME,
        /** A time is 2^53 milliseconds after 1970 or later, or before 1970. */
        TIME,
        /** The message has expired: no device would show it. */
        EXPIRED,
        /** The prekey has expired: fetch the device's bundle anew. */
        PREKEY_EXPIRED,
        /** The prekey gives no secrecy. */
        UNUSABLE_PREKEY
    }

    private final Reason reason;
    private final String member;

    MessageException(Reason reason, String member) {
        super("the message is refused: " + word(reason) + (member.isEmpty() ? "" : " (" + member + ")"));
        this.reason = reason;
        this.member = member;
    }

    static MessageException invalid(String member) {
        return new MessageException(Reason.INVALID, member);
    }

    /** The kind of fault. */
    public Reason reason() {
        return reason;
    }

    /** The member at fault, or more about it; often empty. */
    public String member() {
        return member;
    }
}
