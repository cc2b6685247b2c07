import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Pages that the disk has changed. The device lookup reads them without a check of their cells.
struct DamagedPageTests {
    private static let roundCount = 40
    private static let changeCount = 40
    private static let pageByteCount = 8_192

    private let file: StoreAtRest
    private let registrations: [Device.Registration]

    init() throws {
        file = try StoreAtRest()
        registrations = try (1...300).map { try StorePattern.registration($0, version: UInt64($0)) }
    }

    /// Opens with a fixed hash, so that a seed hits the same rows in every run.
    private func open() throws(StoreError) -> SQLiteStore {
        let settings = StoreSettings(deviceHash: { _, device in
            var sum = Checksum()
            sum.add(device)
            return sum.value
        })
        return try SQLiteStore(
            path: file.path,
            key: try StorePattern.key(),
            settings: settings,
            now: StorePattern.start
        )
    }

    @Test func `a look at them finds a device, misses it or fails, and no token is another's (abuse case 97)`()
        async throws
    {
        let store = try open()
        _ = try await store.put(registrations, now: .after(0))
        await store.close()
        let whole = try read()
        var random = SeededRandom(seed: 0x5061_6765_7321)
        var outcomes: Set<String> = []
        for _ in 0..<Self.roundCount {
            var bytes = whole
            for _ in 0..<Self.changeCount {
                // The first page identifies the file.
                let rest = UInt64(bytes.count - Self.pageByteCount)
                bytes[Self.pageByteCount + Int(random.next() % rest)] = UInt8(truncatingIfNeeded: random.next())
            }
            try write(bytes)
            do throws(StoreError) {
                let damaged = try open()
                for registration in registrations { outcomes.insert(await outcome(registration, damaged)) }
                await damaged.close()
            } catch {
                outcomes.insert("not opened")
            }
        }
        #expect(outcomes.isSuperset(of: ["found", "missing", "damaged"]) && !outcomes.contains("mixed up"))
    }

    private func outcome(_ registration: Device.Registration, _ store: SQLiteStore) async -> String {
        do throws(StoreError) {
            switch try await store.devices([registration.key])[0] {
            // Words have no checksum of their own, tokens have.
            case .found(let device): return device.token == registration.token ? "found" : "mixed up"
            case .missing: return "missing"
            case .damaged: return "damaged"
            }
        } catch {
            return "error"
        }
    }

    private func read() throws -> [UInt8] {
        let descriptor = try StoreFile.open(file.path, 0)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        #expect(unsafe pread(descriptor, &bytes, bytes.count, 0) == bytes.count)
        return bytes
    }

    private func write(_ bytes: [UInt8]) throws {
        for suffix in ["-wal", "-shm"] { unsafe unlink(file.path + suffix) }
        let descriptor = try StoreFile.open(file.path, O_TRUNC)
        defer { close(descriptor) }
        #expect(unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }
}
