package sealedpush;

import java.util.List;

/** Failure of a request to the relay or a host of attachments. Has no key, token or text. */
public final class RelayException extends SealedPushException {
    private static final long serialVersionUID = 1;

    /** Kinds of failures. */
    public enum Reason {
        /** An answer that is no success; {@link #status} and {@link #problem} say more. */
        REFUSED,
        /** No server was reached, or the connection ended before the answer. The request may have been carried out. */
        UNREACHABLE,
        /** The server's certificate is not trusted. */
        NOT_TRUSTED,
        /** The answer is not what the interface promises. */
        MALFORMED_ANSWER
    }

    /**
     * Problem of RFC 9457, in the relay's own words.
     *
     * @param type such as {@code urn:sealedpush:problem:invalid-fields}; {@code about:blank} without one
     * @param title what the type means
     * @param detail what to do
     * @param pointers JSON pointers of the fields at fault
     */
    public record Problem(String type, String title, String detail, List<String> pointers) {
        static final Problem NONE = new Problem("about:blank", "", "", List.of());
    }

    private final Reason reason;
    private final int status;
    private final transient Problem problem;

    RelayException(Reason reason) {
        super("the request failed: " + word(reason));
        this.reason = reason;
        status = 0;
        problem = Problem.NONE;
    }

    RelayException(int status, Problem problem) {
        super("the request is refused: " + status + " " + problem.type() + " " + problem.title() + " " + problem.detail()
                + (problem.pointers().isEmpty() ? "" : " " + problem.pointers()));
        reason = Reason.REFUSED;
        this.status = status;
        this.problem = problem;
    }

    /** The kind of failure. */
    public Reason reason() {
        return reason;
    }

    /** HTTP's status of a refusal, otherwise 0. */
    public int status() {
        return status;
    }

    /** The problem of a refusal; its texts are empty if the server gave none. */
    public Problem problem() {
        return problem == null ? Problem.NONE : problem;
    }
}
