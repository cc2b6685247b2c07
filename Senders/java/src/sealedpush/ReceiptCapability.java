package sealedpush;

import java.security.SecureRandom;

/** Secret in one message for one recipient, by which the device may send one receipt. */
public final class ReceiptCapability extends RandomId {
    /** Makes a capability. */
    public ReceiptCapability() {
        super(new SecureRandom());
    }

    /** Reads the text form of a stored capability, for a re-send. */
    public ReceiptCapability(String text) {
        super(text);
    }

    /** The relay's {@code receipt-hash}: it recognizes the receipt, and cannot make one (docs/service.md). */
    public String hash() {
        return Base64Url.encode(Crypto.sha256(Bytes.lengthPrefixed("SealedPush/1 receipt"), bytes()));
    }
}
