package sealedpush;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.spec.SecretKeySpec;

/** File that was encrypted for a host of attachments (docs/protocol.md, section 21), with the key that opens it. */
public final class SealedAttachment {
    private static final int CHUNK = 16_384;
    private static final String HMAC = "HmacSHA512";

    private final byte[] id;
    private final byte[] key;
    private final long size;

    private SealedAttachment(byte[] id, byte[] key, long size) {
        this.id = id;
        this.key = key;
        this.size = size;
    }

    /**
     * Encrypts a file under a new key, in constant memory.
     *
     * @param target made with mode 0600, never overwritten, and deleted after an error
     */
    public static SealedAttachment seal(Path source, Path target) throws FileException {
        var random = new SecureRandom();
        var secrets = new byte[3][];
        var byteCounts = new int[] {16, 32, 24};
        for (int i = 0; i < 3; i++) random.nextBytes(secrets[i] = new byte[byteCounts[i]]);
        return seal(source, target, secrets[0], secrets[1], secrets[2]);
    }

    static SealedAttachment seal(Path source, Path target, byte[] id, byte[] key, byte[] salt) throws FileException {
        try {
            if (!Files.isRegularFile(source)) {
                throw new FileException(Files.exists(source) ? FileException.Reason.NOT_A_FILE
                        : FileException.Reason.NOT_FOUND, source);
            }
            var size = Files.size(source);
            if (size > AttachmentPointer.SIZE_MAX) throw new FileException(FileException.Reason.TOO_LONG, source);
            var isSealed = false;
            try (var in = Files.newInputStream(source); var out = PrivateFile.open(target)) {
                if (!write(in, size, out, id, key, salt)) throw new FileException(FileException.Reason.CHANGED, source);
                isSealed = true;
            } catch (FileAlreadyExistsException taken) {
                isSealed = true;
                throw new FileException(FileException.Reason.EXISTS, target);
            } finally {
                if (!isSealed) Files.deleteIfExists(target);
            }
            return new SealedAttachment(id, key, size);
        } catch (NoSuchFileException missing) {
            throw new FileException(FileException.Reason.NOT_FOUND, source);
        } catch (IOException failure) {
            throw new FileException(target, failure);
        }
    }

    /** Writes salt, commitment and chunks; false if the file is not as long as it was. */
    private static boolean write(InputStream in, long size, FileChannel out, byte[] id, byte[] key, byte[] salt)
            throws IOException {
        var info = Bytes.concat(Bytes.ascii("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM"), new byte[] {0}, salt,
                Bytes.lengthPrefixed("SealedPush/1 attachment"), id);
        var derived = Crypto.expand(HMAC, key, info, 32 + 12 + 32);
        var chunkKey = new SecretKeySpec(derived, 0, 32, "AES");
        var nonce = Arrays.copyOfRange(derived, 32, 44);
        writeAll(out, salt);
        writeAll(out, Arrays.copyOfRange(derived, 44, 76));
        Arrays.fill(derived, (byte) 0);
        var buffer = new byte[CHUNK];
        var padded = AttachmentPointer.padded(size);
        try {
            for (long n = 0; n <= padded / CHUNK; n++) {
                var count = (int) Math.min(CHUNK, padded - n * CHUNK);
                var fileCount = (int) Math.max(0, Math.min(count, size - n * CHUNK));
                if (in.readNBytes(buffer, 0, fileCount) != fileCount) return false;
                Arrays.fill(buffer, fileCount, CHUNK, (byte) 0);
                writeAll(out, Crypto.aesGcm(chunkKey, nonce(nonce, n), buffer, count));
            }
            return in.read() < 0;
        } finally {
            Arrays.fill(buffer, (byte) 0);
        }
    }

    /** The base nonce XOR the chunk's number. */
    private static byte[] nonce(byte[] base, long n) {
        var nonce = base.clone();
        for (int i = 0; i < 8; i++) nonce[11 - i] ^= (byte) (n >> 8 * i);
        return nonce;
    }

    private static void writeAll(FileChannel out, byte[] bytes) throws IOException {
        for (var rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) out.write(rest);
    }

    /**
     * Points to the file where it was uploaded.
     *
     * @param url where devices fetch it, 200 bytes at most
     * @param type media type without parameters, in lower case
     */
    public AttachmentPointer pointer(String url, String type) throws MessageException {
        return new AttachmentPointer(id, key, size, url, type);
    }
}
