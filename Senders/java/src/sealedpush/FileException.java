package sealedpush;

import java.nio.file.Path;

/** Failure of a key, pin or attachment file. Names the path, never its contents. */
public final class FileException extends SealedPushException {
    private static final long serialVersionUID = 1;

    /** Kinds of failures. */
    public enum Reason {
        /** No such file. */
        NOT_FOUND,
        /** File that is there, and is left as it is: overwriting would lose a key. */
        EXISTS,
        /** Folder, pipe or other non-file. */
        NOT_A_FILE,
        /** Longer than a valid file. */
        TOO_LONG,
        /** Private file that group or others can read, or a folder of pins that they can write. */
        PERMISSIONS,
        /** Not the expected format. */
        MALFORMED,
        /** Published example key, which protects nothing. */
        EXAMPLE_KEY,
        /** Pin with a wrong check: find the cause before removing it. */
        DAMAGED,
        /** File that changed its length while it was sealed. */
        CHANGED,
        /** Error of the system, in the cause. */
        SYSTEM
    }

    private final Reason reason;

    FileException(Reason reason, Path path) {
        super(path + ": " + word(reason));
        this.reason = reason;
    }

    FileException(Path path, java.io.IOException cause) {
        this(Reason.SYSTEM, path);
        initCause(cause);
    }

    /** The kind of failure. */
    public Reason reason() {
        return reason;
    }
}
