import APNSSimulator
import Glibc
import TestSupport
import Testing

struct SignalTests {
    /// Signals of a closed pipe and a long file, and those that are commands to other services.
    private static let strays = [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2]

    @Test
    func `a signal that means nothing here changes nothing, while it starts, serves, reloads and ends (abuse case 99)`()
        throws
    {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        func stray() { for number in Self.strays { process.signal(number) } }
        _ = process.lines(to: "store-opened")
        stray()
        _ = process.lines(to: "ready")
        stray()
        process.signal(SIGHUP)
        stray()
        #expect(process.lines(to: "audit").last?.contains("taken") == true)
        process.signal(SIGTERM)
        stray()
        _ = process.lines(to: "stopping")
        stray()
        #expect(process.lines(to: "stopped").last?.contains("\"event\":\"stopped\"") == true)
        #expect(process.wait() == 0)
        #expect(process.complaint() == "")
    }

    @Test(arguments: [[SIGTERM], [SIGHUP, SIGTERM]])
    func `SIGTERM while it starts, and behind a SIGHUP, ends it in order (abuse case 99)`(_ numbers: [Int32]) throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        _ = process.lines(to: "store-opened")
        for number in numbers { process.signal(number) }
        let lines = process.lines(to: "stopped")
        #expect(lines.last?.contains("\"event\":\"stopped\"") == true)
        #expect(process.wait() == 0)
        #expect(try !folder.folder.names().contains("store.sqlite-wal"))
    }

    @Test func `a second signal to end does not wait, and loses nothing that was accepted (abuse case 99)`()
        async throws
    {
        var silence = InjectionRule(.request(.silence(isProcessed: false)))
        silence.count = 1
        let site = try await ServiceSite(rules: [silence])
        let service = try site.start()
        try await site.register("d1", at: service)
        let id = try #require(try service.send(["d1"]).ids.first)
        // Its answer does not come: the end would wait for it, for seconds.
        await site.board.when { $0.counts[id] == 1 }
        // Both are pending when it continues.
        service.process.signal(SIGSTOP)
        service.process.signal(SIGTERM)
        service.process.signal(SIGINT)
        service.process.signal(SIGCONT)
        #expect(!service.process.rest().contains("\"event\":\"stopped\""))
        #expect(service.process.wait() == 1)
        let next = try site.start()
        await site.board.when { $0.answered.contains(id) }
        #expect(next.stop() == 0)
    }
}
