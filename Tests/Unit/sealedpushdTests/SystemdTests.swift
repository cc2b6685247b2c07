import Glibc
import TestSupport
import Testing

@testable import PushStore

struct SystemdTests {
    /// Without heartbeats: the system keeps ten datagrams for a slow reader, and the service never waits.
    @Test(arguments: [false, true])
    func `systemd hears of the start, of a reload and of the end, in this order`(_ isAbstract: Bool) throws {
        let folder = try DaemonFolder()
        let path = folder.folder.path("notify")
        let name = isAbstract ? "@sealedpushd-test-\(getpid())-\(UInt64.random(in: 0 ... .max))" : path
        let systemd = try NotifySocket(name)
        let process = try DaemonProcess(["--config", folder.configuration], environment: ["NOTIFY_SOCKET=\(name)"])
        #expect(systemd.next().hasPrefix("READY=1\n"))
        process.signal(SIGHUP)
        let reloading = systemd.next().split(separator: "\n")
        #expect(reloading.first == "RELOADING=1")
        let time = reloading.dropFirst().first.map { $0.split(separator: "=") } ?? []
        #expect(time.first == "MONOTONIC_USEC" && time.last.flatMap { UInt64($0) } != nil)
        #expect(systemd.next().hasPrefix("READY=1\n"))
        process.signal(SIGTERM)
        #expect(systemd.next().hasPrefix("STOPPING=1\n"))
        #expect(process.wait() == 0)
    }

    @Test func `systemd hears that the database is brought forward, and gives the start more time`() throws {
        let folder = try DaemonFolder()
        let version = Schema.steps.count - 1
        let file = try folder.folder.makeFile("store.sqlite", "")
        try Migration.run(
            try SQLiteConnection(path: file, fileSystem: nil),
            steps: Array(Schema.steps.prefix(version))
        )
        let systemd = try NotifySocket(folder.folder.path("notify"))
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["NOTIFY_SOCKET=\(folder.folder.path("notify"))"]
        )
        #expect(systemd.next().hasPrefix("EXTEND_TIMEOUT_USEC=300000000\n"))
        let upgrading = try #require(process.lines(to: "store-opened").first { $0.contains("store-upgrading") })
        #expect(DaemonProcess.value("version-before", in: upgrading) == "\(version)")
        process.signal(SIGTERM)
        #expect(process.wait() == 0)
    }

    @Test func `systemd hears beats after the start, and behind a reload`() throws {
        let folder = try DaemonFolder()
        let systemd = try NotifySocket(folder.folder.path("notify"))
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["NOTIFY_SOCKET=\(folder.folder.path("notify"))", "WATCHDOG_USEC=20000"]
        )
        #expect(systemd.next().hasPrefix("READY=1\n"))
        for _ in 0..<3 { #expect(systemd.next() == "WATCHDOG=1") }
        process.signal(SIGHUP)
        _ = process.lines(to: "audit")
        // More than the system keeps: the last of them came behind it.
        for _ in 0..<40 where systemd.next() == "" {
            Issue.record("no beat")
            return
        }
        process.signal(SIGTERM)
        _ = process.lines(to: "stopped")
        #expect(process.wait() == 0)
    }

    @Test func `a watchdog of another process is not fed`() throws {
        let folder = try DaemonFolder()
        let systemd = try NotifySocket(folder.folder.path("notify"))
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["NOTIFY_SOCKET=\(folder.folder.path("notify"))", "WATCHDOG_USEC=200", "WATCHDOG_PID=1"]
        )
        #expect(systemd.next().hasPrefix("READY=1\n"))
        // Time for hundreds of heartbeats, the first of which would come at once.
        for _ in 0..<3 {
            process.signal(SIGHUP)
            #expect(systemd.next().hasPrefix("RELOADING=1\n"))
            #expect(systemd.next().hasPrefix("READY=1\n"))
        }
        process.signal(SIGTERM)
        #expect(systemd.next().hasPrefix("STOPPING=1\n"))
    }
}
