import java.nio.file.Files;
import java.nio.file.Path;
import sealedpush.BundleId;
import sealedpush.FileBundlePinStore;
import sealedpush.FileException;
import sealedpush.IdentityKey;
import sealedpush.Message;
import sealedpush.NotificationClass;
import sealedpush.PreparedMessage;
import sealedpush.Recipient;
import sealedpush.RelayClient;
import sealedpush.SenderIdentity;
import sealedpush.Submission;

/** Sends one message to the device "d1": java Send FOLDER RELAY API-KEY-FILE AUTHORITIES TEXT. */
public class Send {
    public static void main(String[] arguments) throws Exception {
        var folder = Path.of(arguments[0]);
        var topic = new BundleId("com.example.chat");
        var sender = loadSender(folder.resolve("sender.key"));
        // From the app, over your own authenticated connection. Never from the relay.
        var identity = new IdentityKey(Files.readString(folder.resolve("identity.pub")));
        var pins = new FileBundlePinStore(folder.resolve("pins"));
        var relay = new RelayClient(arguments[1], Files.readString(Path.of(arguments[2])).strip(), Path.of(arguments[3]));

        var recipient = Recipient.verify(relay.bundle("d1"), identity, topic, pins);
        var message = new Message().title("Anna").body(arguments[4]).conversation("chat-7");
        var sealed = sender.seal(PreparedMessage.of(message), recipient);
        for (var accepted : relay.submit(new Submission(NotificationClass.NORMAL).add("d1", sealed))) {
            System.out.println("accepted " + accepted.id());
        }
    }

    /** The key in a file: made at the first start, loaded at every other. */
    static SenderIdentity loadSender(Path path) throws FileException {
        try {
            return SenderIdentity.load(path);
        } catch (FileException error) {
            if (error.reason() != FileException.Reason.NOT_FOUND) throw error;
            var sender = SenderIdentity.generate();
            sender.save(path);
            return sender;
        }
    }
}
