package import APNS
package import Networking
import Platform

/// Reads the feedback service: apps that were missing when a push came. Reading empties the list.
///
/// **Switched off** by Apple on 2021-03-31: only for testing old back ends against a simulator.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "The Feedback Service".
package final class LegacyFeedback: Sendable {
    /// Counts after a failure too: the service has forgotten these tuples.
    package struct List: Sendable, Equatable {
        package let tuples: [FeedbackTuple]
        /// `nil` if it ended between two tuples, in order.
        package let failure: LegacyError?
    }

    private let service: LegacyService
    private let context: TLSContext
    private let loop: EventLoop
    private let limits: LegacyLimits

    /// - Parameter context: A client's, without ALPN; its certificate identifies the app.
    package init(service: LegacyService, context: TLSContext, loop: EventLoop, limits: LegacyLimits = LegacyLimits()) {
        self.service = service
        self.context = context
        self.loop = loop
        self.limits = limits
    }

    /// A cancelled task gets the tuples so far.
    package func read() async -> List {
        let visit = LoopBound(FeedbackVisit(countMax: limits.feedbackCountMax), to: loop)
        let (service, context, loop, limits) = (service, context, loop, limits.channel)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform {
                    visit.value.start(service, context, loop, limits) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            loop.perform { visit.value.cancel() }
        }
    }
}

private final class FeedbackVisit: TLSChannelDelegate {
    private let countMax: Int
    private var reader = FeedbackReader()
    private var tuples: [FeedbackTuple] = []
    private var failure: LegacyError?
    private var channel: TLSChannel?
    private var onFinish: ((LegacyFeedback.List) -> Void)?
    private var isCancelled = false

    init(countMax: Int) { self.countMax = countMax }

    func start(
        _ service: LegacyService,
        _ context: TLSContext,
        _ loop: EventLoop,
        _ limits: TLSChannelLimits,
        _ onFinish: @escaping (LegacyFeedback.List) -> Void
    ) {
        self.onFinish = onFinish
        guard !isCancelled else { return finish(.connection(.cancelled)) }
        do throws(TransportError) {
            channel = try TLSChannel.connect(
                host: service.host,
                port: service.port,
                context: context,
                loop: loop,
                limits: limits,
                delegate: self
            )
        } catch {
            finish(.connection(error))
        }
    }

    func cancel() {
        isCancelled = true
        channel?.abort(.cancelled)
    }

    func channelDidOpen(_ channel: TLSChannel) {}

    func channelIsWritable(_ channel: TLSChannel) {}

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        guard failure == nil else { return }
        do throws(FeedbackError) {
            try reader.read(bytes, into: &tuples)
        } catch {
            failure = .malformedFeedback(error)
            return channel.close()
        }
        if tuples.count >= countMax {
            failure = .tooManyTuples(countMax: countMax)
            channel.close()
        }
    }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        if let failure { return finish(failure) }
        if let error { return finish(.connection(error)) }
        finish(reader.isAtBoundary ? nil : .connection(.connectionLost))
    }

    private func finish(_ failure: LegacyError?) {
        channel = nil
        onFinish?(LegacyFeedback.List(tuples: tuples, failure: failure))
        onFinish = nil
    }
}
