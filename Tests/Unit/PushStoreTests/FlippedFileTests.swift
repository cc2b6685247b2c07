import APNS
import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// A database that a disk returns changed, anywhere: whatever happens to the rest, only what was accepted is sent, only
/// to its device, and the process lives on.
struct FlippedFileTests {
    private enum Damage: CaseIterable { case bit, bytes, zeroedPage, cut, swappedPages }

    private static let pageByteCount = 8_192
    private static let entryCount: UInt64 = 60

    private static func made() async throws -> [UInt8] {
        let file = try StoreAtRest()
        let store = try file.open()
        _ = try await store.put(try (1...20).map { try StorePattern.registration($0) }, now: .after(0))
        for number in 1...entryCount {
            _ = try await store.store(try StorePattern.entry(number, device: 1 + Int(number % 20)))
        }
        await store.close()
        return try Self.read(file.path)
    }

    private static func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        let pageCount = bytes.count / pageByteCount
        let page = Int.random(in: 0..<pageCount, using: &random) * pageByteCount
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Damage.allCases.randomElement(using: &random) ?? .bit {
        case .bit: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .bytes:
            for index in place..<min(bytes.count, place + 16) {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        case .zeroedPage: for index in page..<page + pageByteCount { bytes[index] = 0 }
        case .cut: bytes.removeLast(bytes.count - page)
        case .swappedPages:
            let other = Int.random(in: 0..<pageCount, using: &random) * pageByteCount
            for offset in 0..<pageByteCount { bytes.swapAt(page + offset, other + offset) }
        }
        return bytes
    }

    @Test func `a file damaged anywhere gives out what was stored, or less, and nothing else (abuse case 97)`()
        async throws
    {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let whole = try await Self.made()
        #expect(whole.count > 4 * Self.pageByteCount)
        var (refusedCount, rightCount) = (0, 0)
        for round in 0..<120 {
            let file = try StoreAtRest()
            try Self.write(Self.damaged(whole, &random), file.path)
            let store: SQLiteStore
            do {
                store = try file.open()
            } catch is StoreError {
                refusedCount += 1
                continue
            }
            for leased in (try? await store.takeAll()) ?? [] {
                let isRight = try (1...Self.entryCount).contains { number in
                    let entry = try StorePattern.entry(number, device: 1 + Int(number % 20))
                    return leased.entry.apnsID == entry.apnsID && leased.payload == entry.payload
                        && leased.entry.device == entry.device && leased.entry.topic == entry.topic
                        && leased.entry.collapseID == entry.collapseID && leased.entry.expiration == entry.expiration
                }
                #expect(isRight, "seed \(seed), round \(round)")
                rightCount += 1
            }
            for number in 1...20 {
                let registration = try StorePattern.registration(number)
                guard case .found(let found)? = try? await store.devices([registration.key]).first else { continue }
                #expect(found.token == registration.token, "seed \(seed), round \(round)")
            }
            // Whatever it reports: it returns.
            _ = try? await store.integrityReport()
            await store.close()
        }
        // Many damages hit unused bytes, or are refused at the opening.
        #expect(refusedCount > 0 && rightCount > 0, "seed \(seed): \(refusedCount) refused, \(rightCount) right")
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemFailure(call: "open", code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe Platform.read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemFailure(call: "open", code: errno) }
        defer { close(file) }
        guard unsafe Platform.write(file, bytes, bytes.count) == bytes.count else {
            throw SystemFailure(call: "write", code: errno)
        }
    }
}
