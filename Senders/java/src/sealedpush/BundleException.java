package sealedpush;

/** Refusal of a device's key bundle (docs/protocol.md, sections 3 and 16). A refused bundle changes no pin. */
public final class BundleException extends SealedPushException {
    private static final long serialVersionUID = 1;

    /** Rules of the protocol, in the order of its checks, and {@code NO_PREKEY}. */
    public enum Refusal {
        /** Newer version. */
        UNSUPPORTED_VERSION,
        /** Another identity than the pinned one: a new device, or an attacker in between. Ask the app, not the relay. */
        OTHER_IDENTITY,
        /** Bundle of another app. */
        OTHER_TOPIC,
        /** Not a bundle's bytes. */
        MALFORMED,
        /** Unknown suite. */
        UNSUPPORTED_SUITE,
        /** Not signed by the pinned identity. */
        BAD_SIGNATURE,
        /** The sender's clock is behind, or the device's ahead. */
        NOT_YET_VALID,
        /** Older than one that was seen. Investigate, send nothing. */
        ROLLED_BACK,
        /** Second bundle of one epoch. Investigate, send nothing. */
        EQUIVOCATION,
        /** Lower suite than before: a person decides, then {@link BundlePinStore#resetSuites}. */
        SUITE_DOWNGRADE,
        /** Validity over 60 days, or negative. */
        VALIDITY_TOO_LONG,
        /** The app has not run for 60 days. */
        EXPIRED,
        /** Prekey that gives no secrecy. */
        LOW_ORDER_PREKEY,
        /** No prekey of the wanted class; there is no falling back. */
        NO_PREKEY;

        /** The protocol's word, such as "rolled-back". */
        public String word() {
            return SealedPushException.word(this);
        }
    }

    private final Refusal refusal;

    BundleException(Refusal refusal) {
        super("the key bundle is refused: " + refusal.word());
        this.refusal = refusal;
    }

    /** The broken rule. */
    public Refusal refusal() {
        return refusal;
    }
}
