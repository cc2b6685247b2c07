package sealedpush;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Text to show, or an operation on an earlier message; it travels as the sealed body (docs/protocol.md, section 6).
 *
 * <p>Signed is not trusted: the device allows members by the sender's role and rights. An empty text is none. Members
 * are judged when the message is prepared ({@link PreparedMessage}).
 *
 * <pre>{@code
 * var message = new Message().title("Anna").body("See you at eight").conversation("chat-7");
 * }</pre>
 */
public final class Message {
    /** Names in the order of their encoding; {@code crit} may have these. */
    private static final List<String> NAMES = List.of("op", "target", "call", "badge", "title", "subtitle", "body",
            "title-loc-key", "title-loc-args", "subtitle-loc-key", "subtitle-loc-args", "loc-key", "loc-args",
            "thread-id", "category", "sound", "sound-volume", "level", "relevance-score", "target-content-id", "sender",
            "user-info", "attachments", "receipt", "crit");
    /** Extended grapheme cluster; the JDK's BreakIterator splits emoji of several parts. */
    private static final Pattern CLUSTER = Pattern.compile("\\X");

    private final Map<String, Object> members = new HashMap<>();
    private final Map<String, Object> userInfo = new TreeMap<>();
    private final List<AttachmentPointer> attachments = new ArrayList<>();
    private ReceiptCapability receipt;

    /** Interruption levels of Apple. */
    public enum Level { PASSIVE, ACTIVE, TIME_SENSITIVE, CRITICAL }

    /** Treatment of too long a message. */
    public enum Overflow {
        /** Cuts the body at the end of a grapheme cluster. */
        SHORTEN,
        /** Throws {@code TOO_LONG}. */
        REFUSE
    }

    /** Encoded body, and whether the text was shortened. */
    record Encoded(byte[] json, boolean isTruncated) {}

    /** Creates a message to show; it needs a title or a body, in words or as a key. */
    public Message() {}

    /** Replaces a message of the same sender. */
    public static Message replacing(MessageId target) {
        return new Message().put("op", "replace").put("target", target.text());
    }

    /** Removes a message of the same sender from the screen. */
    public static Message removing(MessageId target) {
        return new Message().put("op", "remove").put("target", target.text());
    }

    /** Sets the number on the app's icon; services only. */
    public static Message settingBadge(int badge) {
        return new Message().put("op", "badge").badge(badge);
    }

    /** Rings; the text is opaque to all but the app, and not empty. */
    public static Message call(String call) {
        return new Message().put("op", "call").put("call", call);
    }

    /** Checks the way to the device, which shows the app's own words. */
    public static Message test() {
        return new Message().put("op", "test");
    }

    /** Sets the title. */
    public Message title(String title) {
        return put("title", title);
    }

    /** Sets the line under the title. */
    public Message subtitle(String subtitle) {
        return put("subtitle", subtitle);
    }

    /** Sets the text, which may be shortened to fit. */
    public Message body(String body) {
        return put("body", body);
    }

    /** Sets the title as a key of the app's own tables, with 8 arguments at most. */
    public Message titleKey(String key, String... arguments) {
        return put("title-loc-key", key).put("title-loc-args", List.of(arguments));
    }

    /** Sets the subtitle as a key of the app's own tables, with 8 arguments at most. */
    public Message subtitleKey(String key, String... arguments) {
        return put("subtitle-loc-key", key).put("subtitle-loc-args", List.of(arguments));
    }

    /** Sets the text as a key of the app's own tables, with 8 arguments at most. */
    public Message bodyKey(String key, String... arguments) {
        return put("loc-key", key).put("loc-args", List.of(arguments));
    }

    /** Sets the conversation, by which the device groups notifications. */
    public Message conversation(String threadId) {
        return put("thread-id", threadId);
    }

    /** Sets the category, of the app's list. */
    public Message category(String category) {
        return put("category", category);
    }

    /** Sets the sound, "default" or a file of the app's list. */
    public Message sound(String name) {
        return put("sound", name);
    }

    /** Sets the volume of the sound, 0 to 1 with 4 decimals at most; it needs the right to critical alerts. */
    public Message soundVolume(BigDecimal volume) {
        return put("sound-volume", volume);
    }

    /** Sets the interruption level; the last two need a right. */
    public Message level(Level level) {
        return put("level", SealedPushException.word(level));
    }

    /** Sets the place in a summary, 0 to 1 with 4 decimals at most. */
    public Message relevance(BigDecimal score) {
        return put("relevance-score", score);
    }

    /** Sets the number on the app's icon, 0 to 9,999; services only. */
    public Message badge(int badge) {
        return put("badge", (long) badge);
    }

    /** Sets the content that a tap opens; it needs a right. */
    public Message targetContent(String id) {
        return put("target-content-id", id);
    }

    /** Sets the displayed name of the sender; services only. */
    public Message senderName(String name) {
        return put("sender", name);
    }

    /** Adds a value for the app, by a name of its list. */
    public Message userInfo(String name, String value) {
        userInfo.put(name, value);
        return this;
    }

    /** Adds a value for the app, by a name of its list. */
    public Message userInfo(String name, long value) {
        userInfo.put(name, value);
        return this;
    }

    /** Adds a value for the app, by a name of its list. */
    public Message userInfo(String name, boolean value) {
        userInfo.put(name, value);
        return this;
    }

    /** Adds a file to show; at most 4, in this order. */
    public Message attachment(AttachmentPointer pointer) {
        attachments.add(pointer);
        return this;
    }

    /** Asks for a receipt; each message and recipient needs a capability of its own. */
    public Message receipt(ReceiptCapability capability) {
        receipt = capability;
        return this;
    }

    /** Names the members that the device must understand. */
    public Message critical(String... names) {
        return put("crit", List.of(names));
    }

    private Message put(String name, Object value) {
        members.put(name, value);
        return this;
    }

    ReceiptCapability receipt() {
        return receipt;
    }

    boolean isCall() {
        return "call".equals(members.get("op"));
    }

    private boolean needsText() {
        return members.getOrDefault("op", "replace").equals("replace");
    }

    /** The sealed body, of {@code byteCountMax} bytes at most. */
    Encoded encode(int byteCountMax, Overflow overflow) throws MessageException {
        var whole = validMembers();
        var json = json(whole);
        if (json.length <= byteCountMax) return new Encoded(json, false);
        int excess = json.length - byteCountMax;
        var text = (String) whole.getOrDefault("body", "");
        if (overflow == Overflow.REFUSE || text.isEmpty()) throw tooLong(excess);
        whole.remove("body");
        if (json(whole).length > byteCountMax) throw tooLong(json(whole).length - byteCountMax);
        var shortened = prefix(text, escapedByteCount(text) - excess);
        if (!shortened.isEmpty()) whole.put("body", shortened);
        else if (needsText() && !hasText(whole)) throw tooLong(excess);
        return new Encoded(json(whole), true);
    }

    private static MessageException tooLong(int excess) {
        return new MessageException(MessageException.Reason.TOO_LONG, excess + " bytes too many");
    }

    /** Refuses everything that a device would refuse; returns the members that are not empty. */
    private Map<String, Object> validMembers() throws MessageException {
        var valid = new HashMap<String, Object>();
        for (var member : members.entrySet()) {
            var name = member.getKey();
            var value = member.getValue();
            if (value instanceof BigDecimal decimal) value = decimalText(decimal, name);
            if (value instanceof String text) requireText(name, text);
            if (value instanceof List<?> list) for (var text : list) requireText(name, (String) text);
            if (!value.equals("") && !value.equals(List.of())) valid.put(name, value);
        }
        if (needsText() && !hasText(valid)) throw new MessageException(MessageException.Reason.NO_TEXT, "");
        require(!isCall() || valid.containsKey("call"), "call");
        var badge = (Long) valid.getOrDefault("badge", 0L);
        require(badge >= 0 && badge <= 9_999, "badge");
        require(!valid.containsKey("sound-volume") || valid.containsKey("sound"), "sound-volume");
        for (var prefix : List.of("title-", "subtitle-", "")) {
            var arguments = (List<?>) valid.getOrDefault(prefix + "loc-args", List.of());
            require(arguments.size() <= 8, prefix + "loc-args");
            require(arguments.isEmpty() || valid.containsKey(prefix + "loc-key"), prefix + "loc-key");
        }
        var critical = (List<?>) valid.getOrDefault("crit", List.of());
        for (var name : critical) require(name instanceof String && NAMES.contains(name), "crit");
        require(userInfo.size() <= 16, "user-info");
        for (var info : userInfo.entrySet()) {
            require(info.getKey().matches("[!-~]{1,64}"), "user-info");
            if (info.getValue() instanceof String text) requireText("user-info", text);
        }
        requireAttachments();
        if (!userInfo.isEmpty()) valid.put("user-info", userInfo);
        if (!attachments.isEmpty()) valid.put("attachments", attachments.stream().map(AttachmentPointer::members).toList());
        if (receipt != null) valid.put("receipt", receipt.text());
        return valid;
    }

    private void requireAttachments() throws MessageException {
        require(attachments.size() <= 4 && (attachments.isEmpty() || needsText()), "attachments");
        var names = new HashSet<String>();
        for (int i = 0; i < attachments.size(); i++) {
            var file = attachments.get(i);
            var isAlone = i + 1 == attachments.size() || attachments.get(i + 1).isThumbnail();
            require(names.add("id " + Arrays.toString(file.id)) && names.add("key " + Arrays.toString(file.key)),
                    "attachments");
            require(!file.isThumbnail() || !isAlone, "attachments.thumbnail");
        }
    }

    private static boolean hasText(Map<String, Object> members) {
        return List.of("title", "body", "title-loc-key", "loc-key").stream().anyMatch(members::containsKey);
    }

    /** The shortest spelling of a number from 0 to 1 with 4 decimals at most. */
    private static String decimalText(BigDecimal number, String name) throws MessageException {
        require(number.signum() >= 0 && number.compareTo(BigDecimal.ONE) <= 0, name);
        var text = number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
        require(text.length() <= 6, name);
        return text;
    }

    private static void requireText(String name, String text) throws MessageException {
        require(Json.isText(text), name);
    }

    private static void require(boolean holds, String name) throws MessageException {
        if (!holds) throw MessageException.invalid(name);
    }

    private static byte[] json(Map<String, Object> members) {
        var ordered = new LinkedHashMap<String, Object>();
        for (var name : NAMES) if (members.containsKey(name)) ordered.put(name, members.get(name));
        return Json.write(ordered).getBytes(StandardCharsets.UTF_8);
    }

    /** Whole grapheme clusters only: half a flag, or a letter without its accent, is another text. */
    private static String prefix(String text, int byteCountMax) {
        int end = 0;
        for (var cluster = CLUSTER.matcher(text); cluster.find(); end = cluster.end()) {
            byteCountMax -= escapedByteCount(cluster.group());
            if (byteCountMax < 0) break;
        }
        return text.substring(0, end);
    }

    private static int escapedByteCount(String text) {
        return Json.write(text).getBytes(StandardCharsets.UTF_8).length - 2;
    }
}
