package sealedpush;

import java.nio.file.Path;

/** Runs everything; the folder is empty and the tests' own. */
final class AllTests {
    private AllTests() {}

    public static void main(String[] arguments) throws Exception {
        var folder = Path.of(arguments[0]);
        var vectors = new VectorTests(folder).run();
        KeyTests.run(folder);
        PinTests.run(folder);
        MessageTests.run(folder);
        AnnouncementTests.run(folder);
        RelayTests.run(folder);
        PartialTests.run();
        BundleCacheTests.run();
        Check.finish();
        if (!vectors) System.exit(1);
    }
}
