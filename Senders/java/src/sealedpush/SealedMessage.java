package sealedpush;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;

/** Message that was sealed for one device. Every one of its push class has the same length. */
public final class SealedMessage {
    private static final int BODY_OFFSET = 132;

    private final byte[] envelope;
    private final PreparedMessage message;
    private final BundleId topic;
    private final String trace;

    private SealedMessage(byte[] envelope, PreparedMessage message, BundleId topic, String trace) {
        this.envelope = envelope;
        this.message = message;
        this.topic = topic;
        this.trace = trace;
    }

    /** Length of the frame under suite 1. */
    private static int frameByteCount(boolean isCall) {
        return isCall ? 3_590 : 2_822;
    }

    static int bodyByteCountMax(boolean isCall) {
        return frameByteCount(isCall) - BODY_OFFSET;
    }

    static SealedMessage seal(PreparedMessage message, Recipient recipient, SenderIdentity sender, long now,
            SecureRandom random) throws MessageException {
        if (now > recipient.notAfter().toEpochMilli()) {
            throw new MessageException(MessageException.Reason.PREKEY_EXPIRED, "");
        }
        if (now >= message.expiresAt) throw new MessageException(MessageException.Reason.EXPIRED, "");
        var info = recipient.info();
        var frame = frame(message, sender, info);
        try {
            var sealed = Hpke.seal(recipient.prekey(), info, frame, random);
            var envelope = Bytes.concat(recipient.header(), sealed.encapsulatedKey(), sealed.ciphertext());
            var trace = new byte[16];
            random.nextBytes(trace);
            return new SealedMessage(envelope, message, recipient.topic(), Base64Url.encode(trace));
        } catch (InvalidKeyException lowOrder) {
            throw new MessageException(MessageException.Reason.UNUSABLE_PREKEY, "");
        } finally {
            Arrays.fill(frame, (byte) 0);
        }
    }

    static byte[] frame(PreparedMessage message, SenderIdentity sender, byte[] info) {
        var frame = ByteBuffer.allocate(frameByteCount(message.isCall));
        frame.put(message.id.bytes()).putLong(message.sentAt).putLong(message.expiresAt);
        frame.put(sender.publicKey().bytes());
        frame.putShort((short) (message.isTruncated ? 1 : 0)).putShort((short) message.body.length);
        var head = Arrays.copyOf(frame.array(), frame.position());
        frame.put(sender.sign(Bytes.concat(Bytes.lengthPrefixed("SealedPush/1 message"), info, head,
                Crypto.sha256(message.body))));
        frame.put(message.body);
        return frame.array();
    }

    /** The relay's field {@code sealed}: 3,840 characters, 4,864 for a call. */
    public String sealedField() {
        return Base64Url.encode(envelope);
    }

    /** Random name of this push, in the clear, for logs and re-sends. */
    public String trace() {
        return trace;
    }

    /** The payload for APNs, in UTF-8, if the relay is not in between. A call has no placeholder. */
    public byte[] payload(Placeholder placeholder) {
        var aps = isCall() ? "{}" : "{\"alert\":" + placeholder.json() + ",\"mutable-content\":1}";
        var text = "{\"aps\":" + aps + ",\"sealed\":\"" + sealedField() + "\",\"trace\":\"" + trace + "\"}";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** True for a VoIP push: {@code apns-push-type: voip}, the topic with {@code .voip}, PushKit's token. */
    public boolean isCall() {
        return message.isCall;
    }

    /** True if the body was shortened. */
    public boolean isTruncated() {
        return message.isTruncated;
    }

    /** The message's id. */
    public MessageId messageId() {
        return message.id;
    }

    /** The end of its life. */
    public Instant expiresAt() {
        return message.expiresAt();
    }

    /** The app's bundle id. */
    public BundleId topic() {
        return topic;
    }

    long lifetimeSeconds() {
        return (message.expiresAt - message.sentAt + 999) / 1_000;
    }

    String receiptHash() {
        return message.receipt == null ? null : message.receipt.hash();
    }
}
