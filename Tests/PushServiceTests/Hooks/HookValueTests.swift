import Envelope
import Primitives
import TestSupport
import Testing

@testable import PushService

struct SendTurnsTests {
    @Test func `tenants take turns, whoever has how much`() {
        var turns = SendTurns<String>()
        for number in 0..<4 { turns.add("a\(number)", of: "a", .plain) }
        turns.add("b0", of: "b", .plain)
        #expect((0..<5).compactMap { _ in turns.next()?.element } == ["a0", "b0", "a1", "a2", "a3"])
    }

    @Test func `of one tenant six go, eight with urgent ones, and of all sixty-four`() {
        var turns = SendTurns<Int>()
        for tenant in 0..<20 {
            for number in 0..<20 { turns.add(number, of: "\(tenant)", .plain) }
        }
        let plain = (0..<1_000).compactMap { _ in turns.next() }
        #expect(plain.count == 56)
        #expect(Dictionary(grouping: plain, by: \.tenant).values.allSatisfy { $0.count <= 6 })
        for number in 0..<20 { turns.add(number, of: "19", .urgent) }
        for number in 0..<20 { turns.add(number, of: "20", .urgent) }
        let urgent = (0..<1_000).compactMap { _ in turns.next() }
        #expect(urgent.count == 8 && urgent.allSatisfy { $0.kind == .urgent })
    }

    @Test func `a tenant has eight places for both kinds`() {
        var turns = SendTurns<Int>()
        for number in 0..<20 {
            turns.add(number, of: "a", .plain)
            turns.add(number, of: "a", .urgent)
        }
        let kinds = (0..<40).compactMap { _ in turns.next()?.kind }
        #expect(kinds.count == 8 && kinds.allSatisfy { $0 == .urgent })
    }

    @Test func `a slow server, or one that does not answer, has one place until it is better`() {
        var turns = SendTurns<Int>()
        for number in 0..<20 { turns.add(number, of: "a", .plain) }
        func go() -> Int { (0..<20).compactMap { _ in turns.next() }.count }
        #expect(go() == 6)
        for _ in 0..<6 { turns.ended("a", .plain, wasAnswered: false, milliseconds: 1) }
        #expect(go() == 1)
        turns.ended("a", .plain, wasAnswered: true, milliseconds: 2_001)
        #expect(go() == 1)
        turns.ended("a", .plain, wasAnswered: true, milliseconds: 10)
        #expect(go() == 6)
        #expect(turns.waitingCount(of: "a", .plain) == 6)
        #expect(turns.removeAll().count == 6 && turns.waitingCount(of: "a", .plain) == 0)
    }

    @Test func `in any order of events everything goes once, and no bound is passed`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var turns = SendTurns<Int>()
        var sending: [(element: Int, tenant: String, kind: SendKind)] = []
        var gone: Set<Int> = []
        var added = 0
        for _ in 0..<20_000 {
            if Bool.random(using: &random), added < 5_000 {
                let kind: SendKind = Int.random(in: 0..<4, using: &random) == 0 ? .urgent : .plain
                turns.add(added, of: "\(Int.random(in: 0..<30, using: &random))", kind)
                added += 1
            } else if let next = turns.next() {
                #expect(gone.insert(next.element).inserted, "seed \(seed)")
                sending.append(next)
            } else if let index = sending.indices.randomElement(using: &random) {
                let ended = sending.remove(at: index)
                turns.ended(
                    ended.tenant,
                    ended.kind,
                    wasAnswered: Bool.random(using: &random),
                    milliseconds: Int64.random(in: 0..<4_000, using: &random)
                )
            }
            #expect(sending.count <= 64 && sending.count(where: { $0.kind == .plain }) <= 56, "seed \(seed)")
            let most = Dictionary(grouping: sending, by: \.tenant).values.map(\.count).max() ?? 0
            #expect(most <= 8, "seed \(seed)")
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

struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fault(_ path: String) -> SecretFile.Fault? {
        refusal { () throws(SecretFile.Fault) in _ = try SecretFile.read(path) }
    }

    @Test func `its bytes are the secret, the line's end among them`() throws {
        let text = String(repeating: "k", count: 31) + "\n"
        let secret = try SecretFile.read(try folder.makeFile("key", text))
        let bytes = secret.withBytes { [UInt8](copying: $0) }
        #expect(bytes == Array(text.utf8))
    }

    @Test func `what is short, long, open, no file or not there is none`() throws {
        let text = String(repeating: "k", count: 32)
        #expect(fault(try folder.makeFile("short", String(text.dropLast()))) == .tooShort)
        #expect(fault(try folder.makeFile("long", String(repeating: "k", count: 4_097))) == .tooLong)
        for mode in [0o640, 0o604, 0o620, 0o644, 0o601] {
            #expect(fault(try folder.makeFile("open-\(mode)", text, mode: mode)) == .open)
        }
        #expect(fault(folder.path) == .notAFile)
        #expect(fault("/dev/zero") == .notAFile)
        #expect(fault(folder.path("missing")) == .unreadable)
        #expect(fault(try folder.makeFile("good", text, mode: 0o400)) == nil)
    }
}
