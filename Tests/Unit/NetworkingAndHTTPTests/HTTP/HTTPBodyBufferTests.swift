import Testing

@testable import HTTP

@Suite struct HTTPBodyBufferTests {
    private func append(_ count: Int, _ intake: inout HTTPBodyBuffer, _ budget: HTTPBodyBudget) -> HTTPBodyError? {
        let piece = [UInt8](repeating: 7, count: count)
        return unsafe piece.withUnsafeBufferPointer { piece in unsafe intake.append(piece, budget) }
    }

    private static let share = HTTPBodyShare.keyed(owner: "test")

    private static func intake(_ budget: HTTPBodyBudget) -> HTTPBodyBuffer {
        var intake = HTTPBodyBuffer()
        #expect(intake.keep(byteCountMax: 1 << 20, share, budget) == nil)
        return intake
    }

    @Test func `what is kept is charged, and given back once`() {
        let budget = HTTPBodyBudget(keyed: 2 << 20, keyless: 0, network: 0)
        var intake = Self.intake(budget)
        for _ in 0..<100 { #expect(append(1000, &intake, budget) == nil) }
        #expect(budget.byteCount >= 100_000)
        #expect(intake.take() == [UInt8](repeating: 7, count: 100_000))
        #expect(budget.byteCount >= 100_000)
        intake.discard(budget)
        intake.discard(budget)
        #expect(budget.byteCount == 0)
    }

    @Test func `a body beyond its limit is gone and said so once`() {
        let budget = HTTPBodyBudget(keyed: 2 << 20, keyless: 0, network: 0)
        var intake = HTTPBodyBuffer()
        #expect(intake.keep(byteCountMax: 1000, Self.share, budget) == nil)
        #expect(append(1000, &intake, budget) == nil)
        #expect(append(1, &intake, budget) == .tooLarge)
        #expect(append(1, &intake, budget) == nil)
        #expect(intake.byteCount == 1002 && budget.byteCount == 0 && intake.take().isEmpty)
    }

    @Test func `a limit that comes late counts for what has come`() {
        let budget = HTTPBodyBudget(keyed: 2 << 20, keyless: 0, network: 0)
        var intake = HTTPBodyBuffer()
        #expect(append(1001, &intake, budget) == nil)
        #expect(intake.keep(byteCountMax: 1000, Self.share, budget) == .tooLarge)
        #expect(budget.byteCount == 0)
    }

    @Test func `what came before its share is known is charged then`() {
        let budget = HTTPBodyBudget(keyed: 5_000, keyless: 0, network: 0)
        var first = HTTPBodyBuffer()
        var second = HTTPBodyBuffer()
        #expect(append(2000, &first, budget) == nil && append(2000, &second, budget) == nil)
        #expect(budget.byteCount == 0)
        #expect(first.keep(byteCountMax: 3000, Self.share, budget) == nil)
        #expect(budget.byteCount >= 2000)
        #expect(second.keep(byteCountMax: 3000, Self.share, budget) == .noRoom)
        first.discard(budget)
        second.discard(budget)
        #expect(budget.byteCount == 0)
    }

    @Test func `a budget that is used up ends a body, and no other`() {
        let budget = HTTPBodyBudget(keyed: 8_000, keyless: 0, network: 0)
        var first = Self.intake(budget)
        var second = Self.intake(budget)
        #expect(append(3000, &first, budget) == nil)
        #expect(append(3000, &second, budget) == .noRoom)
        #expect(append(1, &second, budget) == nil)
        #expect(first.take().count == 3000 && second.take().isEmpty)
    }
}
