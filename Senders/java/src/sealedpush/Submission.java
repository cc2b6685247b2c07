package sealedpush;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Body of {@code POST /v1/notifications}: one sealed message for each recipient, under one idempotency key.
 *
 * <p>The key stays: submitted again, also after an unclear outcome, it is the same notification.
 */
public final class Submission {
    private static final int RECIPIENT_COUNT_MAX = 1_000;
    private final NotificationClass notificationClass;
    private final Map<String, Object> members = new LinkedHashMap<>();
    private final List<Map<String, Object>> recipients = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private BundleId topic;
    private long lifetime;

    /** Starts a submission under a random idempotency key. */
    public Submission(NotificationClass notificationClass) {
        this.notificationClass = notificationClass;
        var key = new byte[16];
        new SecureRandom().nextBytes(key);
        members.put("class", SealedPushException.word(notificationClass));
        members.put("idempotency-key", Base64Url.encode(key));
    }

    /** Sets the caller's own idempotency key, 1 to 255 characters of visible ASCII. */
    public Submission idempotencyKey(String key) throws MessageException {
        return put("idempotency-key", key, key.matches("[!-~]{1,255}"));
    }

    /** Lets a later notification with the same word replace this one on the device; 1 to 64 bytes, never for calls. */
    public Submission collapseId(String id) throws MessageException {
        var byteCount = id.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        var isAllowed = byteCount >= 1 && byteCount <= 64 && Json.isText(id);
        return put("collapse-id", id, isAllowed && notificationClass != NotificationClass.CALL);
    }

    /**
     * Sets how long Apple may keep it: 0 (one attempt), 3600, 86400 or 604800 seconds; only 0 for calls. Without it, the
     * shortest of these that the sealed life fits in.
     */
    public Submission expiry(int seconds) throws MessageException {
        var isCall = notificationClass == NotificationClass.CALL;
        return put("expiry", (long) seconds, seconds == 0 || !isCall && List.of(3_600, 86_400, 604_800).contains(seconds));
    }

    private Submission put(String name, Object value, boolean isAllowed) throws MessageException {
        if (!isAllowed) throw MessageException.invalid(name);
        members.put(name, value);
        return this;
    }

    /**
     * Adds a recipient. A message that asks for a receipt brings its hash along.
     *
     * @param device its id at the relay
     * @throws MessageException {@code INVALID} for a message of another app or push class, and for a device or receipt
     *     that is there already
     */
    public Submission add(String device, SealedMessage sealed) throws MessageException {
        if (!RelayClient.isId(device) || names.contains("device " + device)) throw MessageException.invalid("device");
        if (sealed.isCall() != (notificationClass == NotificationClass.CALL)) throw MessageException.invalid("class");
        if (topic != null && !topic.equals(sealed.topic())) throw MessageException.invalid("topic");
        if (recipients.size() == RECIPIENT_COUNT_MAX) throw MessageException.invalid("recipients");
        var recipient = new LinkedHashMap<String, Object>();
        recipient.put("device", device);
        recipient.put("sealed", sealed.sealedField());
        recipient.put("trace", sealed.trace());
        var hash = sealed.receiptHash();
        if (hash != null) {
            if (!names.add("receipt " + hash)) throw MessageException.invalid("receipt");
            recipient.put("receipt-hash", hash);
        }
        names.add("device " + device);
        topic = sealed.topic();
        lifetime = Math.max(lifetime, sealed.lifetimeSeconds());
        recipients.add(recipient);
        return this;
    }

    /** The shortest expiry of Apple's that the sealed life fits in. It never changes: a repetition has the same body. */
    private int expiry() {
        if (notificationClass == NotificationClass.CALL) return 0;
        return lifetime <= 3_600 ? 3_600 : lifetime <= 86_400 ? 86_400 : 604_800;
    }

    /** The recipients' ids, in their order. */
    List<String> devices() {
        return recipients.stream().map(recipient -> (String) recipient.get("device")).toList();
    }

    String json(boolean isPartial) {
        var body = new LinkedHashMap<String, Object>();
        body.put("topic", topic.text());
        body.put("expiry", (long) expiry());
        body.putAll(members);
        if (isPartial) body.put("partial", true);
        body.put("recipients", recipients);
        return Json.write(body);
    }
}
