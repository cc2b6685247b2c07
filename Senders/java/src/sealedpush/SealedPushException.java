package sealedpush;

/** Base of this package's errors. Its words name a rule, a member or a file, never a key, a token or a text. */
public abstract class SealedPushException extends Exception {
    private static final long serialVersionUID = 1;

    SealedPushException(String message) {
        super(message);
    }

    /** Makes "suite-downgrade" of SUITE_DOWNGRADE. */
    static String word(Enum<?> reason) {
        return reason.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
