package sealedpush;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;

/** Small files of mode 0600, read in bounds and written whole or not at all. POSIX file systems only. */
final class PrivateFile {
    private static final Set<PosixFilePermission> OTHERS = EnumSet.range(
            PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_EXECUTE);
    static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private PrivateFile() {}

    /** Reads a file of the owner's only, of {@code byteCountMax} bytes at most. The caller wipes the bytes. */
    static byte[] read(Path path, int byteCountMax) throws FileException {
        try {
            // Before opening: a pipe would hold the caller.
            var attributes = Files.readAttributes(path, PosixFileAttributes.class);
            if (!attributes.isRegularFile()) throw new FileException(FileException.Reason.NOT_A_FILE, path);
            try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
                var size = channel.size();
                if (size > byteCountMax) throw new FileException(FileException.Reason.TOO_LONG, path);
                var bytes = ByteBuffer.allocate((int) size);
                while (bytes.hasRemaining()) {
                    if (channel.read(bytes) < 0) throw new FileException(FileException.Reason.CHANGED, path);
                }
                if (attributes.permissions().stream().anyMatch(OTHERS::contains)) {
                    java.util.Arrays.fill(bytes.array(), (byte) 0);
                    throw new FileException(FileException.Reason.PERMISSIONS, path);
                }
                return bytes.array();
            }
        } catch (NoSuchFileException missing) {
            throw new FileException(FileException.Reason.NOT_FOUND, path);
        } catch (IOException failure) {
            throw new FileException(path, failure);
        }
    }

    /** Creates a file that is not there yet; of two processes at once one gets {@code EXISTS}. */
    static void create(Path path, byte[] bytes) throws FileException {
        write(path, bytes, false);
    }

    /** Writes a file beside its place, forces it to the disk, and renames it. */
    static void replace(Path path, byte[] bytes) throws FileException {
        write(path, bytes, true);
    }

    private static void write(Path path, byte[] bytes, boolean replaces) throws FileException {
        var place = path.toAbsolutePath();
        var temporary = place.resolveSibling(".new-" + UUID.randomUUID());
        try {
            try (var channel = open(temporary)) {
                for (var rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) channel.write(rest);
                channel.force(true);
            }
            // A link, unlike a rename, never replaces.
            if (replaces) Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE);
            else Files.createLink(place, temporary);
            syncFolder(place);
        } catch (FileAlreadyExistsException taken) {
            throw new FileException(FileException.Reason.EXISTS, path);
        } catch (IOException failure) {
            throw new FileException(path, failure);
        } finally {
            // A remainder has mode 0600 and a name of its own: failing to delete it harms nothing.
            temporary.toFile().delete();
        }
    }

    /** Opens a new file of mode 0600. */
    static FileChannel open(Path path) throws IOException {
        return FileChannel.open(path, NEW, PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rw-------")));
    }

    static void syncFolder(Path path) throws IOException {
        try (var folder = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
