package sealedpush;

import static sealedpush.Check.equal;
import static sealedpush.Check.file;
import static sealedpush.Check.refuses;
import static sealedpush.Check.test;
import static sealedpush.Check.that;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

/** Keys, their texts and their files. */
final class KeyTests {
    private KeyTests() {}

    static void run(Path folder) {
        test("Ed25519 is RFC 8032's (section 7.1, test 2)", () -> {
            var seed = HexFormat.of().parseHex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
            var pair = Ed25519.keyPair(seed);
            equal("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                    HexFormat.of().formatHex(pair.publicKey()));
            var signature = Ed25519.sign(pair.privateKey(), new byte[] {0x72});
            equal("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                    + "387b2eaeb4302aeeb00d291612bb0c00", HexFormat.of().formatHex(signature));
            that(Ed25519.isValid(signature, new byte[] {0x72}, pair.publicKey()));
            for (int i = 0; i < 64; i++) {
                var other = signature.clone();
                other[i] ^= 1;
                that(!Ed25519.isValid(other, new byte[] {0x72}, pair.publicKey()));
            }
        });
        test("a signature with S beyond the order is refused", () -> {
            var pair = Ed25519.keyPair(Crypto.sha256(new byte[0]));
            var signature = Ed25519.sign(pair.privateKey(), new byte[0]);
            var order = BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
            var s = new BigInteger(1, Bytes.reversed(Arrays.copyOfRange(signature, 32, 64))).add(order);
            System.arraycopy(Bytes.littleEndian(s), 0, signature, 32, 32);
            that(!Ed25519.isValid(signature, new byte[0], pair.publicKey()));
        });
        test("keys of small order and keys that are not canonical are no keys", () -> {
            var p = Ed25519.P;
            var bad = new BigInteger[] {BigInteger.ZERO, BigInteger.ONE, p.subtract(BigInteger.ONE), p,
                p.add(BigInteger.ONE), p.add(BigInteger.valueOf(18))};
            for (var y : bad) {
                var bytes = Bytes.littleEndian(y);
                refuses(KeyException.class, () -> new IdentityKey(bytes));
                bytes[31] |= (byte) 0x80;
                refuses(KeyException.class, () -> new SenderKey(bytes));
            }
            refuses(KeyException.class, () -> new IdentityKey(new byte[31]));
        });
        test("a key's text has its role", () -> {
            var key = SenderIdentity.generate().publicKey();
            equal(key, new SenderKey(" \n" + key.text() + "\n"));
            equal(63, key.text().length());
            refuses(KeyException.class, () -> new IdentityKey(key.text()));
            refuses(KeyException.class, () -> new SenderKey(key.text().replace("sender", "identity")));
            refuses(KeyException.class, () -> new SenderKey(key.text() + "A"));
            refuses(KeyException.class, () -> new SenderKey(""));
        });
        test("zeros and other lengths are no seed", () -> {
            refuses(KeyException.class, () -> new SenderIdentity(new byte[32]));
            refuses(KeyException.class, () -> new SenderIdentity(new byte[31]));
        });
        files(folder);
    }

    private static void files(Path folder) {
        test("a key file is its owner's only, and is never overwritten", () -> {
            var path = folder.resolve("sender.key");
            var sender = SenderIdentity.generate();
            sender.save(path);
            equal("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            equal(sender.publicKey(), SenderIdentity.load(path).publicKey());
            var before = Files.readAllBytes(path);
            file(FileException.Reason.EXISTS, () -> SenderIdentity.generate().save(path));
            that(Arrays.equals(before, Files.readAllBytes(path)));
            try (var all = Files.list(folder)) {
                that(all.noneMatch(file -> file.getFileName().toString().startsWith(".new-")));
            }
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
            file(FileException.Reason.PERMISSIONS, () -> SenderIdentity.load(path));
        });
        test("what is no key file is refused", () -> {
            file(FileException.Reason.NOT_FOUND, () -> SenderIdentity.load(folder.resolve("missing")));
            file(FileException.Reason.NOT_A_FILE, () -> SenderIdentity.load(folder));
            var seed = Base64Url.encode(SenderIdentity.generate().seed());
            load(folder, "# a comment\n\nsealedpush-sender-key-1\n# another\nsender " + seed);
            for (var text : new String[] {"", "\n", "sealedpush-sender-key-1", "sealedpush-sender-key-1\n",
                "sealedpush-sender-key-1\nsender", "sealedpush-sender-key-1\nsender ", "sender " + seed,
                "sealedpush-sender-key-2\nsender " + seed, "sealedpush-sender-key-1\nsender " + seed + "\nsender " + seed,
                "sealedpush-sender-key-1\nsender " + seed + "=", "sealedpush-sender-key-1\nsender " + seed + " ",
                "sealedpush-sender-key-1\nsender " + seed + "\nname x", "sealedpush-sender-key-1\nsender\t" + seed,
                "sealedpush-sender-key-1\r\nsender " + seed, "sealedpush-sender-key-1\nsender " + "A".repeat(43),
                "sealedpush-device-key-1\nsender " + seed}) {
                file(FileException.Reason.MALFORMED, () -> load(folder, text));
            }
            file(FileException.Reason.TOO_LONG, () -> load(folder, "#".repeat(70_000)));
            file(FileException.Reason.EXAMPLE_KEY, () -> load(folder,
                    "# SealedPush example key: published\nsealedpush-sender-key-1\nsender " + seed));
            var random = new Random(2);
            for (int i = 0; i < 500; i++) {
                var bytes = ("sealedpush-sender-key-1\nsender " + seed + "\n").getBytes(StandardCharsets.US_ASCII);
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                try {
                    load(folder, new String(bytes, StandardCharsets.ISO_8859_1));
                } catch (FileException refused) {
                    equal(FileException.Reason.MALFORMED, refused.reason());
                }
            }
        });
        test("no object with a secret prints it", () -> {
            var sender = SenderIdentity.generate();
            var seed = Base64Url.encode(sender.seed());
            var capability = new ReceiptCapability();
            var text = "" + sender + Ed25519.keyPair(sender.seed()) + capability + new Message().title("secret");
            that(!text.contains(seed) && !text.contains(capability.text()) && !text.contains("secret"));
        });
        test("a scanned code is compared as a whole", () -> {
            var one = new Device(1).identity;
            var other = SenderIdentity.generate().publicKey();
            var code = SafetyNumber.code(one, other);
            equal(SafetyNumber.Comparison.MATCH, SafetyNumber.compare(code, other, one));
            var third = SafetyNumber.code(one, SenderIdentity.generate().publicKey());
            equal(SafetyNumber.Comparison.MISMATCH, SafetyNumber.compare(third, one, other));
            for (var text : new String[] {"", code + "A", code.substring(1), "A".repeat(91), "ß".repeat(91)}) {
                equal(SafetyNumber.Comparison.NOT_A_CODE, SafetyNumber.compare(text, one, other));
            }
        });
    }

    private static void load(Path folder, String text) throws Exception {
        var path = folder.resolve("any.key");
        Files.deleteIfExists(path);
        PrivateFile.create(path, text.getBytes(StandardCharsets.ISO_8859_1));
        SenderIdentity.load(path);
    }
}
