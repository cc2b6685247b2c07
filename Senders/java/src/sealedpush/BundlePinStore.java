package sealedpush;

/**
 * Memory of every device's newest bundle, shared by all processes that seal for one sender.
 *
 * <p>A sender on several machines implements this over its database: one row for each identity and topic, with {@link
 * BundlePin#encoded}, read and written in one serializable transaction.
 */
public interface BundlePinStore {
    /** Change of a pin. */
    interface Change {
        /**
         * Takes the stored pin, or null, and returns the one to store; the same object leaves it, null removes it.
         *
         * @throws BundleException to leave it, and to end the update with this error
         */
        BundlePin apply(BundlePin pin) throws BundleException;
    }

    /**
     * Reads and changes a pin, atomically for its identity and topic; the change is durable at the return.
     *
     * @throws FileException if pins cannot be read or written; one that is damaged never counts as absent
     */
    void update(IdentityKey identity, BundleId topic, Change change) throws BundleException, FileException;

    /** Forgets a device's highest suites. Only a person decides that; older bundles stay refused. */
    default void resetSuites(IdentityKey identity, BundleId topic) throws FileException {
        change(identity, topic, pin -> pin == null ? null : pin.withoutSuites());
    }

    /** Forgets a device, together with its contact: any older bundle would be accepted again. */
    default void forget(IdentityKey identity, BundleId topic) throws FileException {
        change(identity, topic, pin -> null);
    }

    private void change(IdentityKey identity, BundleId topic, Change change) throws FileException {
        try {
            update(identity, topic, change);
        } catch (BundleException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
