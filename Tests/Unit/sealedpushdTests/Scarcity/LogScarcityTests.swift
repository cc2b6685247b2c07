import TestCertificates
import TestSupport
import Testing

/// A log without a reader: its disk is full, or its reader has gone.
struct LogScarcityTests {
    @Test func `when the log's reader has gone it serves on, and ends in order`() async throws {
        let site = try await ServiceSite()
        let service = try site.start()
        try await site.register("d1", at: service)
        service.process.closeLog()
        var ids = Set(try service.send(["d1"]).ids)
        service.process.signal(1)
        for _ in 0..<10 { ids.formUnion(try service.send(["d1"]).ids) }
        #expect(ids.count == 11)
        let promised = ids
        await site.board.when { $0.answered == promised }
        try await service.until { try promised.allSatisfy { try service.state($0) == "accepted" } }
        service.process.signal(15)
        #expect(service.process.wait() == 0)
        #expect(service.process.complaint() == "")
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs a mount of its own: unshare -rm"))
    func `when the log's disk is full it serves on, and says how many lines are missing when there is room`()
        async throws
    {
        let disk = try SmallDisk(megabytes: 1)
        let folder = try DaemonFolder()
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            wrapper: disk.wrapper + ["/bin/sh", "-c", "exec \"$@\" >>\"$0\"", disk.path + "/log"]
        )
        func log(until isThere: (String) -> Bool) async throws -> String {
            while true {
                // It is missing at the very start.
                if let text = try? disk.text(of: "log"), isThere(text) { return text }
                await Task.yield()
            }
        }
        func count(_ word: String, in text: String) -> Int { text.ranges(of: word).count }
        let started = try await log { $0.contains("\"event\":\"ready\"") }
        let listening = try #require(started.split(separator: "\n").first { $0.contains("\"event\":\"listening\"") })
        let port = try #require(DaemonProcess.value("port", in: String(listening)).flatMap { UInt16($0) })
        try disk.fill()
        // One line each; the rest of the last page may take some of them, whole or in part.
        for _ in 0..<100 {
            process.signal(1)
            let (status, _) = try await HealthCaller.get(port, "/v1/health", trusting: folder.authority.certificatePEM)
            #expect(status == 200)
        }
        try disk.free()
        // Each reload logs something, so the next ones find room.
        let text = try await log { text in
            process.signal(1)
            return text.contains("\"event\":\"log-dropped\"") && text.hasSuffix("\"outcome\":\"taken\"}\n")
        }
        #expect(count("\"event\":\"log-dropped\"", in: text) == 1)
        process.signal(15)
        #expect(process.wait() == 0)
        #expect(process.complaint() == "")
    }
}
