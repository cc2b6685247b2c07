import Platform

@testable import NotificationCore

func refuses(_ body: () async throws -> Void) async -> Bool {
    do {
        try await body()
        return false
    } catch {
        return true
    }
}

/// Takes requests for re-sends always, and receipts unless it is set to fail.
final class RecordingRelay: Relay {
    private struct State: Sendable {
        var receipts: [DeliveryReceipt] = []
        var requests: [ResendRequest] = []
        var callCount = 0
        var fails = false
        var clock: StepClock?
        var records: [String: [UInt8]] = [:]
    }

    private struct Failure: Error {}

    private let state = Guarded(State())

    var receipts: [DeliveryReceipt] { state.withLock { $0.receipts } }
    var requests: [ResendRequest] { state.withLock { $0.requests } }
    var callCount: Int { state.withLock { $0.callCount } }

    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }
    func hang(on clock: StepClock?) { state.withLock { $0.clock = clock } }

    func send(_ receipts: [DeliveryReceipt]) async throws {
        if let clock = state.withLock({ $0.clock }) { try await clock.sleep(for: .seconds(3_600)) }
        try state.withLock { state in
            state.callCount += 1
            if state.fails { throw Failure() }
            state.receipts += receipts
        }
    }

    func keep(_ record: [UInt8], as name: String) { state.withLock { $0.records[name] = record } }

    func record(_ name: String) async throws -> [UInt8]? {
        try state.withLock { state in
            if state.fails { throw Failure() }
            return state.records[name]
        }
    }

    func requestResends(_ requests: [ResendRequest]) async throws {
        state.withLock { state in
            state.callCount += 1
            state.requests += requests
        }
    }
}
