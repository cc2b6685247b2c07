import EndToEndStage
import Envelope
import Glibc
import Keys
import Platform
import TestSupport
import Testing

/// A sidecar that ends as a crash would, again and again: nothing that it answered with 202 is lost or doubled.
///
/// `SEALEDPUSH_SIDECAR_KILLS` sets the number of kills; `.ci/full` has a hundred.
struct SidecarCrashTests {
    private static var killCount: Int {
        unsafe getenv("SEALEDPUSH_SIDECAR_KILLS").flatMap { unsafe Int(String(cString: $0)) } ?? 4
    }

    @Test func `kill -9 under load loses nothing and doubles nothing`() async throws {
        let seed = RunSeed.here()
        try await SidecarStage.with { own in
            var random = SeededRandom(seed: seed)
            // The relay lists 500 of a device.
            let deviceCount = 1 + Self.killCount / 20
            var devices: [String] = []
            for index in 0..<deviceCount { devices.append(try await own.makeDevice("d\(index)")) }
            var ids: [String: Int] = [:]
            for kill in 0..<Self.killCount {
                let device = devices[kill % deviceCount]
                let count = Int.random(in: 1...8, using: &random)
                let delay = Int.random(in: 0...60, using: &random)
                // The last one is sent while the kill is on its way: its answer may be lost, and it is sent again.
                async let last = Self.sendUntilTaken(own, device, "k\(kill)", count)
                try await Task.sleep(for: .milliseconds(delay))
                own.kill()
                try await own.start()
                for id in try await last { ids[id, default: 0] += 1 }
            }
            #expect(ids.values.allSatisfy { $0 == 1 }, "seed \(seed)")
            for id in ids.keys {
                #expect(try await own.settled(id).first?["state"]?.text == "accepted", "seed \(seed)")
            }
            var sum = 0
            for index in 0..<deviceCount { sum += try await own.notificationCount("d\(index)") }
            #expect(sum == ids.count, "seed \(seed)")
        }
    }

    /// As a back end does: the same key and body until there is an answer.
    private static func sendUntilTaken(
        _ own: SidecarStage,
        _ device: String,
        _ name: String,
        _ count: Int
    ) async throws -> [String] {
        var ids: [String] = []
        for index in 0..<count {
            while true {
                // No connection and no answer are one: the process is gone.
                let answer = try? await own.send("\(name)-\(index)", to: [device], key: "\(name)-\(index)")
                if let answer, answer.status == 202 {
                    ids.append(try #require(try answer.json["id"]?.text))
                    break
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        return ids
    }

    @Test func `words are in no file, not in what the process says, and its memory is not for others`() async throws {
        try await SidecarStage.with { own in
            let device = try await own.makeDevice("d1")
            _ = try await own.settled(try #require(try await own.send("before", to: [device]).json["id"]?.text))
            own.stage.killRelay()
            let canary = "the-canary-sings-at-midnight"
            let answer = try await own.send(
                canary,
                to: [device],
                key: "canary",
                more: #","conversation":"canary-room""#
            )
            #expect(answer.status == 202)
            let limits = try String(
                decoding: WholeFile.read("/proc/\(own.id)/limits", byteCountMax: 1 << 16),
                as: UTF8.self
            )
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
            #expect(core.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
            own.kill()
            var names: [String] = []
            for name in try own.names where name.hasPrefix("sidecar") && !name.hasSuffix(".sock") {
                let bytes = try WholeFile.read(own.path(name), byteCountMax: 1 << 26)
                // It is a search that finds: the device's id is in the file.
                if Self.holds(bytes, "d1") { names.append(name) }
                #expect(!Self.holds(bytes, canary) && !Self.holds(bytes, "canary-room"), "\(name)")
            }
            #expect(names.contains { $0.hasPrefix("sidecar.sqlite") })
            #expect(!own.errors.contains(canary))
            #expect(try own.events.all.allSatisfy { !$0.description.contains(canary) })
        }
    }

    private static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        bytes.firstRange(of: Array(text.utf8)) != nil
    }
}
