package import APNS
package import Networking
import Platform

/// Sends notifications over the binary interface, and rewrites those that APNs discarded after an error.
///
/// **Switched off** by Apple on 2021-03-31: only for testing old back ends against a simulator.
///
/// - Source: archived "Local and Remote Notification Programming Guide", "Binary Provider API".
package final class LegacyGateway: Sendable {
    private let service: LegacyService
    private let context: TLSContext
    private let loop: EventLoop
    private let command: LegacyCommand
    private let limits: LegacyLimits

    /// - Parameter context: A client's, without ALPN; its certificate identifies the app.
    package init(
        service: LegacyService,
        context: TLSContext,
        loop: EventLoop,
        command: LegacyCommand = .frame,
        limits: LegacyLimits = LegacyLimits()
    ) {
        self.service = service
        self.context = context
        self.loop = loop
        self.command = command
        self.limits = limits
    }

    /// Sends a batch over consecutive connections. If the task is cancelled, written ones stay unknown and the rest is
    /// not sent.
    ///
    /// - Parameter notifications: Their own identifiers are not used.
    /// - Returns: One for each, in order.
    package func deliver(_ notifications: [LegacyNotification]) async -> [LegacyOutcome] {
        let delivery = LegacyDelivery(notifications, as: command, limits: limits)
        let run = LoopBound(
            LegacyGatewayRun(delivery, service: service, context: context, loop: loop, limits: limits.channel),
            to: loop
        )
        let loop = loop
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform { run.value.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.perform { run.value.cancel() }
        }
    }
}

private final class LegacyGatewayRun: TLSChannelDelegate {
    private let service: LegacyService
    private let context: TLSContext
    private let loop: EventLoop
    private let limits: TLSChannelLimits
    private var delivery: LegacyDelivery
    private var channel: TLSChannel?
    private var received: [UInt8] = []
    private var onFinish: (([LegacyOutcome]) -> Void)?
    private var isCancelled = false

    init(
        _ delivery: LegacyDelivery,
        service: LegacyService,
        context: TLSContext,
        loop: EventLoop,
        limits: TLSChannelLimits
    ) {
        self.delivery = delivery
        self.service = service
        self.context = context
        self.loop = loop
        self.limits = limits
    }

    func start(_ onFinish: @escaping ([LegacyOutcome]) -> Void) {
        self.onFinish = onFinish
        if isCancelled { delivery.abandon(.cancelled) }
        perform(delivery.start())
    }

    func cancel() {
        isCancelled = true
        delivery.abandon(.cancelled)
        channel?.abort(.cancelled)
    }

    private func perform(_ next: LegacyDelivery.Next) {
        switch next {
        case .finish:
            onFinish?(delivery.result)
            onFinish = nil
        case .connect:
            received = []
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
                perform(delivery.close(error))
            }
        }
    }

    func channelDidOpen(_ channel: TLSChannel) { write(to: channel) }

    func channelIsWritable(_ channel: TLSChannel) { write(to: channel) }

    private func write(to channel: TLSChannel) {
        while channel.isWritable {
            switch delivery.step() {
            case .wait: return
            case .close: return channel.close()
            case .write(let bytes):
                do throws(TransportError) { try channel.write(bytes) } catch { return channel.abort(error) }
            }
        }
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        // Nothing follows a packet.
        guard received.count < LegacyErrorPacket.byteCount else { return }
        for offset in bytes.indices.prefix(LegacyErrorPacket.byteCount - received.count) {
            received.append(bytes[offset])
        }
        guard received.count == LegacyErrorPacket.byteCount else { return }
        if let packet = LegacyErrorPacket(bytes: received.span) {
            delivery.receive(packet)
        } else {
            delivery.receiveNonsense()
        }
        channel.close()
    }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        self.channel = nil
        perform(delivery.close(error))
    }
}
