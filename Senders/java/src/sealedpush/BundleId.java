package sealedpush;

/**
 * Bundle id of an app, the protocol's TOPIC: a constant of the sender, never looked up.
 *
 * @param text 1 to 155 letters, digits, hyphens and periods
 */
public record BundleId(String text) {
    /** Checks the text. */
    public BundleId {
        if (!text.matches("[A-Za-z0-9.-]{1,155}")) throw new IllegalArgumentException("not a bundle id");
    }
}
