import APNS
import Envelope
import Glibc
import Primitives
import PushStore
import PushStorePattern
import TestSupport

enum StoreBench {
    static func run(path: String, count: Int, byteCount: Int, deviceCount: Int) async throws {
        let syncs = syncRate(path + "-sync")
        PushStoreProbe.say("fdatasync of 4 KiB: \(Int(syncs))/s")
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        for producerCount in [1, 16, 256] {
            let portion = producerCount == 1 ? count / 16 : count
            try await measure("enqueue, \(producerCount) at once, \(byteCount) bytes", portion) {
                try await enqueue(store, portion, producerCount, byteCount)
            }
        }
        let all = count + count + count / 16
        try await measure("take 256, mark, finish", all) { try await dispatch(store, all) }
        try await measureRoundTrips(store, count, byteCount)
        if deviceCount > 0 { try await DeviceBench.run(store, deviceCount) }
        await store.close()
    }

    /// Measures as a service does that sends at once: 256 in flight, each a call with a callback before and one after.
    private static func measureRoundTrips(_ store: SQLiteStore, _ count: Int, _ byteCount: Int) async throws {
        let trips = RoundTrips(store, count: count, byteCount: byteCount)
        try await measure("enqueueSending, finish, 256 at once, callbacks", count) { try await trips.run(256) }
        let (median, slowest) = trips.quantiles()
        PushStoreProbe.say("enqueueSending: p50 \(median) µs, p99 \(slowest) µs")
    }

    private static func enqueue(
        _ store: SQLiteStore,
        _ count: Int,
        _ producerCount: Int,
        _ byteCount: Int
    ) async throws {
        let tenant = try StorePattern.tenant(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for producer in 0..<producerCount {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(producer))
                    let payload = random.bytes(count: byteCount)
                    for number in 0..<count / producerCount {
                        let entry = NewEntry(
                            device: try StorePattern.device(Int(random.next() % 1_000_000)),
                            topic: try StorePattern.topic(),
                            apnsID: APNSID.timeOrdered(
                                now: StorePattern.start.advanced(by: .milliseconds(Int64(number))),
                                random: &random
                            ),
                            lane: .normal,
                            pushType: .alert,
                            deadline: StorePattern.start.advanced(by: .seconds(86_400)),
                            payload: payload,
                            trace: Trace(bytes: random.bytes(count: 16))
                        )
                        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: [entry])
                        _ = try await store.enqueue([request], now: StorePattern.start)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func dispatch(_ store: SQLiteStore, _ count: Int) async throws {
        let now = StorePattern.start.advanced(by: .seconds(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while true {
                        let taken = try await store.take(
                            TakeDemand(
                                lane: .normal,
                                limit: 256,
                                now: now,
                                leasedUntil: now.advanced(by: .seconds(60))
                            )
                        )
                        if taken.isEmpty { break }
                        _ = try await store.markSending(taken.map(\.lease), now: now)
                        let attempt = Attempt(time: now, connection: .answered, status: 200, uniqueID: uniqueID)
                        _ = try await store.finish(
                            taken.map { Outcome(lease: $0.lease, attempt: attempt, verdict: .accepted) },
                            now: now
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// As long as APNs'.
    static let uniqueID = "8A1B2C3D-0000-1111-2222-333344445555"

    static func measure(_ what: String, _ count: Int, _ body: () async throws -> Void) async throws {
        let clock = ContinuousClock()
        let before = cpuMicroseconds()
        let start = clock.now
        try await body()
        let seconds = (clock.now - start) / .seconds(1)
        let after = cpuMicroseconds()
        let user = tenths(after.user - before.user, count)
        let system = tenths(after.system - before.system, count)
        PushStoreProbe.say(
            "\(what): \(Int(Double(count) / seconds))/s, \(user) + \(system) µs of CPU each (user + system)"
        )
    }

    private static func tenths(_ microseconds: Int, _ count: Int) -> String {
        let tenths = microseconds * 10 / max(count, 1)
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Syncs of 4 KiB per second.
    private static func syncRate(_ path: String) -> Double {
        let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        defer {
            close(file)
            unsafe unlink(path)
        }
        let page = [UInt8](repeating: 1, count: 4_096)
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while clock.now - start < .seconds(2) {
            _ = unsafe pwrite(file, page, page.count, off_t(count % 256 * 4_096))
            fdatasync(file)
            count += 1
        }
        return Double(count) / ((clock.now - start) / .seconds(1))
    }

    private static func cpuMicroseconds() -> (user: Int, system: Int) {
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return (
            usage.ru_utime.tv_sec * 1_000_000 + Int(usage.ru_utime.tv_usec),
            usage.ru_stime.tv_sec * 1_000_000 + Int(usage.ru_stime.tv_usec)
        )
    }
}
