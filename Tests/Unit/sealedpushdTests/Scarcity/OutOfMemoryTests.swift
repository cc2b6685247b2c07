import APNS
import TestSupport
import Testing

/// Memory that runs out under a service.
struct OutOfMemoryTests {
    @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the service's"))
    func `with no memory left it refuses or ends, and loses nothing that it accepted (abuse case 100)`() async throws {
        let site = try await ServiceSite()
        let service = try site.start()
        try await site.register("d1", at: service)
        var ids = Set(try service.send(["d1"]).ids)
        // Room for a few bodies beyond its present use.
        let byteCount = try ProcessLimits.addressByteCount(of: service.process.id) + 24 << 20
        try ProcessLimits.set("--as=\(byteCount):unlimited", of: service.process.id)
        var hogs: [PlainCaller] = []
        var last: RunningService.Answer?
        // Each is a request whose end does not come: its body waits in memory.
        let head = ["POST /v1/notifications HTTP/1.1"] + RunningService.fields(hasBody: true)
        let body = String(repeating: " ", count: 8_000_000)
        while hogs.count < 100, last.map({ $0.status == 202 }) ?? true {
            guard let hog = try? PlainCaller(port: service.port) else { break }
            hog.write((head + ["Content-Length: 8000001", "", ""]).joined(separator: "\r\n") + body)
            hogs.append(hog)
            last = try? service.send(["d1"])
            if last == nil { break }
            ids.formUnion(last?.ids ?? [])
        }
        hogs = []
        #expect(last?.status != 202, "its memory never ended")
        let promised = ids
        // With memory again it recovers from refusals and missing answers. It may also have ended, or be about to.
        try? ProcessLimits.set("--as=unlimited:unlimited", of: service.process.id)
        try await service.until { service.process.hasEnded || (try? service.send(["d1"]).status) == 202 }
        if service.process.hasEnded {
            let code = service.process.wait()
            let complaint = service.process.complaint()
            #expect(code < 0)
            #expect(!complaint.contains(ServiceSite.apiKey))
        } else {
            #expect(service.stop() == 0)
        }
        #expect(try Ended(["integrity", "--config", site.configuration]).output == "ok\n")
        let next = try site.start()
        await site.board.when { $0.answered.isSuperset(of: promised) }
        try await next.until { try promised.allSatisfy { try next.state($0) == "accepted" } }
        #expect(next.stop() == 0)
    }
}
