import APNS
import Envelope
import Glibc
import HTTP
import Networking
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct HostileRequestTests {
    /// Number of requests, from `SEALEDPUSH_API_REQUESTS`: 100,000 take minutes in a debug build.
    private static var count: Int {
        let wish = unsafe getenv("SEALEDPUSH_API_REQUESTS").map { unsafe String(cString: $0) }
        return wish.flatMap { Int($0) } ?? 2_000
    }

    private static let pieces = [
        "{", "}", "[", "]", "\"", ":", ",", "null", "-1", "1e9", "\\u0000", "title", "\u{0}", "\r\n",
        "'; DROP TABLE x; --",
        "%00", "..", "\u{1F600}", "\\ud800",
    ].map { Array($0.utf8) }

    /// Mostly valid requests, one for each operation.
    private static func originals(_ stage: ServerStage) async throws -> [(fields: [(String, String)], body: [UInt8])] {
        let trace = Trace(bytes: Array(1...16)).text
        let id = await stage.post(Body.notification()).ids.first ?? ""
        let bodies: [(Route.Operation, String)] = [
            (.putDevice, try ServerStage.device()), (.postResends, #"{"resends":[{"trace":"\#(trace)"}]}"#),
            (.postNotifications, Body.notification(#"{"device":"d1","sealed":"short","trace":"\#(trace)"}"#)),
            (.postNotifications, Body.notification()),
            (
                .postNotifications,
                Body.notification(
                    #"{"device":"d1","sealed":"\#(Body.sealed)"},{"device":"d2","sealed":"x"}"#,
                    #","partial":true"#
                )
            ),
            (.postReceipts, #"{"receipts":[{"capability":"\#(trace)","code":"opened"}]}"#),
            (.replayDeadLetters, #"{"ids":["\#(id)"]}"#),
            (.postSAP, #"{"topic":"com.example.rival","devices":["d1"],"notification":{"alert":"x","badge":1}}"#),
            (.queryBundles, #"{"devices":[{"device":"d1","etag":"\#(trace)"},{"device":"d2"}]}"#),
            (.getDevice, ""), (.deleteDevice, ""), (.getBundle, ""), (.getNotification, ""), (.listDeadLetters, ""),
            (.health, ""), (.readiness, ""), (.metrics, ""),
        ]
        return bodies.map { operation, body in
            let route = Route.all.first { $0.operation == operation } ?? .open
            let path = route.pattern.split(separator: "/").reduce("") {
                $0 + "/" + ($1.first == "{" ? (operation == .getNotification ? id : "d1") : String($1))
            }
            let tenant = operation == .postSAP ? "rival" : "acme"
            let key = route.scope.map { StagedConfiguration.key(tenant, $0) } ?? "none"
            let fields = [
                (":method", route.method), (":path", path), ("authorization", "Bearer " + key),
                ("content-type", "application/json"), ("idempotency-key", "k"),
            ]
            return (fields, Array(body.utf8))
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
    }

    @Test func `any request gets one answer, a success or a problem that is well formed`() async throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        try await ServerStage.with { stage in
            try await stage.register()
            try await stage.register(tenant: "rival")
            let originals = try await Self.originals(stage)
            var statuses: [Int: Int] = [:]
            for number in 0..<Self.count {
                var (fields, body) = originals[number % originals.count]
                if Bool.random(using: &random) { Self.mutate(&body, &random) }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let index = Int.random(in: 0..<fields.count, using: &random)
                    var value = Array(fields[index].1.utf8)
                    Self.mutate(&value, &random)
                    fields[index].1 = String(decoding: value, as: UTF8.self)
                }
                let reply = await stage.send(
                    fields,
                    .whole(body),
                    from: number % 2 == 0 ? nil : "192.0.2.\(number % 250)"
                )
                statuses[reply.status, default: 0] += 1
                if reply.status >= 300 {
                    #expect(
                        reply.problem != nil && reply.json?["status"]?.content == .integer(Int64(reply.status)),
                        "seed \(seed), \(number)"
                    )
                    #expect(reply.status < 500, "seed \(seed), \(number)")
                } else if reply.status != 204, reply.fields["content-type"] == "application/json" {
                    #expect(reply.json != nil, "seed \(seed), \(number)")
                }
            }
            // It would prove nothing if all were refused, or none.
            #expect((statuses[202] ?? 0) > 0 && (statuses[400] ?? 0) > 0 && (statuses[422] ?? 0) > 0, "\(statuses)")
            #expect(await stage.loop.run { stage.application.openCount } == 0)
        }
    }

    @Test func `no token, key or sealed text is in a log line or an answer`() async throws {
        try await ServerStage.with { stage in
            var answers: [UInt8] = []
            var random = SeededRandom(seed: RunSeed.here())
            try await stage.register(voIP: true)
            let originals = try await Self.originals(stage)
            for round in 0..<12 {
                stage.failure = [nil, .full, .failed(operation: .sync, code: 5)][round % 3]
                for (fields, body) in originals where !fields[1].1.contains("/bundle") {
                    var body = body
                    if round > 2 { Self.mutate(&body, &random) }
                    answers += await stage.send(fields, .whole(body), from: "192.0.2.7").body
                }
            }
            await Task(executorPreference: stage.loop) { await Upkeep(stage.context, quota: stage.quota).run() }.value
            let all = stage.log + String(decoding: answers, as: UTF8.self)
            #expect(!stage.log.isEmpty)
            let keys = StagedConfiguration.keys.values
            for key in keys { #expect(!all.contains(key.dropFirst(4))) }
            for number in [1, 1_001] { #expect(!all.lowercased().contains(ServerStage.token(number))) }
            #expect(!all.contains(String(Body.sealed.suffix(100))))
            #expect(!all.contains(Base64URL.string(try SignedBundle.bytes()).suffix(60)))
        }
    }
}
