import TestSupport
import Testing

struct OutOfDescriptorsTests {
    @Test(.disabled(if: isSanitized, "a sanitizer has descriptors of its own"))
    func `with no descriptor left it serves who is there, and others when there is room (abuse case 100)`() async throws
    {
        let site = try await ServiceSite()
        let service = try site.start(wrapper: ["/usr/bin/prlimit", "--nofile=64"])
        try await site.register("d1", at: service)
        let first = try #require(try service.send(["d1"]).ids.first)
        await site.board.when { $0.answered.contains(first) }
        // More than the limit: the last of them wait in the listener's queue, and each that closes lets one in.
        var crowd = try (0..<80).map { _ in try PlainCaller(port: service.port) }
        let body = RunningService.notification(to: ["d1"])
        let head = ["POST /v1/notifications HTTP/1.1"] + RunningService.fields(hasBody: true)
        let fields = head + ["Content-Length: \(body.utf8.count)", "Connection: close", "", ""]
        for caller in crowd.prefix(10) {
            caller.write(fields.joined(separator: "\r\n") + body)
            #expect(caller.rest().hasPrefix("HTTP/1.1 202 "))
        }
        await site.board.when { $0.answered.count == 11 }
        // A waiting connection is accepted once others close, and is answered.
        let outside = crowd.removeLast()
        crowd = []
        outside.write(fields.joined(separator: "\r\n") + body)
        #expect(outside.rest().hasPrefix("HTTP/1.1 202 "))
        #expect(try service.send(["d1"]).status == 202)
        await site.board.when { $0.answered.count == 13 }
        #expect(service.stop() == 0)
        #expect(service.process.complaint() == "")
    }

    @Test(arguments: [5, 6, 8, 10, 16, 24, 31])
    func `with too few descriptors it does not start, and the next start has the database`(_ count: Int) throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(
            ["--config", folder.configuration],
            wrapper: ["/usr/bin/prlimit", "--nofile=\(count)"]
        )
        #expect(process.wait() == 78)
        let complaint = process.complaint()
        #expect(complaint.hasPrefix("sealedpushd: the process may have \(count) descriptors open"))
        #expect(complaint.contains("LimitNOFILE"))
        let next = try DaemonProcess(["--config", folder.configuration])
        #expect(next.lines(to: "ready").last?.contains("\"event\":\"ready\"") == true)
        next.signal(15)
        _ = next.rest()
        #expect(next.wait() == 0)
    }
}
