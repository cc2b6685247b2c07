import Envelope
import Keys
import Platform
import TestSupport
import Testing

@testable import NotificationCore

/// Reports of one process on machine time: iOS makes an extension object for each push.
struct SharedReportTests {
    private static let objectCount: UInt8 = 8

    /// Holds the first request until it is released.
    private final class HeldRelay: Relay {
        private struct State: Sendable {
            var requests: [[DeliveryReceipt]] = []
            var held: CheckedContinuation<Void, Never>?
        }

        private let state = Guarded(State())

        var requests: [[DeliveryReceipt]] { state.withLock { $0.requests } }
        var holdsOne: Bool { state.withLock { $0.held != nil } }

        func release() {
            let held = state.withLock { state in
                defer { state.held = nil }
                return state.held
            }
            held?.resume()
        }

        func send(_ receipts: [DeliveryReceipt]) async throws {
            await withCheckedContinuation { continuation in
                let isFirst = state.withLock { state in
                    state.requests.append(receipts)
                    if state.requests.count == 1 { state.held = continuation }
                    return state.requests.count == 1
                }
                if !isFirst { continuation.resume() }
            }
        }

        func requestResends(_ requests: [ResendRequest]) async throws {}
        func record(_ name: String) async throws -> [UInt8]? { nil }
    }

    @Test func `objects of one process send no receipt twice`() async throws {
        let folder = try TemporaryFolder()
        let reports = RelayReports(
            receipts: ReceiptSpool(path: folder.path("receipts")),
            markers: ResendMarkers(path: folder.path("markers"))
        ) { true }
        let relay = HeldRelay()
        for number in 1...Self.objectCount {
            let script = try script(number)
            await answer(script, core(script, reports, relay))
            // The others are answered while the first one's receipt is on its way.
            while number == 1, !relay.holdsOne { await Task.yield() }
        }
        relay.release()
        while try !reports.receipts.all().isEmpty { await Task.yield() }
        let sent = relay.requests.flatMap { $0.map { $0.capability.rawRepresentation[0] } }
        #expect(sent.sorted() == Array(1...Self.objectCount))
    }

    private func script(_ number: UInt8) throws -> Script {
        var message = Message(body: "text")
        message.receipt = ReceiptCapability(rawRepresentation: [UInt8](repeating: number, count: 16))
        return try Script(message)
    }

    private func core(_ script: Script, _ reports: RelayReports, _ relay: HeldRelay) -> ExtensionCore {
        var settings = ExtensionCore.Settings()
        settings.keepsReceipts = true
        settings.relay = relay
        var surroundings = DeliverySurroundings.ofThisDevice
        surroundings.randomNumber = { 0 }
        return ExtensionCore(
            steps: script.steps(),
            reports: [reports],
            settings: settings,
            surroundings: surroundings
        )
    }

    private func answer(_ script: Script, _ core: ExtensionCore) async {
        await withCheckedContinuation { continuation in
            core.receive(userInfo: [:], requestID: "1") { content in
                script.answer(content)
                continuation.resume()
            }
        }
    }
}
