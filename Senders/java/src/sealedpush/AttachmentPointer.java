package sealedpush;

import java.util.LinkedHashMap;
import java.util.Map;

/** Place and key of a message's file. It is as secret as the message: the key opens the file. */
public final class AttachmentPointer {
    static final long SIZE_MAX = 1L << 40;

    final byte[] id;
    final byte[] key;
    private final String url;
    private final long size;
    private final String type;
    private String name = "";
    private boolean isThumbnail;

    AttachmentPointer(byte[] id, byte[] key, long size, String url, String type) throws MessageException {
        if (AttachmentUrl.parse(url) == null) throw MessageException.invalid("attachments.url");
        var isType = type.length() <= 64 && type.matches("[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*");
        if (!isType) throw MessageException.invalid("attachments.type");
        if (size < 0 || size > SIZE_MAX) throw MessageException.invalid("attachments.size");
        this.id = id;
        this.key = key;
        this.size = size;
        this.url = url;
        this.type = type;
    }

    /** Sets the name for display, 1 to 64 bytes of UTF-8. It is never the name of a file on the device. */
    public AttachmentPointer name(String name) throws MessageException {
        var byteCount = name.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        if (byteCount < 1 || byteCount > 64 || !Json.isText(name)) throw MessageException.invalid("attachments.name");
        this.name = name;
        return this;
    }

    /** Makes the file stand in for the attachment behind it until that one is there. */
    public AttachmentPointer thumbnail() {
        isThumbnail = true;
        return this;
    }

    boolean isThumbnail() {
        return isThumbnail;
    }

    /** Padmé: rounds a length up so that it tells its magnitude and a few bits, at the price of 12 % at most. */
    static long padded(long size) {
        if (size < 2) return size;
        int exponent = 63 - Long.numberOfLeadingZeros(size);
        int keptBitCount = 32 - Integer.numberOfLeadingZeros(exponent);
        long mask = (1L << exponent - keptBitCount) - 1;
        return size + mask & ~mask;
    }

    /** Length of the encrypted file: head, padded file, and a tag for each chunk, of which the last is shorter. */
    static long stored(long size) {
        return 56 + padded(size) + 16 * (padded(size) / 16_384 + 1);
    }

    Map<String, Object> members() {
        var members = new LinkedHashMap<String, Object>();
        members.put("id", Base64Url.encode(id));
        members.put("url", url);
        members.put("key", Base64Url.encode(key));
        members.put("size", size);
        members.put("stored", stored(size));
        members.put("type", type);
        if (!name.isEmpty()) members.put("name", name);
        if (isThumbnail) members.put("thumbnail", true);
        return members;
    }
}
