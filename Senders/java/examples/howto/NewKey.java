package howto;

import java.nio.file.Path;
import sealedpush.Announcement;
import sealedpush.AnnouncementException;
import sealedpush.BundleId;
import sealedpush.FileException;
import sealedpush.SenderIdentity;

/** Replaces a sender's key. */
public final class NewKey {
    private NewKey() {}

    /** Makes and saves the next key; returns the announcement for the app's devices. */
    public static Announcement announce(SenderIdentity old, Path path, BundleId topic)
            throws FileException, AnnouncementException {
        var next = SenderIdentity.generate();
        next.save(path);
        return old.announceSuccessor(next, topic);
    }
}
