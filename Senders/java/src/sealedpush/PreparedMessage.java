package sealedpush;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/**
 * Message that was encoded once, with its id and times, for any number of devices and for re-sends. It holds the text.
 *
 * <p>Sealed again, it has the same id and times: a device shows it once, whichever copy comes first.
 */
public final class PreparedMessage {
    /** Longest life that devices take by default. */
    public static final Duration LIFETIME_MAX = Duration.ofDays(7);
    /** Upper bound of an app's own limit: Apple keeps a push no longer. */
    public static final Duration LIFETIME_CAP = Duration.ofDays(30);
    /** Longest ringing of a call. */
    public static final Duration CALL_LIFETIME_MAX = Duration.ofSeconds(60);

    final MessageId id;
    final long sentAt;
    final long expiresAt;
    final boolean isCall;
    final boolean isTruncated;
    final byte[] body;
    final ReceiptCapability receipt;

    private PreparedMessage(Message message, MessageId id, long sentAt, long expiresAt, long lifetimeMax,
            Message.Overflow overflow) throws MessageException {
        isCall = message.isCall();
        if (sentAt < 0 || expiresAt >= KeyBundle.TIME_END) throw new MessageException(MessageException.Reason.TIME, "");
        var longest = isCall ? Math.min(lifetimeMax, CALL_LIFETIME_MAX.toMillis()) : lifetimeMax;
        if (lifetimeMax > LIFETIME_CAP.toMillis() || sentAt >= expiresAt || expiresAt > sentAt + longest) {
            throw new MessageException(MessageException.Reason.LIFETIME, "");
        }
        var encoded = message.encode(SealedMessage.bodyByteCountMax(isCall), overflow);
        this.id = id;
        this.sentAt = sentAt;
        this.expiresAt = expiresAt;
        body = encoded.json();
        isTruncated = encoded.isTruncated();
        receipt = message.receipt();
    }

    /** Prepares a message that lives for a day from now; a call rings for 30 seconds. A long text is shortened. */
    public static PreparedMessage of(Message message) throws MessageException {
        var lifetime = message.isCall() ? Duration.ofSeconds(30) : Duration.ofDays(1);
        return of(message, Instant.now(), lifetime, LIFETIME_MAX, Message.Overflow.SHORTEN);
    }

    /**
     * Prepares a message.
     *
     * @param lifetime from {@code sentAt} on; at most 60 seconds for a call
     * @param lifetimeMax the app's own limit, the same on its devices; 30 days at most
     */
    public static PreparedMessage of(Message message, Instant sentAt, Duration lifetime, Duration lifetimeMax,
            Message.Overflow overflow) throws MessageException {
        return again(message, new MessageId(new SecureRandom()), sentAt, sentAt.plus(lifetime), lifetimeMax, overflow);
    }

    /**
     * Prepares a message once more in another process, from the same arguments.
     *
     * @param id of the same message: under the id of another it would count as a replay, and never be shown
     */
    public static PreparedMessage again(Message message, MessageId id, Instant sentAt, Instant expiresAt,
            Duration lifetimeMax, Message.Overflow overflow) throws MessageException {
        return new PreparedMessage(message, id, milliseconds(sentAt), milliseconds(expiresAt), milliseconds(lifetimeMax),
                overflow);
    }

    private static long milliseconds(Instant time) throws MessageException {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException beyondLong) {
            throw new MessageException(MessageException.Reason.TIME, "");
        }
    }

    private static long milliseconds(Duration duration) throws MessageException {
        try {
            return duration.toMillis();
        } catch (ArithmeticException beyondLong) {
            throw new MessageException(MessageException.Reason.LIFETIME, "");
        }
    }

    /** The id; kept for a re-send. */
    public MessageId id() {
        return id;
    }

    /** The time of sending; kept for a re-send. */
    public Instant sentAt() {
        return Instant.ofEpochMilli(sentAt);
    }

    /** The end of its life; kept for a re-send. */
    public Instant expiresAt() {
        return Instant.ofEpochMilli(expiresAt);
    }

    /** True if the body was shortened. */
    public boolean isTruncated() {
        return isTruncated;
    }
}
