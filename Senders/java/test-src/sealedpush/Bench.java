package sealedpush;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;

/** Processor time of a thread that checks a bundle and seals a message, for each of 1,000 recipients. */
final class Bench {
    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        var now = Instant.ofEpochMilli(Device.NOW);
        var sender = SenderIdentity.generate();
        var prepared = PreparedMessage.of(new Message().title("Anna").body("See you at eight"), now, Duration.ofDays(1),
                PreparedMessage.LIFETIME_MAX, Message.Overflow.REFUSE);
        var threads = ManagementFactory.getThreadMXBean();
        // The first rounds are the compiler's.
        for (int round = 1; round <= 6; round++) {
            var devices = new ArrayList<Device>();
            var bundles = new ArrayList<byte[]>();
            for (int i = 0; i < 1_000; i++) {
                devices.add(new Device(i % 200 + 1));
                bundles.add(devices.get(i).bundle(1));
            }
            var start = threads.getCurrentThreadCpuTime();
            var recipients = new ArrayList<Recipient>();
            for (int i = 0; i < 1_000; i++) {
                recipients.add(devices.get(i).recipient(bundles.get(i), new MemoryBundlePinStore()));
            }
            var verified = threads.getCurrentThreadCpuTime();
            for (var recipient : recipients) sender.seal(prepared, recipient, now).sealedField();
            var sealed = threads.getCurrentThreadCpuTime();
            System.out.println("round " + round + ": a bundle " + (verified - start) / 1_000_000 + " us, a message "
                    + (sealed - verified) / 1_000_000 + " us");
        }
    }
}
