package sealedpush;

import java.util.Objects;

/** Runs tests, each a sentence, and counts what failed. */
final class Check {
    private static int passedCount;
    private static int failedCount;

    interface Body {
        void run() throws Exception;
    }

    private Check() {}

    static void test(String sentence, Body body) {
        try {
            body.run();
            passedCount++;
        } catch (Exception | Error failure) {
            failedCount++;
            System.out.println("FAILED: " + sentence);
            failure.printStackTrace(System.out);
        }
    }

    static void equal(Object expected, Object actual) {
        if (!Objects.deepEquals(expected, actual)) {
            throw new AssertionError("expected " + expected + ", got " + actual);
        }
    }

    static void that(boolean holds) {
        if (!holds) throw new AssertionError("it does not hold");
    }

    /** The error that a body ends with; another kind, or none, fails. */
    static <T extends Throwable> T refuses(Class<T> type, Body body) {
        try {
            body.run();
        } catch (Throwable failure) {
            if (type.isInstance(failure)) return type.cast(failure);
            throw new AssertionError("another error than " + type.getSimpleName(), failure);
        }
        throw new AssertionError("no " + type.getSimpleName());
    }

    static void message(MessageException.Reason reason, String member, Body body) {
        var error = refuses(MessageException.class, body);
        equal(reason, error.reason());
        if (member != null) equal(member, error.member());
    }

    static void bundle(String word, Body body) {
        equal(word, refuses(BundleException.class, body).refusal().word());
    }

    static void file(FileException.Reason reason, Body body) {
        equal(reason, refuses(FileException.class, body).reason());
    }

    /** Ends the process, with 1 if anything failed. */
    static void finish() {
        System.out.println("java tests " + (passedCount + failedCount) + " failed " + failedCount);
        if (failedCount > 0) System.exit(1);
    }
}
