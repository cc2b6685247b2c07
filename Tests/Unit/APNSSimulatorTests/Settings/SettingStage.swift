import APNS
import DeviceLink
import HTTP
import Networking
import TestCertificates
import TestSupport

@testable import APNSSimulator

final class SettingStage: Sendable {
    let site: ServiceSite
    /// Token of an absent device.
    let token: DeviceToken
    let providers: Providers
    private let server: ControlServer

    struct Providers: Sendable {
        let authorityPEM: [UInt8]
        let good: TLSIdentity
        let ofOtherEnvironment: TLSIdentity
        let ofStranger: TLSIdentity

        init() throws {
            let (ours, other) = (try TestAuthority(name: "Ours"), try TestAuthority(name: "Another"))
            authorityPEM = try ours.certificatePEM
            good = try ProviderIdentity.universal.issue(by: ours)
            ofOtherEnvironment = try ProviderIdentity.productionOnly.issue(by: ours)
            ofStranger = try ProviderIdentity.universal.issue(by: other)
        }
    }

    init(_ configure: (inout SimulatorConfiguration) throws -> Void = { _ in }) async throws {
        let providers = try Providers()
        self.providers = providers
        site = try await ServiceSite { configuration in
            configuration.control.isOn = true
            configuration.validation.clientAuthoritiesPEM? += providers.authorityPEM
            try configure(&configuration)
        }
        server = try await .start(site.simulator, port: 0) {}
        token = try await site.simulator.enrol(site.app)
    }

    func close() async {
        await server.close()
        await site.simulator.close()
    }

    func call(_ line: String, _ body: String = "") async throws -> ControlSite.Answer {
        try await server.call(line, body)
    }

    /// Waits until the server counts no provider connection.
    func waitUntilNobodyIsConnected() async {
        await site.wait(for: site.events.all.count { if case .connection(.opened) = $0 { true } else { false } }) {
            if case .connection(.closed) = $0 { true } else { false }
        }
        // The listener counts a connection until the turn after its end.
        for _ in 0..<2 { await site.simulatorLoop.run {} }
    }

    // MARK: Providers

    func connection(
        as identity: TLSIdentity? = nil,
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws -> HTTP2ClientConnection {
        try await .connect(
            host: "127.0.0.1",
            port: site.simulator.pushPort,
            context: .client(trust: .pem(site.authorityPEM), alpn: ["h2"], identity: identity),
            loop: site.clientLoop,
            limits: .patient,
            onEvent: onEvent
        )
    }

    func push(
        to token: DeviceToken? = nil,
        _ body: String = #"{"aps":{"alert":"x"}}"#,
        over connection: HTTP2ClientConnection? = nil,
        _ change: (inout Request) throws -> Void = { _ in }
    ) async throws -> String {
        let response = try await response(to: token ?? self.token, body, over: connection, change)
        let text = String(decoding: response.body, as: UTF8.self).split(separator: "\"")
        return "\(response.status)" + (text.count > 3 ? " \(text[3])" : "")
    }

    func response(
        to token: DeviceToken,
        _ body: String = #"{"aps":{"alert":"x"}}"#,
        over connection: HTTP2ClientConnection? = nil,
        _ change: (inout Request) throws -> Void = { _ in }
    ) async throws -> HTTP2Response {
        var request = try Request()
        request[":path"] = "/3/device/\(token.hex)"
        request["authorization"] = try Authorization(issuedAt: site.now - 60).value
        for name in ["apns-id", "apns-expiration", "apns-collapse-id"] { request[name] = nil }
        try change(&request)
        let message = HTTP2Request(headers: request.headers, body: Array(body.utf8))
        if let connection { return try await connection.send(message) }
        let own = try await self.connection()
        let response = try await own.send(message)
        await own.close()
        return response
    }

    func push(as identity: TLSIdentity) async -> String {
        do {
            let connection = try await connection(as: identity)
            let answer = try await push(over: connection) { $0["authorization"] = nil }
            await connection.close()
            return answer
        } catch {
            return "no answer"
        }
    }

    /// The reason in the GOAWAY of a connection on which `body` ran.
    func farewell(_ body: (HTTP2ClientConnection) async throws -> Void = { _ in }) async throws -> String {
        let events = Recorder<HTTP2ClientEvent>()
        // `try?`: where the end comes at once, chance decides whether the connection opens before it.
        let connection = try? await connection(onEvent: events.record)
        if let connection { try await body(connection) }
        for count in 1... {
            if case .closed = await events.first(count)[count - 1] { break }
        }
        withExtendedLifetime(connection) {}
        for case .goAway(_, _, let debugData) in events.all {
            return String(decoding: debugData, as: UTF8.self).split(separator: "\"").dropFirst(3).first.map(String.init)
                ?? "no reason"
        }
        return "no farewell"
    }

    func say(
        _ bytes: [UInt8],
        alpn: [String] = ["h2"],
        until isEnough: (RawFrame) -> Bool = { _ in false }
    ) async throws -> [RawFrame] {
        try await RawConversation(
            port: site.simulator.pushPort,
            context: .client(trust: .pem(site.authorityPEM), alpn: alpn),
            loop: site.clientLoop
        ).say(bytes, until: isEnough)
    }

    func announced(_ identifier: UInt8) async throws -> String {
        let frames = try await say(RawFrame.preface) { $0.type == 4 && $0.flags == 0 }
        let payload = frames.last?.payload ?? []
        for start in stride(from: 0, to: payload.count, by: 6) where payload[start + 1] == identifier {
            return "\(payload[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | Int($1) })"
        }
        return "nothing"
    }

    // MARK: Devices

    func enrol() async throws -> DeviceToken { try await site.simulator.enrol(site.app) }

    func pushes(_ count: Int, _ device: DeviceConnection) async throws -> [DevicePush] {
        var pushes: [DevicePush] = []
        while pushes.count < count, let push = try await device.next() {
            pushes.append(push)
            device.acknowledge(push)
        }
        return pushes
    }
}

extension DevicePush {
    var word: String {
        let text = String(decoding: payload, as: UTF8.self)
        let parts = text.split { !$0.isLetter && !$0.isNumber }
        return parts.last.map(String.init) ?? ""
    }
}
