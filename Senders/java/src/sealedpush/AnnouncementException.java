package sealedpush;

/** Reason why an announcement was not made: no device would take it. */
public final class AnnouncementException extends SealedPushException {
    private static final long serialVersionUID = 1;

    /** Kinds of faults. */
    public enum Reason {
        /** A key as its own successor: make a new one. */
        SAME_KEY,
        /** A time before 1970, or 2^53 milliseconds after it or later. */
        TIME
    }

    private final Reason reason;

    AnnouncementException(Reason reason) {
        super("the announcement is refused: " + word(reason));
        this.reason = reason;
    }

    /** The kind of fault. */
    public Reason reason() {
        return reason;
    }
}
