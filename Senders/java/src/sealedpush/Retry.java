package sealedpush;

import java.time.Duration;
import java.util.Optional;

/**
 * Rule for a request that may be sent again: what the server did not process, or answers alike.
 *
 * @param attemptCountMax attempts in all
 * @param first upper bound of the first delay; doubled for each further one
 * @param longest upper bound of every delay, also of a {@code Retry-After}
 */
record Retry(int attemptCountMax, Duration first, Duration longest) {
    static final Retry STANDARD = new Retry(6, Duration.ofMillis(500), Duration.ofSeconds(60));

    /** Pause between two attempts. */
    interface Sleeper {
        void sleep(Duration delay) throws InterruptedException;
    }

    /** True for an answer that another attempt may change: too many requests, a server that stops or failed. */
    static boolean isTransient(int status) {
        return switch (status) {
            case 429, 500, 502, 503, 504 -> true;
            default -> false;
        };
    }

    /**
     * Delay after so many attempts; empty to give up.
     *
     * @param retryAfter seconds that the server asks for, which are kept; negative for none
     * @param jitter 0 to 1, so that senders do not come back together
     */
    Optional<Duration> delay(int attemptCount, long retryAfter, double jitter) {
        if (attemptCount >= attemptCountMax || retryAfter > longest.toSeconds()) return Optional.empty();
        var bound = Math.min(longest.toMillis(), first.toMillis() << Math.min(attemptCount - 1, 16));
        var wanted = Math.max(0, retryAfter) * 1_000;
        return Optional.of(Duration.ofMillis(wanted + (long) (bound * jitter)));
    }
}
