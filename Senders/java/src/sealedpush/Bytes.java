package sealedpush;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Layout of the protocol's bytes: big-endian integers, and {@code LP}, one length byte and the bytes. */
final class Bytes {
    private Bytes() {}

    static byte[] concat(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (var part : parts) out.writeBytes(part);
        return out.toByteArray();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] lengthPrefixed(String text) {
        var bytes = ascii(text);
        return concat(new byte[] {(byte) bytes.length}, bytes);
    }

    static byte[] u64(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    /** Reads 32 little-endian bytes as a number below 2^255; the top bit is left out. */
    static BigInteger littleEndian255(byte[] bytes) {
        var reversed = reversed(bytes);
        reversed[0] &= 0x7F;
        return new BigInteger(1, reversed);
    }

    /** Writes a number as 32 little-endian bytes. */
    static byte[] littleEndian(BigInteger number) {
        var big = number.toByteArray();
        var out = new byte[32];
        for (int i = 0; i < Math.min(32, big.length); i++) out[i] = big[big.length - 1 - i];
        return out;
    }

    static byte[] reversed(byte[] bytes) {
        var out = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) out[i] = bytes[bytes.length - 1 - i];
        return out;
    }
}
