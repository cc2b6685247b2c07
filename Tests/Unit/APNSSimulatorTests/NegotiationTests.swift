import Networking
import Platform
import TestCertificates
import TestSupport
import Testing

@testable import APNSSimulator

struct NegotiationTests {
    @Test(arguments: [["h2"], ["http/1.1", "h2"], []])
    func `a client that negotiates HTTP-2, or nothing as some libraries do, is answered`(_ alpn: [String]) async throws
    {
        let stage = try await Stage()
        #expect(await stage.isAnswered(try stage.context(alpn)))
        await stage.simulator.close()
    }

    @Test func `a client that speaks another protocol only is not`() async throws {
        let stage = try await Stage()
        #expect(await stage.isAnswered(try stage.context(["http/1.1"])) == false)
        await stage.simulator.close()
    }

    @Test(arguments: [(["h2"], true), ([], false)])
    func `where the setting asks for it, a client has to negotiate`(_ alpn: [String], _ isAnswered: Bool) async throws {
        let stage = try await Stage { configuration in
            try SimulatorSetting.apply("alpn-required", "yes", to: &configuration)
        }
        #expect(await stage.isAnswered(try stage.context(alpn)) == isAnswered)
        await stage.simulator.close()
    }
}

private final class Stage: Sendable {
    let simulator: Simulator
    private let simulatorLoop: EventLoop
    private let clientLoop: EventLoop
    private let authorityPEM: [UInt8]

    init(_ configure: (inout SimulatorConfiguration) throws -> Void = { _ in }) async throws {
        let authority = try TestAuthority()
        let server = try authority.issue()
        let identity = try unsafe SimulatorIdentity(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes
        )
        authorityPEM = try authority.certificatePEM
        simulatorLoop = try EventLoop()
        clientLoop = try EventLoop()
        var configuration = SimulatorConfiguration(keys: [])
        try configure(&configuration)
        simulator = try await Simulator.start(configuration, identity: identity, loop: simulatorLoop)
    }

    deinit {
        clientLoop.stopAnywhere()
        simulatorLoop.stopAnywhere()
    }

    func context(_ alpn: [String]) throws -> TLSContext {
        try .client(trust: .pem(authorityPEM), alpn: alpn)
    }

    /// True if a request gets any answer before the connection ends.
    func isAnswered(_ context: TLSContext) async -> Bool {
        let (loop, port) = (clientLoop, simulator.pushPort)
        return await withCheckedContinuation { continuation in
            loop.perform {
                let provider = RawProvider(continuation)
                do throws(TransportError) {
                    _ = try TLSChannel.connect(
                        host: "127.0.0.1",
                        port: port,
                        context: context,
                        loop: loop,
                        limits: .patient,
                        delegate: provider
                    )
                } catch {
                    provider.finish(false)
                }
            }
        }
    }
}

/// Sends one request by hand: our own client speaks HTTP/2 only where it was negotiated.
private final class RawProvider: TLSChannelDelegate, @unchecked Sendable {
    // Unchecked: all state is used on the loop only.
    private var received: [UInt8] = []
    private var answer: CheckedContinuation<Bool, Never>?

    init(_ answer: CheckedContinuation<Bool, Never>) { self.answer = answer }

    func finish(_ isAnswered: Bool) {
        answer?.resume(returning: isAnswered)
        answer = nil
    }

    func channelDidOpen(_ channel: TLSChannel) {
        // `try?`: a channel that takes nothing is about to close, which is an answer too.
        try? channel.write(RawFrame.preface + RawFrame.request(stream: 1, endsStream: true))
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        for offset in bytes.indices { received.append(bytes[offset]) }
        guard RawFrame.parse(received).contains(where: { $0.type == 1 && $0.stream == 1 }) else { return }
        finish(true)
        channel.abort(.connectionClosed)
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) { finish(false) }
}
