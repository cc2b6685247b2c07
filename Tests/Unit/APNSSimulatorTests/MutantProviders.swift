import APNS
import APNSProvider
import Networking
import Platform

@testable import APNSSimulator
@testable import Bench

/// Derives a client's other calls from its one.
extension ScheduledProvider {
    func trySend(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report { await send(notification) }

    func send(_ batch: [PushNotification]) async -> [ProviderScheduleVerifier.Report] {
        await withTaskGroup { group in
            for notification in batch { group.addTask { await send(notification) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    func send(
        each notifications: [PushNotification],
        inFlightMax: Int,
        tell: @Sendable (ProviderScheduleVerifier.Report) -> Void
    ) async {
        await withTaskGroup { group in
            for notification in notifications { group.addTask { await send(notification) } }
            for await report in group { tell(report) }
        }
    }
}

/// Returns a batch's results in the wrong order.
struct BatchReverser: ScheduledProvider {
    let client: APNSClient

    func send(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report {
        await RealProvider(client).send(notification)
    }

    func send(_ batch: [PushNotification]) async -> [ProviderScheduleVerifier.Report] {
        RealProvider.reports(await client.send(batch).reversed(), of: batch, after: .zero)
    }

    func close() async { await client.close() }
}

/// Reports answers in the order of the notifications, whatever their own.
struct OrderKeeper: ScheduledProvider {
    let provider: RealProvider

    func send(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report {
        await provider.send(notification)
    }

    func send(
        each notifications: [PushNotification],
        inFlightMax: Int,
        tell: @Sendable (ProviderScheduleVerifier.Report) -> Void
    ) async {
        for report in await provider.send(notifications) { tell(report) }
    }

    func close() async { await provider.close() }
}

/// Re-sends what may have been processed, and does not report it.
struct EverythingResender: ScheduledProvider {
    let provider: RealProvider

    func send(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report {
        var report = await provider.send(notification)
        var attemptCount = report.attemptCount ?? 1
        while report.outcome == .ambiguous, attemptCount < 5 {
            report = await provider.send(notification)
            attemptCount += report.attemptCount ?? 1
        }
        return ProviderScheduleVerifier.Report(id: report.id, outcome: report.outcome, attemptCount: attemptCount)
    }

    func close() async { await provider.close() }
}

/// Opens a stream for every notification at once, whatever SETTINGS says. No library would: it writes its own frames.
final class HeedlessProvider: ScheduledProvider {
    private let core: LoopBound<HeedlessCore>

    init(_ endpoint: APNSEndpoint, _ context: TLSContext, _ loop: EventLoop) {
        core = LoopBound(HeedlessCore(endpoint, context, loop), to: loop)
    }

    func send(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report {
        let core = core
        let outcome = await withCheckedContinuation { continuation in
            core.loop.perform { core.value.send(notification) { continuation.resume(returning: $0) } }
        }
        return ProviderScheduleVerifier.Report(id: notification.id, outcome: outcome, attemptCount: nil)
    }

    func close() async {
        let core = core
        await core.loop.run { core.value.close() }
    }
}

private final class HeedlessCore: TLSChannelDelegate {
    private typealias Completion = (ProviderScheduleVerifier.Outcome) -> Void

    private let endpoint: APNSEndpoint
    private let context: TLSContext
    private let loop: EventLoop
    private var channel: TLSChannel?
    private var reader: FaultFrameReader?
    private var isWelcome = false
    private var isOver = false
    private var waiting: [(PushNotification, Completion)] = []
    private var streams: [Int32: Completion] = [:]
    private var nextStreamID: Int32 = 1

    init(_ endpoint: APNSEndpoint, _ context: TLSContext, _ loop: EventLoop) {
        self.endpoint = endpoint
        self.context = context
        self.loop = loop
    }

    func send(_ notification: PushNotification, _ completion: @escaping (ProviderScheduleVerifier.Outcome) -> Void) {
        guard !isOver else { return completion(.notProcessed) }
        if channel == nil {
            var limits = TLSChannelLimits()
            limits.handshakeDeadline = .milliseconds(100)
            limits.idleDeadline = .milliseconds(200)
            channel = try? .connect(
                host: endpoint.host,
                port: endpoint.port,
                context: context,
                loop: loop,
                limits: limits,
                delegate: self
            )
        }
        waiting.append((notification, completion))
        if isWelcome { startWaiting() }
    }

    func close() { channel?.abort(.connectionClosed) }

    private func startWaiting() {
        for (notification, completion) in waiting {
            let fields = [(":method", "POST"), (":scheme", "https"), (":authority", "x"), (":path", "/3/device/00")]
            let head = FaultFrame.headers(
                nextStreamID,
                fields.map { ($0, Array($1.utf8)) } + [("apns-id", notification.id.text)],
                endsStream: true
            )
            streams[nextStreamID] = completion
            nextStreamID += 2
            write(head.bytes)
        }
        waiting = []
    }

    private func write(_ bytes: [UInt8]) {
        do throws(TransportError) { try channel?.write(bytes) } catch { channel?.abort(error) }
    }

    private func handle(_ frame: FaultFrame) {
        switch frame.kind {
        case .settings where !frame.isAcknowledgement:
            write(FaultFrame.settingsAcknowledgement.bytes)
            isWelcome = true
            startWaiting()
        // The first field is `:status` as the fault server spells it: 0, 7, the name, 3, the value.
        case .headers where frame.payload.count >= 12:
            let status = Array(frame.payload[9..<12])
            guard status != Array("103".utf8) else { return }
            end(frame.streamID, status == Array("200".utf8) ? .accepted : .rejected)
        case .reset: end(frame.streamID, frame.payload == [0, 0, 0, 7] ? .notProcessed : .ambiguous)
        default: break
        }
    }

    private func end(_ streamID: Int32, _ outcome: ProviderScheduleVerifier.Outcome) {
        streams.removeValue(forKey: streamID)?(outcome)
    }

    func channelDidOpen(_ channel: TLSChannel) {
        write(FaultFrameReader.preface + FaultFrame.settings([]).bytes)
        reader = FaultFrameReader(isPrefaceRead: true)
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        reader?.append(bytes)
        while let frame = try? reader?.next() { handle(frame) }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        isOver = true
        for (_, completion) in waiting { completion(.notProcessed) }
        waiting = []
        for streamID in streams.keys.sorted() { end(streamID, .ambiguous) }
    }
}
