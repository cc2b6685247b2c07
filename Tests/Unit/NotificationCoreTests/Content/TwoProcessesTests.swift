import Envelope
import Foundation
import Keys
import TestSupport
import Testing

@testable import NotificationCore

/// The container's small files under app and extension at once: badge, map of requests, lease.
struct TwoProcessesTests {
    private static let count = 1_000
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func `two processes that count, record and renew at once lose nothing, and neither sees a half`() async throws
    {
        let folder = try TemporaryFolder()
        let container = SharedContainer(path: folder.path)
        try container.badge.set(0, ifMissing: .create)
        try container.foregroundLease.take(for: .seconds(30), now: Self.now)
        await withTaskGroup { group in
            for number in 0..<2 {
                group.addTask { [path = folder.path] in
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        try Self.race(number, in: path)
                    }
                }
            }
        }
        #expect(try container.badge.count() == 2 * Self.count)
        for number in 0..<2 {
            for step in stride(from: 0, to: Self.count, by: 10) {
                #expect(try container.requests.requestID(for: Self.key(number, step)) == "\(number)-\(step)")
            }
        }
    }

    private static func race(_ number: Int, in folder: String) throws {
        let container = SharedContainer(path: folder)
        _ = FileManager.default.createFile(atPath: folder + "/ready-\(number)", contents: nil)
        while !FileManager.default.fileExists(atPath: folder + "/ready-\(1 - number)") { sched_yield() }
        for step in 0..<count {
            try #require(try container.badge.increment() != nil)
            if number == 0 { try container.foregroundLease.take(for: .seconds(30), now: now) }
            try #require(container.foregroundLease.isHeld(now: now))
            guard step % 10 == 0 else { continue }
            try container.requests.record("\(number)-\(step)", for: [key(number, step)])
        }
    }

    private static func key(_ number: Int, _ step: Int) throws -> RequestMap.Key {
        let bytes = [UInt8(number), UInt8(step >> 8), UInt8(step & 0xFF)] + [UInt8](repeating: 0, count: 13)
        return try #require(RequestMap.Key(bytes: bytes))
    }
}
