import Envelope
import Primitives
import TestSupport
import Testing

@testable import PushService

struct SendTurnsTests {
    private static let limits = SendLimits(whole: 64, firstOfTenant: 8, ofTenant: 32)

    private func turns(_ counts: [String: Int]) -> SendTurns<String, Int> {
        var turns = SendTurns<String, Int>(Self.limits)
        for (tenant, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in 0..<count { turns.add(number, of: tenant) }
        }
        return turns
    }

    @Test func `tenants take turns, whoever has how much`() {
        var turns = turns(["a": 4, "b": 1])
        let order = (0..<5).compactMap { _ in turns.next() }.map { "\($0.tenant)\($0.elements[0])" }
        #expect(order == ["a0", "b0", "a1", "a2", "a3"])
    }

    @Test func `of one tenant eight go, and of all sixty-four`() {
        var turns = turns(Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", 20) }))
        let going = (0..<1_000).compactMap { _ in turns.next() }
        #expect(going.count == 64)
        #expect(Dictionary(grouping: going, by: \.tenant).values.allSatisfy { $0.count <= 8 })
    }

    @Test func `a call takes as much as it may carry, and no more than there is`() {
        var turns = turns(["a": 5])
        #expect(turns.next { _ in 3 }?.elements == [0, 1, 2])
        #expect(turns.next { _ in 3 }?.elements == [3, 4])
        #expect(turns.next { _ in 3 } == nil)
    }

    @Test func `quick answers give a busy tenant more places, in the first half of all`() {
        var turns = turns(["a": 10_000, "b": 10_000])
        var going: [String: Int] = [:]
        func go() {
            while let next = turns.next() { going[next.tenant, default: 0] += 1 }
        }
        go()
        #expect(going == ["a": 8, "b": 8])
        for _ in 0..<1_000 {
            turns.ended("a", wasAnswered: true, milliseconds: 1)
            going["a", default: 0] -= 1
            go()
        }
        // All of the first half is taken: it has one place more than it can use.
        #expect(turns.width(of: "a") == 25 && going == ["a": 24, "b": 8])
        // Tenants with few calls still find a place in the second half.
        for tenant in ["c", "d", "e", "f"] {
            for number in 0..<20 { turns.add(number, of: tenant) }
        }
        go()
        #expect(going == ["a": 24, "b": 8, "c": 8, "d": 8, "e": 8, "f": 8])
    }

    @Test func `a slow server, or one that does not answer, has one place until it is better`() {
        var turns = turns(["a": 20])
        func go() -> Int { (0..<20).compactMap { _ in turns.next() }.count }
        #expect(go() == 8)
        for _ in 0..<8 { turns.ended("a", wasAnswered: false, milliseconds: 1) }
        #expect(go() == 1)
        turns.ended("a", wasAnswered: true, milliseconds: 2_001)
        #expect(go() == 1)
        turns.ended("a", wasAnswered: true, milliseconds: 10)
        #expect(go() == 8)
        #expect(turns.waitingCount(of: "a") == 2)
        #expect(turns.removeAll().count == 2 && turns.waitingCount(of: "a") == 0)
    }

    @Test func `in any order of events everything goes once, and no bound is passed`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var turns = SendTurns<String, Int>(Self.limits)
        var sending: [(elements: [Int], tenant: String)] = []
        var gone: Set<Int> = []
        var added = 0
        for _ in 0..<20_000 {
            if Bool.random(using: &random), added < 5_000 {
                turns.add(added, of: "\(Int.random(in: 0..<30, using: &random))")
                added += 1
            } else if let next = turns.next(count: { Int($0) ?? 0 }) {
                for element in next.elements { #expect(gone.insert(element).inserted, "seed \(seed)") }
                sending.append(next)
            } else if let index = sending.indices.randomElement(using: &random) {
                let ended = sending.remove(at: index)
                let milliseconds = Int64.random(in: 0..<4_000, using: &random)
                turns.ended(ended.tenant, wasAnswered: Bool.random(using: &random), milliseconds: milliseconds)
            }
            let most = Dictionary(grouping: sending, by: \.tenant).values.map(\.count).max() ?? 0
            #expect(sending.count <= 64 && most <= 32, "seed \(seed)")
        }
        #expect(gone.count == added, "seed \(seed)")
    }
}

struct HookRetryTests {
    private let retry = HookRetry()

    private func verdict(_ result: WebhookResult, afterSeconds seconds: UInt64, chance: Double = 1)
        -> HookRetry.Verdict
    {
        let start: UInt64 = 1_700_000_000_000
        return retry.verdict(
            result,
            created: Timestamp(milliseconds: start),
            now: Timestamp(milliseconds: start + seconds * 1_000),
            chance: chance
        )
    }

    private func wait(afterSeconds seconds: UInt64, chance: Double = 1) -> UInt64? {
        guard case .retry(let time) = verdict(.lost, afterSeconds: seconds, chance: chance) else { return nil }
        return time.milliseconds - 1_700_000_000_000 - seconds * 1_000
    }

    @Test func `waits double, to an hour, with chance in half of each`() {
        #expect(
            [0, 5, 10, 20, 3_600, 50_000].map { wait(afterSeconds: $0) } == [
                5_000, 5_000, 10_000, 20_000, 3_600_000, 3_600_000,
            ]
        )
        #expect(wait(afterSeconds: 20, chance: 0) == 10_000 && wait(afterSeconds: 20, chance: 0.5) == 15_000)
    }

    @Test func `a last try is after a day, and then it is given up`() {
        #expect(wait(afterSeconds: 86_000) == 400_000)
        #expect(wait(afterSeconds: 86_399) == 1_000)
        #expect(verdict(.lost, afterSeconds: 86_400) == .givenUp)
        #expect(verdict(.answered(status: 204), afterSeconds: 100_000) == .done)
    }

    @Test(arguments: [200, 202, 204, 299])
    func `a success is one`(_ status: Int) {
        #expect(verdict(.answered(status: status), afterSeconds: 0) == .done)
    }

    @Test(arguments: [400, 401, 403, 404, 410, 422, 499])
    func `what is the request's fault is given up`(_ status: Int) {
        #expect(verdict(.answered(status: status), afterSeconds: 0) == .givenUp)
    }

    @Test(arguments: [301, 307, 408, 429, 500, 503, 999])
    func `what may get better is tried again`(_ status: Int) {
        #expect(verdict(.answered(status: status), afterSeconds: 0) != .givenUp)
        #expect(verdict(.answered(status: status), afterSeconds: 0) != .done)
    }

    @Test func `a clock that went back waits no longer`() {
        let now = Timestamp(milliseconds: 1_000)
        let verdict = retry.verdict(.lost, created: Timestamp(milliseconds: 5_000), now: now, chance: 1)
        #expect(verdict == .retry(at: Timestamp(milliseconds: 6_000)))
    }
}

struct WebhookSecretTests {
    private static let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fault(_ path: String) -> WebhookSecretError? {
        refusal { () throws(WebhookSecretError) in _ = try WebhookSecret.read(path) }
    }

    private func bytes(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard let secret = unsafe WebhookSecret.decode(text.span.bytes) else { return nil }
        return secret.withBytes { [UInt8](copying: $0) }
    }

    @Test(arguments: ["", "\n", "\r\n", " \n\n"])
    func `it is the bytes that the text stands for, whatever white space is behind it`(_ end: String) throws {
        let secret = try WebhookSecret.read(try folder.makeFile("key", Self.text + end))
        let bytes = secret.withBytes { [UInt8](copying: $0) }
        #expect(bytes.count == 24 && bytes.prefix(3) == [0x31, 0xF2, 0x90] && bytes.suffix(2) == [0xA4, 0xB0])
    }

    @Test func `padding may be there, and is no part of it`() {
        let plain = bytes("whsec_" + String(repeating: "A", count: 43))
        #expect(plain == [UInt8](repeating: 0, count: 32))
        #expect(bytes("whsec_" + String(repeating: "A", count: 43) + "=") == plain)
        #expect(bytes("whsec_" + String(repeating: "/", count: 85) + "w==")?.count == 64)
    }

    @Test(arguments: [
        "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-w", " " + text,
        "whsec_MfKQ9r8GKYqrTwjUPD8I\nLPZIo2LaLaSw", text + "=", text + "A",
        "whsec_" + String(repeating: "A", count: 42) + "B=",
        "whsec_" + String(repeating: "A", count: 43) + "==", "whsec_" + String(repeating: "A", count: 88),
    ])
    func `what is no secret is none`(_ text: String) { #expect(bytes(text) == nil) }

    @Test func `what others may read, is no file or not there is none`() throws {
        #expect(fault(try folder.makeFile("short", String(Self.text.dropLast(2)))) == .malformed)
        #expect(fault(try folder.makeFile("long", Self.text + String(repeating: " ", count: 300))) == .malformed)
        for mode in [0o640, 0o604, 0o620, 0o644, 0o601] {
            #expect(fault(try folder.makeFile("open-\(mode)", Self.text, mode: mode)) == .open)
        }
        #expect(fault(folder.path) == .notAFile)
        #expect(fault("/dev/zero") == .notAFile)
        #expect(fault(folder.path("missing")) == .unreadable)
        #expect(fault(try folder.makeFile("good", Self.text, mode: 0o400)) == nil)
    }
}
