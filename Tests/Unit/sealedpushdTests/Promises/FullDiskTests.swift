import APNS
import TestSupport
import Testing

struct FullDiskTests {
    @Test(.enabled(if: SmallDisk.isPossible, "needs a mount of its own: unshare -rm"))
    func `a full disk refuses what is new, answers what is asked, and takes again when there is room`() async throws {
        let disk = try SmallDisk(megabytes: 8)
        let site = try await ServiceSite(database: disk.path + "/store.sqlite")
        let service = try site.start(wrapper: disk.wrapper)
        try await site.register("d1", at: service)
        let first = try #require(try service.send(["d1"]).ids.first)
        try disk.fill()
        var ids: Set<APNSID> = [first]
        // SQLite first uses up the room in its own files.
        var refused = try service.send(["d1"])
        while refused.status == 202 {
            ids.formUnion(refused.ids)
            refused = try service.send(["d1"])
        }
        #expect(refused.status == 503 && refused.problem == "storage-full", "\(refused.body)")
        #expect(try service.call("GET", "/v1/notifications/\(first)").status == 200)
        #expect(try service.call("GET", "/v1/health").status == 200)
        // The disk may have had room for an outcome meanwhile, and still takes no notification.
        try await service.until {
            ids.formUnion(try service.send(["d1"]).ids)
            return try service.call("GET", "/v1/readiness").status == 503
        }
        try disk.free()
        // It recovers without a post meanwhile.
        try await service.until { try service.call("GET", "/v1/readiness").status == 200 }
        try await service.until {
            let answer = try service.send(["d1"])
            ids.formUnion(answer.ids)
            return answer.status == 202
        }
        let promised = ids
        let seen = await site.board.when { $0.answered.isSuperset(of: promised) }
        try await service.until { try promised.allSatisfy { try service.state($0) == "accepted" } }
        #expect(try service.needlessRepeats(seen) == [])
        #expect(service.stop() == 0)
    }
    @Test(.enabled(if: SmallDisk.isPossible, "needs a mount of its own: unshare -rm"))
    func `a start on a full disk waits for room, and ends when it is asked to`() async throws {
        for isFreed in [true, false] {
            let disk = try SmallDisk(megabytes: 8, isFull: true)
            let site = try await ServiceSite(database: disk.path + "/store.sqlite")
            let process = try DaemonProcess(["--config", site.configuration], wrapper: disk.wrapper)
            let waiting = try #require(process.lines(to: "store-waiting").last)
            #expect(waiting.contains("the disk is full; make room"), "\(waiting)")
            if isFreed {
                try disk.free()
                let lines = process.lines(to: "ready")
                #expect(lines.last?.contains(#""event":"ready""#) == true)
                #expect(!lines.contains { $0.contains("store-waiting") }, "it is told once")
            }
            process.signal(15)
            _ = process.rest()
            #expect(process.wait() == 0)
        }
    }
}
