package howto;

import java.util.LinkedHashMap;
import java.util.Map;
import sealedpush.BundleCache;
import sealedpush.BundleException;
import sealedpush.BundleId;
import sealedpush.BundlePinStore;
import sealedpush.FileException;
import sealedpush.IdentityKey;
import sealedpush.MessageException;
import sealedpush.NotificationClass;
import sealedpush.PreparedMessage;
import sealedpush.Recipient;
import sealedpush.RelayClient;
import sealedpush.RelayException;
import sealedpush.SenderIdentity;
import sealedpush.Submission;

/**
 * Sends to groups of up to 1,000 devices, by one query and one submission each.
 *
 * @param cache holds the largest group's bundles
 */
public record Group(SenderIdentity sender, RelayClient relay, BundlePinStore pins, BundleCache cache, BundleId topic) {
    /** Sends to devices, by their ids at the relay; returns the reasons of those that were left out. */
    public Map<String, String> send(PreparedMessage message, Map<String, IdentityKey> group)
            throws FileException, RelayException, InterruptedException {
        var left = new LinkedHashMap<String, String>();
        var submission = new Submission(NotificationClass.NORMAL);
        var bundles = relay.bundles(group.keySet(), cache);
        for (var device : group.keySet()) {
            if (!bundles.containsKey(device)) {
                left.put(device, "not registered at the relay");
                continue;
            }
            try {
                var recipient = Recipient.verify(bundles.get(device), group.get(device), topic, pins);
                submission.add(device, sender.seal(message, recipient));
            } catch (BundleException | MessageException refused) {
                left.put(device, refused.getMessage());
                // A damaged copy is fetched again the next time.
                cache.forget(device);
            }
        }
        if (left.size() == group.size()) return left;
        for (var rejected : relay.submitPartial(submission).rejected()) {
            left.put(rejected.device(), rejected.problem().detail());
        }
        return left;
    }
}
