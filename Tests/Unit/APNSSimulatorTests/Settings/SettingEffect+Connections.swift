import APNS
import HTTP
import Networking
import TestSupport

@testable import APNSSimulator

extension SettingEffect {
    /// Treatment of provider connections.
    static let connections = announcements + streams + errors + ends + deadlines + numbers

    /// SETTINGS and first frames, and their consequences.
    private static let announcements = [
        SettingEffect("alpn-required", "yes", from: "answered", to: "cut") { stage in
            let bytes = RawFrame.preface + RawFrame.request(stream: 1, endsStream: true)
            let frames = try await stage.say(bytes, alpn: []) { $0.type == 1 }
            return frames.last?.type == 1 ? "answered" : "cut"
        },
        SettingEffect("one-stream-at-first", "no", from: "1", to: "1000") { try await $0.announced(3) },
        SettingEffect("streams", "7", from: "1000", to: "7", with: { $0.startsWithOneStream = false }) {
            try await $0.announced(3)
        },
        SettingEffect("header-table", "1024", from: "4096", to: "1024") { try await $0.announced(1) },
        SettingEffect("stream-window", "70000", from: "65535", to: "70000") { try await $0.announced(4) },
        SettingEffect("connection-window", "100000", from: "0", to: "34465") { stage in
            // The answer comes after the server's first frames.
            let bytes = RawFrame.preface + RawFrame.request(stream: 1, endsStream: true)
            let frames = try await stage.say(bytes) { $0.type == 8 || $0.type == 1 }
            guard let update = frames.last, update.type == 8, update.stream == 0 else { return "0" }
            return "\(update.payload.reduce(0) { $0 << 8 | Int($1) })"
        },
        SettingEffect("frame-size", "20000", from: "16384", to: "20000") { try await $0.announced(5) },
        SettingEffect("header-list", "900", from: "200", to: "431") { stage in
            try await stage.push { $0["x-test"] = String(repeating: "x", count: 1000) }
        },
    ]

    private static let streams = [
        SettingEffect("one-stream-after-error", "yes", from: "[1, 1000]", to: "[1, 1000, 1]") { stage in
            let events = Recorder<HTTP2ClientEvent>()
            let connection = try await stage.connection(onEvent: events.record)
            _ = try await stage.push(over: connection)
            _ = try await stage.push(over: connection) { $0["apns-topic"] = "com.example.other" }
            // Its answer comes after the consequences of the one before.
            _ = try await stage.push(over: connection) { $0["apns-topic"] = "com.example.other" }
            await connection.close()
            let limits = events.all.compactMap { event -> Int? in
                if case .maxConcurrentStreams(let count) = event { count } else { nil }
            }
            return "\(limits)"
        },
        SettingEffect("excess-streams", "goaway", from: "RST_STREAM", to: "GOAWAY") { stage in
            let bytes =
                RawFrame.preface + RawFrame.settingsAcknowledgement + RawFrame.request(stream: 1, endsStream: false)
                + RawFrame.request(stream: 3, endsStream: true)
            let frames = try await stage.say(bytes) { $0.type == 3 || $0.type == 7 }
            return frames.last?.type == 7 ? "GOAWAY" : "RST_STREAM"
        },
        SettingEffect("upper-case-names", "stream", from: "GOAWAY", to: "RST_STREAM") { stage in
            let block: [UInt8] = [0x83, 0x87, 0x84, 0x01, 1, 0x78, 0, 1, 0x58, 1, 0x79]
            let bytes = RawFrame.preface + RawFrame.frame(type: 1, flags: 5, stream: 1, block)
            let frames = try await stage.say(bytes) { $0.type == 3 || $0.type == 7 }
            return frames.last?.type == 7 ? "GOAWAY" : "RST_STREAM"
        },
    ]

    /// Consequences of one error, on a connection that otherwise ends as idle.
    private static let errors = [
        SettingEffect(
            "error-percent",
            "1",
            from: "IdleTimeout",
            to: "DeviceTokenNotForTopic",
            with: { ($0.connections.judgedAnswerCount, $0.connections.idleDeadline) = (1, .seconds(10)) },
            afterOneError
        ),
        SettingEffect(
            "error-answers",
            "1",
            from: "IdleTimeout",
            to: "DeviceTokenNotForTopic",
            with: { ($0.connections.errorPercentMax, $0.connections.idleDeadline) = (1, .seconds(10)) },
            afterOneError
        ),
        SettingEffect(
            "bad-token-percent",
            "1",
            from: "IdleTimeout",
            to: "BadDeviceToken",
            with: { ($0.connections.judgedAnswerCount, $0.connections.idleDeadline) = (1, .seconds(10)) }
        ) { stage in
            let token = try DeviceToken(bytes: [UInt8](repeating: 9, count: 32))
            return try await stage.farewell { _ = try await stage.push(to: token, over: $0) }
        },
    ]

    private static let afterOneError: Observation = { stage in
        try await stage.farewell { connection in
            _ = try await stage.push(over: connection) { $0["apns-topic"] = "com.example.other" }
        }
    }

    private static let ends = [
        SettingEffect(
            "idle-timeout",
            "0",
            from: "Shutdown",
            to: "IdleTimeout",
            with: { $0.connections.lifetimeMax = .seconds(2) }
        ) { try await $0.farewell() },
        SettingEffect(
            "connection-lifetime",
            "0",
            from: "IdleTimeout",
            to: "Shutdown",
            with: { $0.connections.idleDeadline = .seconds(2) }
        ) { try await $0.farewell() },
        SettingEffect("goaway-frames", "2", from: "1", to: "2", with: { $0.connections.lifetimeMax = .zero }) { stage in
            "\(try await stage.say(RawFrame.preface).count { $0.type == 7 })"
        },
        SettingEffect(
            "drain-seconds",
            "1",
            from: "until the stream's own deadline",
            to: "cut before",
            with: { ($0.connections.lifetimeMax, $0.connections.requestSecondsMax) = (.seconds(1), 4) }
        ) { stage in
            let frames = try await stage.say(RawFrame.preface + RawFrame.request(stream: 1, endsStream: false))
            return frames.contains { $0.type == 3 } ? "until the stream's own deadline" : "cut before"
        },
    ]

    /// Deadlines, each beside a longer one that ends the connection in another way.
    private static let deadlines = [
        SettingEffect(
            "handshake-seconds",
            "1",
            from: "GOAWAY",
            to: "cut",
            with: { $0.connections.idleDeadline = .seconds(4) }
        ) { stage in
            // No bytes at all, not even SETTINGS.
            try await stage.say([]).contains { $0.type == 7 } ? "GOAWAY" : "cut"
        },
        SettingEffect(
            "request-seconds",
            "1",
            from: "connection",
            to: "stream",
            with: { ($0.connections.lifetimeMax, $0.connections.drainSecondsMax) = (.seconds(4), 1) }
        ) { stage in
            let frames = try await stage.say(RawFrame.preface + RawFrame.request(stream: 1, endsStream: false))
            return frames.contains { $0.type == 3 } ? "stream" : "connection"
        },
        SettingEffect(
            "response-seconds",
            "1",
            from: "connection",
            to: "stream",
            with: { ($0.connections.lifetimeMax, $0.connections.drainSecondsMax) = (.seconds(4), 1) }
        ) { stage in
            // SETTINGS_INITIAL_WINDOW_SIZE 0: the reason cannot be sent.
            let noWindow = RawFrame.frame(type: 4, flags: 0, stream: 0, [0, 4, 0, 0, 0, 0])
            let frames = try await stage.say(
                RawFrame.preface + noWindow + RawFrame.request(stream: 1, endsStream: true)
            )
            return frames.contains { $0.type == 3 } ? "stream" : "connection"
        },
    ]

    private static let numbers = [
        SettingEffect("connections", "1", from: "in, in", to: "in, out") { stage in
            await stage.waitUntilNobodyIsConnected()
            let first = try await stage.connection()
            // `try?`: the question is whether there is one.
            let second = try? await stage.connection()
            await first.close()
            await second?.close()
            return "in, \(second == nil ? "out" : "in")"
        },
        SettingEffect("reconnects", "1", from: "in, in", to: "in, out") { try await reconnect($0) },
        SettingEffect(
            "reconnect-window",
            "1",
            from: "in, out",
            to: "in, in",
            with: { ($0.connections.reconnectCountMax, $0.connections.reconnectWindowSeconds) = (1, 3600) }
        ) { stage in
            // Beyond the window of the connections admitted before.
            stage.site.advance(3600)
            return try await reconnect(stage)
        },
    ]

    private static func reconnect(_ stage: SettingStage) async throws -> String {
        try await stage.connection().close()
        stage.site.advance(10)
        // `try?`: the question is whether there is one.
        let second = try? await stage.connection()
        await second?.close()
        return "in, \(second == nil ? "out" : "in")"
    }
}
