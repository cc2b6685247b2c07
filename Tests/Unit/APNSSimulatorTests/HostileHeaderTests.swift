import APNS
import Foundation
import HTTP
import Networking
import TestSupport
import Testing

@testable import APNSSimulator

/// Header lists that no client sends, by seed: each gets a result, and none traps.
struct HostileHeaderTests {
    /// Lists for each seed; a million in all takes SEALEDPUSH_HOSTILE_COUNT=62500.
    private static let count =
        ProcessInfo.processInfo.environment["SEALEDPUSH_HOSTILE_COUNT"].flatMap { Int($0) } ?? 5_000

    private static let names = [
        ":method", ":path", ":scheme", ":authority", "authorization", "apns-id", "apns-topic", "apns-push-type",
        "apns-priority", "apns-expiration", "apns-collapse-id", "content-encoding", "cookie", "x-a",
    ].map { Array($0.utf8) }

    /// Valid values of other headers, and near misses.
    private static let values =
        ([
            "", " ", "POST", "GET", "/3/device/", "/3/device/zz", "/3/device/\(Request.token)/",
            "/3/device/\(Request.token)",
            "bearer ", "bearer ..", "bearer a.b.c", "Bearer eyJ9.eyJ9.eyJ9", Request.id, Request.id.uppercased(),
            "com.example.chat", "com.example.chat.voip", ".voip", "voip", "com.example.chat.push-type.liveactivity",
            "10", "5", "1", "0", "-0", "9999999999999999999", "99999999999999999999", "1e9", "١",
            String(repeating: "c", count: 64), String(repeating: "c", count: 65), String(repeating: "é", count: 32),
            String(repeating: "a", count: 300), String(repeating: "ab", count: 600), "\u{0}", "a\r\nb",
        ] + PushType.allCases.map(\.rawValue)).map { Array($0.utf8) }

    private struct Author {
        var random: SeededRandom
        let valid: [(name: [UInt8], value: [UInt8])]

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            valid = try Request().fields.map { (Array($0.name.utf8), Array($0.value.utf8)) }
        }

        mutating func headers() -> HeaderBlock {
            var fields = Int.random(in: 0..<8, using: &random) == 0 ? [] : valid
            for _ in 0..<Int.random(in: 0..<4, using: &random) { change(&fields) }
            var headers = HeaderBlock()
            for field in fields { headers.append(field.name, field.value) }
            return headers
        }

        private mutating func change(_ fields: inout [(name: [UInt8], value: [UInt8])]) {
            let index = Int.random(in: 0...fields.count, using: &random)
            guard index < fields.count, Int.random(in: 0..<4, using: &random) > 0 else {
                fields.insert((name(), value()), at: index)
                return
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: fields.remove(at: index)
            case 1: fields[index].name = name()
            case 2: fields.swapAt(index, Int.random(in: 0..<fields.count, using: &random))
            case 3: mutate(&fields[index].value)
            default: fields[index].value = value()
            }
        }

        private mutating func mutate(_ value: inout [UInt8]) {
            let offset = Int.random(in: 0...value.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where offset < value.count: value[offset] = UInt8.random(in: 0...255, using: &random)
            case 1 where offset < value.count: value.remove(at: offset)
            default: value.insert(UInt8.random(in: 0...255, using: &random), at: offset)
            }
        }

        private mutating func name() -> [UInt8] { pick(HostileHeaderTests.names) }

        private mutating func value() -> [UInt8] { pick(HostileHeaderTests.values) }

        private mutating func pick(_ known: [[UInt8]]) -> [UInt8] {
            guard Int.random(in: 0..<8, using: &random) == 0 else {
                return known[Int.random(in: 0..<known.count, using: &random)]
            }
            return (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    private static func world(_ seed: UInt64) throws -> World {
        var world: World
        if seed % 4 == 3 {
            let claims = try CertificateClaims(
                commonName: "Apple Push Services: com.example.chat",
                userID: "com.example.chat"
            ) { _ in nil }
            world = try World(profile: .apple, certificate: .accepted(claims))
        } else {
            world = try World(profile: seed % 2 == 0 ? .spec : .apple) { configuration in
                guard seed % 4 == 1 else { return }
                configuration.validation.suffixMismatch = .accept
                configuration.validation.strictJSON = true
                configuration.validation.managementWithToken = .accept
                configuration.validation.tokenUpdateScope = .key
            }
        }
        world.registrations[Request.token] = .init(bundleID: try Topic("com.example.chat"))
        return world
    }

    @Test(arguments: 1...16 as ClosedRange<UInt64>)
    func `every list of headers gets one verdict, of the checks' own reasons`(_ seed: UInt64) throws {
        var author = try Author(seed: seed)
        var world = try Self.world(seed)
        let known = Set(Check.allCases.flatMap(\.reasons))
        var reasons: Set<Reason> = []
        var acceptedCount = 0
        for number in 0..<Self.count {
            let headers = author.headers()
            let byteCount = Int.random(in: 0..<5200, using: &author.random)
            let payload = Array("{}".utf8)
            let verdict = world.verdict(on: headers, payload: payload, payloadByteCount: byteCount)
            switch verdict.result {
            case .success(let push):
                acceptedCount += 1
                _ = Lint.all(of: push, payload: payload)
            case .failure(let rejected): reasons.insert(rejected.reason)
            }
            if verdict.answeredID.count != APNSID.characterCount { Issue.record("seed \(seed), list \(number)") }
        }
        #expect(reasons.isSubset(of: known), "seed \(seed)")
        // They reach deep: not all fail the first check.
        #expect(acceptedCount > 0, "seed \(seed)")
        #expect(
            reasons.isSuperset(of: [
                .duplicateHeaders, .methodNotAllowed, .badPath, .badMessageID, .badPriority, .payloadTooLarge,
            ]),
            "seed \(seed)"
        )
    }
}
