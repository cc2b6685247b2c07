import Glibc
import TestSupport
import Testing

struct SystemdTests {
    @Test(arguments: [false, true])
    func `systemd hears of the start, of beats, of a reload and of the end, in this order`(_ isAbstract: Bool) throws {
        let folder = try DaemonFolder()
        let path = folder.folder.path("notify")
        let name = isAbstract ? "@sealedpushd-test-\(getpid())-\(UInt64.random(in: 0 ... .max))" : path
        let systemd = try NotifySocket(name)
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["NOTIFY_SOCKET=\(name)", "WATCHDOG_USEC=20000"]
        )
        #expect(systemd.next().hasPrefix("READY=1\n"))
        for _ in 0..<3 { #expect(systemd.next() == "WATCHDOG=1") }
        process.signal(SIGHUP)
        let reloading = systemd.nextState().split(separator: "\n")
        #expect(reloading.first == "RELOADING=1")
        let time = reloading.dropFirst().first.map { $0.split(separator: "=") } ?? []
        #expect(time.first == "MONOTONIC_USEC" && time.last.flatMap { UInt64($0) } != nil)
        #expect(systemd.nextState().hasPrefix("READY=1\n"))
        process.signal(SIGTERM)
        #expect(systemd.nextState().hasPrefix("STOPPING=1\n"))
        #expect(process.wait() == 0)
    }

    @Test func `a watchdog of another process is not fed`() throws {
        let folder = try DaemonFolder()
        let systemd = try NotifySocket(folder.folder.path("notify"))
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            environment: ["NOTIFY_SOCKET=\(folder.folder.path("notify"))", "WATCHDOG_USEC=20000", "WATCHDOG_PID=1"]
        )
        #expect(systemd.next().hasPrefix("READY=1\n"))
        process.signal(SIGTERM)
        #expect(systemd.next().hasPrefix("STOPPING=1\n"))
    }
}
