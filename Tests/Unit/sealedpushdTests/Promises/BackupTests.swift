import APNS
import Glibc
import TestSupport
import Testing

/// A back-up of a service at work, restored in its place.
struct BackupTests {
    @Test func `a copy made while it sends has all that was accepted before, and goes on from there`() async throws {
        let site = try await ServiceSite()
        let service = try site.start()
        try await site.register("d1", at: service)
        var copies: [(path: String, ids: Set<APNSID>)] = []
        var ids: Set<APNSID> = []
        for number in 0..<3 {
            for _ in 0..<20 { ids.formUnion(try service.send(["d1"]).ids) }
            copies.append((site.folder.path("copy\(number)"), ids))
            let words = ["backup", site.folder.path("copy\(number)"), "--config", site.configuration]
            let backup = try DaemonProcess(words)
            for _ in 0..<20 { ids.formUnion(try service.send(["d1"]).ids) }
            #expect(backup.wait() == 0, "\(backup.complaint())")
        }
        #expect(ids.count == 120)
        service.kill()
        for copy in copies {
            for ending in ["", "-wal", "-shm"] { _ = unsafe unlink(site.folder.path("store.sqlite" + ending)) }
            #expect(unsafe rename(copy.path, site.folder.path("store.sqlite")) == 0)
            #expect(try Ended(["integrity", "--config", site.configuration]).output == "ok\n")
            let acknowledged = try Ended(["acknowledge-restore", "send", "--config", site.configuration])
            #expect(acknowledged.output.hasPrefix("acknowledged (backup): "), "\(acknowledged.complaint)")
            let restored = try site.start()
            for id in copy.ids { #expect(try restored.state(id) != nil) }
            let known = copy.ids
            try await restored.until { try known.allSatisfy { try restored.state($0) == "accepted" } }
            // It takes and sends as before.
            let more = try #require(try restored.send(["d1"]).ids.first)
            await site.board.when { $0.answered.contains(more) }
            #expect(restored.stop() == 0)
        }
    }
}
