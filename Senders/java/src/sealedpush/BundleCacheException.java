package sealedpush;

/** Refusal of bytes that {@link BundleCache#encoded} did not make. */
public final class BundleCacheException extends SealedPushException {
    private static final long serialVersionUID = 1;

    BundleCacheException() {
        super("not a saved bundle cache: begin with an empty one");
    }
}
