import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import sealedpush.BundleId;
import sealedpush.FileBundlePinStore;
import sealedpush.IdentityKey;
import sealedpush.Message;
import sealedpush.PreparedMessage;
import sealedpush.Recipient;
import sealedpush.SenderIdentity;

/** The same as cost.py, in Java. */
public class Cost {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    public static void main(String[] arguments) throws Exception {
        var sender = SenderIdentity.load(Path.of(arguments[0]));
        var lines = Files.readAllLines(Path.of(arguments[1]));
        var pins = new FileBundlePinStore(Path.of(arguments[2]));
        var topic = new BundleId("com.example.chat");
        var begin = SYSTEM.getProcessCpuTime();
        var recipients = new ArrayList<Recipient>();
        for (var line : lines) {
            var words = line.split(" ");
            var bundle = Base64.getUrlDecoder().decode(words[2]);
            recipients.add(Recipient.verify(bundle, new IdentityKey(words[1]), topic, pins));
        }
        System.out.println((SYSTEM.getProcessCpuTime() - begin) / lines.size());
        for (int round = 0; round < Integer.parseInt(arguments[3]); round++) {
            var start = SYSTEM.getProcessCpuTime();
            var prepared = PreparedMessage.of(new Message().title("Anna").body("See you at eight"));
            var sealed = new ArrayList<String>();
            for (var recipient : recipients) sealed.add(sender.seal(prepared, recipient).sealedField());
            System.out.println((SYSTEM.getProcessCpuTime() - start) / sealed.size());
        }
    }
}
