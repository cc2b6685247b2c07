package sealedpush;

import static sealedpush.Check.bundle;
import static sealedpush.Check.equal;
import static sealedpush.Check.file;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** Bundles against pins, in memory and in files. */
final class PinTests {
    private static final Instant NOW = Instant.ofEpochMilli(Device.NOW);

    private PinTests() {}

    static void run(Path folder) throws Exception {
        for (var name : new String[] {"in memory", "in a folder"}) {
            for (int i = 0; i < 4; i++) {
                var pins = name.equals("in memory") ? new MemoryBundlePinStore()
                        : new FileBundlePinStore(folder.resolve("pins" + i));
                rules(i, name, pins);
            }
        }
        files(folder);
        test("a copy is fetched anew after seven days, and when it is of the future", () -> {
            var recipient = new Device(1).recipient();
            equal(false, recipient.needsRefresh(NOW));
            equal(false, recipient.needsRefresh(NOW.plus(Duration.ofDays(7)).minusMillis(1)));
            equal(true, recipient.needsRefresh(NOW.plus(Duration.ofDays(7))));
            equal(true, recipient.needsRefresh(NOW.minusMillis(1)));
        });
        test("an older copy of the same bundle does not make its pin older", () -> {
            var device = new Device(1);
            var pins = new MemoryBundlePinStore();
            var bytes = device.bundle(1);
            device.recipient(bytes, pins);
            var old = Recipient.verify(bytes, NOW.minus(Duration.ofDays(8)), device.identity, Device.TOPIC,
                    ProtectionClass.AFTER_FIRST_UNLOCK, pins, NOW);
            equal(false, old.needsRefresh(NOW));
        });
        test("any bytes are a refusal, and change no pin", () -> {
            var device = new Device(2);
            var pins = new MemoryBundlePinStore();
            var valid = device.bundle(5);
            device.recipient(valid, pins);
            var before = pin(device, pins);
            var random = new Random(1);
            for (int i = 0; i < 500; i++) {
                var bytes = i % 2 == 0 ? valid.clone() : Arrays.copyOf(valid, random.nextInt(valid.length + 40));
                for (int j = random.nextInt(3); j >= 0 && bytes.length > 0; j--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
                if (Arrays.equals(bytes, valid)) continue;
                Check.refuses(BundleException.class, () -> device.recipient(bytes, pins));
            }
            equal(before, pin(device, pins));
        });
    }

    private static BundlePin pin(Device device, BundlePinStore pins) throws Exception {
        var found = new BundlePin[1];
        pins.update(device.identity, Device.TOPIC, pin -> found[0] = pin);
        return found[0];
    }

    private static void rules(int rule, String where, BundlePinStore pins) {
        var device = new Device(3);
        switch (rule) {
            case 0 -> test("an older bundle is rolled-back, " + where, () -> {
                device.recipient(device.bundle(7), pins);
                var before = pin(device, pins);
                bundle("rolled-back", () -> device.recipient(device.bundle(6), pins));
                equal(before, pin(device, pins));
                device.recipient(device.bundle(8), pins);
                bundle("rolled-back", () -> device.recipient(device.bundle(7), pins));
            });
            case 1 -> test("a second bundle of one epoch is equivocation, " + where, () -> {
                var bytes = device.bundle(7);
                device.recipient(bytes, pins);
                bundle("equivocation", () -> device.recipient(device.bundle(7), pins));
                device.recipient(bytes, pins);
            });
            case 2 -> test("a changed identity is other-identity, " + where, () -> {
                device.recipient(device.bundle(7), pins);
                var stranger = new Device(4);
                bundle("other-identity", () -> device.recipient(stranger.bundle(8), pins));
                var forged = stranger.bundle(8);
                System.arraycopy(device.identity.bytes(), 0, forged, 1, 32);
                bundle("bad-signature", () -> device.recipient(forged, pins));
                equal(7L, pin(device, pins).epoch());
            });
            default -> test("a lower suite is refused until a person resets it, " + where, () -> {
                var high = new BundlePin(5, Base64Url.encode(new byte[32]), 2, 0, 0, 0);
                pins.update(device.identity, Device.TOPIC, none -> high);
                bundle("suite-downgrade", () -> device.recipient(device.bundle(6), pins));
                pins.resetSuites(device.identity, Device.TOPIC);
                bundle("rolled-back", () -> device.recipient(device.bundle(4), pins));
                device.recipient(device.bundle(6), pins);
                pins.forget(device.identity, Device.TOPIC);
                device.recipient(device.bundle(4), pins);
            });
        }
    }

    private static void files(Path folder) {
        test("a bundle without the wanted class is refused", () -> {
            var device = new Device(5);
            bundle("no-prekey", () -> device.recipient(device.bundle(1, 2, Device.newKey()), new MemoryBundlePinStore()));
        });
        test("pins outlive their process, and are their owner's only", () -> {
            var device = new Device(6);
            var place = folder.resolve("kept");
            device.recipient(device.bundle(9), new FileBundlePinStore(place));
            equal("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(place)));
            bundle("rolled-back", () -> device.recipient(device.bundle(8), new FileBundlePinStore(place)));
        });
        test("a damaged pin is no absent pin", () -> {
            var device = new Device(7);
            var place = folder.resolve("damaged");
            var pins = new FileBundlePinStore(place);
            device.recipient(device.bundle(9), pins);
            Path path;
            try (var all = Files.walk(place)) {
                path = all.filter(file -> file.getFileName().toString().length() == 62).findFirst().orElseThrow();
            }
            var bytes = Files.readAllBytes(path);
            equal("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            for (int i = 0; i < bytes.length; i++) {
                var damaged = bytes.clone();
                damaged[i] ^= 1;
                Files.write(path, damaged);
                file(FileException.Reason.DAMAGED, () -> device.recipient(device.bundle(10), pins));
            }
            Files.write(path, Arrays.copyOf(bytes, bytes.length - 1));
            file(FileException.Reason.DAMAGED, () -> device.recipient(device.bundle(10), pins));
            Files.write(path, new byte[300]);
            file(FileException.Reason.TOO_LONG, () -> device.recipient(device.bundle(10), pins));
            Files.write(path, bytes);
            // Another device's pin in this place.
            var other = new Device(8);
            that(BundlePin.decode(bytes, other.identity, Device.TOPIC) == null);
            that(BundlePin.decode(bytes, device.identity, new BundleId("com.example.other")) == null);
            device.recipient(device.bundle(10), pins);
        });
        test("a folder that others can write is refused", () -> {
            var place = folder.resolve("open");
            new FileBundlePinStore(place);
            Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwx---"));
            file(FileException.Reason.PERMISSIONS, () -> new FileBundlePinStore(place));
        });
        test("threads that take bundles at once keep the highest epoch", () -> {
            var device = new Device(9);
            var place = folder.resolve("threads");
            var work = new ArrayList<Callable<Void>>();
            for (long epoch = 1; epoch <= 40; epoch++) {
                var bytes = device.bundle(epoch);
                work.add(() -> {
                    try {
                        device.recipient(bytes, new FileBundlePinStore(place));
                    } catch (BundleException older) {
                        equal("rolled-back", older.refusal().word());
                    }
                    return null;
                });
            }
            var threads = Executors.newFixedThreadPool(8);
            try {
                for (var done : threads.invokeAll(work)) done.get();
            } finally {
                threads.shutdown();
            }
            equal(40L, pin(device, new FileBundlePinStore(place)).epoch());
        });
    }
}
