import Glibc
import Testing
import UserNotifications

@testable import ExtensionHarness

struct ProcessFilesTests {
    @Test func `the footprint is what the process wrote to, wherever it is`() {
        let status = """
            Name:\tx
            VmRSS:\t    9999 kB
            RssAnon:\t    100 kB
            RssFile:\t    5000 kB
            RssShmem:\t    20 kB
            VmSwap:\t    3 kB
            """
        #expect(Footprint.byteCount(status: status) == 123 * 1_024)
    }

    @Test(arguments: [
        "", "RssAnon: 1 kB", "RssAnon: 1 kB\nRssShmem: 1 kB\nVmSwap: x kB",
        "RssAnon: 9223372036854775807 kB\nRssShmem: 1 kB\nVmSwap: 1 kB", "RssAnon: 1 MB\nRssShmem: 1 kB\nVmSwap: 1 kB",
    ])
    func `a process without these numbers has no footprint`(_ status: String) {
        #expect(Footprint.byteCount(status: status) == nil)
    }

    @Test func `this process has one, and a process that is not there has none`() {
        #expect(Footprint.byteCount(of: getpid()) ?? 0 > 1 << 20)
        #expect(Footprint.byteCount(of: .max) == nil)
    }

    @Test func `a lock that this process takes is seen, and seen no more when it is let go`() throws {
        let place = SharedPlace()
        let file = unsafe open(place.url.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        #expect(!HeldLocks.isAny(of: getpid(), in: place.url.path))
        try #require(flock(file, LOCK_EX) == 0)
        #expect(HeldLocks.isAny(of: getpid(), in: place.url.path))
        #expect(!HeldLocks.isAny(of: getpid(), in: place.url.path + "/other"))
        try #require(flock(file, LOCK_UN) == 0)
        #expect(!HeldLocks.isAny(of: getpid(), in: place.url.path))
    }

    @Test(arguments: [
        ("low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\n", 2), ("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", 0),
        ("", nil),
        ("oom_kill\n", nil), ("oom_kill 1 2\n", nil), ("oom_kill x", nil),
    ])
    func `both versions of control groups count kills alike`(_ events: String, _ count: Int?) {
        #expect(MemoryGroup.killCount(events: events) == count)
    }

    @Test func `a folder that is no control group limits nothing, and stays as it was`() throws {
        let place = SharedPlace()
        #expect(MemoryGroup(byteCountMax: 1 << 20, in: [place.url.path + "/absent", place.url.path]) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path).count == 1)
    }
}
