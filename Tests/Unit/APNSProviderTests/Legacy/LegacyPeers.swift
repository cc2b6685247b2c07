import APNS
import Networking
import Platform
import TestCertificates

@testable import APNSProvider

/// A gateway of the binary interface on a real socket, with its records.
final class LegacySite: Sendable {
    struct Seen: Sendable {
        var accepted: [LegacyNotification] = []
        var connectionCount = 0
        var pieceCount = 0
    }

    /// The gateway's reaction to the n-th notification of a connection, from 1.
    enum Verdict: Sendable {
        case accept
        case refuse
        /// Accepts it, and shuts down.
        case shutdown
        /// Closes without a packet.
        case cut
        /// Answers with bytes that are no packet.
        case babble
    }

    let serverLoop: EventLoop
    let clientLoop: EventLoop
    let clientContext: TLSContext
    let seen = Guarded(Seen())
    private let serverContext: TLSContext

    init() throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        serverContext = unsafe try .server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: []
        )
        clientContext = try .client(trust: .pem(authority.certificatePEM), alpn: [])
        serverLoop = try EventLoop()
        clientLoop = try EventLoop()
    }

    deinit {
        clientLoop.stopAnywhere()
        serverLoop.stopAnywhere()
    }

    /// No deadline may fire on a starved machine.
    private static let patience: TLSChannelLimits = {
        var limits = TLSChannelLimits.patient
        (limits.idleDeadline, limits.closeDeadline) = (.seconds(600), .seconds(600))
        return limits
    }()

    /// The same for clients.
    static var patient: LegacyLimits {
        var limits = LegacyLimits()
        limits.channel = patience
        return limits
    }

    func serveGateway(
        _ verdict: @escaping @Sendable (_ notification: LegacyNotification, _ number: Int) -> Verdict
    ) async throws -> LegacyService {
        try await serve { [unowned self] in GatewayConnection(site: self, verdict) }
    }

    func serveFeedback(_ bytes: [UInt8], isCut: Bool = false) async throws -> LegacyService {
        try await serve { FeedbackConnection(bytes, isCut: isCut) }
    }

    private func serve(_ make: @escaping @Sendable () -> any TLSChannelDelegate) async throws -> LegacyService {
        let (loop, context) = (serverLoop, serverContext)
        let port = await loop.run {
            Result { () throws(TransportError) in
                try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: Self.patience) {
                    _ in
                    make()
                }
                .port
            }
        }
        return LegacyService(host: "127.0.0.1", port: try port.get())
    }

    func gateway(
        _ service: LegacyService,
        _ command: LegacyCommand = .frame,
        limits: LegacyLimits = patient
    ) -> LegacyGateway {
        LegacyGateway(service: service, context: clientContext, loop: clientLoop, command: command, limits: limits)
    }
}

/// One connection of the gateway. On the server's loop.
private final class GatewayConnection: TLSChannelDelegate {
    private unowned let site: LegacySite
    private let verdict: (LegacyNotification, Int) -> LegacySite.Verdict
    private var received: [UInt8] = []
    private var number = 0
    private var isOver = false

    init(site: LegacySite, _ verdict: @escaping (LegacyNotification, Int) -> LegacySite.Verdict) {
        self.site = site
        self.verdict = verdict
        site.seen.withLock { $0.connectionCount += 1 }
    }

    func channelDidOpen(_ channel: TLSChannel) {}
    func channelIsWritable(_ channel: TLSChannel) {}
    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        site.seen.withLock { $0.pieceCount += 1 }
        received += Array(copying: bytes)
        while !isOver {
            switch LegacyNotification.read(received.span) {
            case .incomplete: return
            case .mistake(let packet): end(channel, packet?.bytes ?? [])
            case .notification(let notification, _, let byteCount):
                received.removeFirst(byteCount)
                number += 1
                judge(notification, channel)
            }
        }
    }

    private func judge(_ notification: LegacyNotification, _ channel: TLSChannel) {
        let verdict = verdict(notification, number)
        switch verdict {
        case .accept, .shutdown:
            site.seen.withLock { $0.accepted.append(notification) }
            if case .shutdown = verdict {
                end(channel, LegacyErrorPacket(status: .shutdown, identifier: notification.identifier).bytes)
            }
        case .refuse:
            end(channel, LegacyErrorPacket(status: .invalidToken, identifier: notification.identifier).bytes)
        case .babble: end(channel, Array("HTTP/1.1 400".utf8))
        case .cut:
            isOver = true
            channel.abort(.cancelled)
        }
    }

    /// Sends the packet with the close; reads and drops what still comes until the client closes.
    private func end(_ channel: TLSChannel, _ bytes: [UInt8]) {
        isOver = true
        do throws(TransportError) { try channel.write(bytes) } catch { return channel.abort(error) }
        channel.close()
    }
}

private final class FeedbackConnection: TLSChannelDelegate {
    private let bytes: [UInt8]
    private let isCut: Bool

    init(_ bytes: [UInt8], isCut: Bool) {
        self.bytes = bytes
        self.isCut = isCut
    }

    func channelDidOpen(_ channel: TLSChannel) {
        do throws(TransportError) { try channel.write(bytes) } catch { return channel.abort(error) }
        channel.flush()
        if isCut { channel.abort(.cancelled) } else { channel.close() }
    }

    func channelIsWritable(_ channel: TLSChannel) {}
    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {}
    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {}
}
