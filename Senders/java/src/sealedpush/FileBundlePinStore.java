package sealedpush;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * Pins in a folder, shared by the Java processes of a machine. A crash leaves the old pin or the new one.
 *
 * <p>The layout is that of {@code sealedpush seal --pins}, so a sender can move from one to the other. They must not run
 * at the same time: Java locks a file in another way (fcntl) than Swift does (flock).
 */
public final class FileBundlePinStore implements BundlePinStore {
    private static final int PIN_BYTE_COUNT_MAX = 258;
    /** One for each subfolder: Java's file locks exclude processes, not threads. */
    private static final ReentrantLock[] LOCKS =
            IntStream.range(0, 256).mapToObj(i -> new ReentrantLock()).toArray(ReentrantLock[]::new);

    private final Path folder;

    /**
     * Opens or makes the folder; the one above it exists.
     *
     * @throws FileException {@code PERMISSIONS} if group or others could write pins there
     */
    public FileBundlePinStore(Path folder) throws FileException {
        this.folder = folder.toAbsolutePath();
        try {
            makeFolder(this.folder);
            var permissions = Files.getPosixFilePermissions(this.folder);
            if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                    || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new FileException(FileException.Reason.PERMISSIONS, folder);
            }
        } catch (IOException failure) {
            throw new FileException(folder, failure);
        }
    }

    @Override
    public void update(IdentityKey identity, BundleId topic, Change change) throws BundleException, FileException {
        var digest = Crypto.sha256(identity.bytes(), Bytes.ascii(topic.text()));
        var name = HexFormat.of().formatHex(digest);
        var subfolder = folder.resolve(name.substring(0, 2));
        var path = subfolder.resolve(name.substring(2));
        var threads = LOCKS[digest[0] & 0xFF];
        threads.lock();
        try {
            makeFolder(subfolder);
            try (var lockFile = FileChannel.open(subfolder.resolve("lock"),
                            StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var processes = lockFile.lock()) {
                assert processes.isValid();
                update(path, identity, topic, change);
            }
        } catch (IOException failure) {
            throw new FileException(path, failure);
        } finally {
            threads.unlock();
        }
    }

    private void update(Path path, IdentityKey identity, BundleId topic, Change change)
            throws BundleException, FileException, IOException {
        BundlePin pin = null;
        if (Files.exists(path)) {
            pin = BundlePin.decode(PrivateFile.read(path, PIN_BYTE_COUNT_MAX), identity, topic);
            if (pin == null) throw new FileException(FileException.Reason.DAMAGED, path);
        }
        var changed = change.apply(pin);
        if (changed == pin) return;
        if (changed != null) {
            PrivateFile.replace(path, changed.encoded(identity, topic));
        } else {
            Files.delete(path);
            PrivateFile.syncFolder(path);
        }
    }

    /** Forces the folder's name to the disk too: a power loss could take every pin in it along. */
    private static void makeFolder(Path path) throws IOException {
        if (Files.isDirectory(path)) return;
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rwx------")));
            PrivateFile.syncFolder(path);
        } catch (FileAlreadyExistsException another) {
            if (!Files.isDirectory(path)) throw another;
        }
    }
}
