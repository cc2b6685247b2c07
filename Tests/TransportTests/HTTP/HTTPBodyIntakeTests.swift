import Testing

@testable import Transport

@Suite struct HTTPBodyIntakeTests {
    private func append(_ count: Int, _ intake: inout HTTPBodyIntake, _ budget: HTTPBodyBudget) -> HTTPBodyFault? {
        let piece = [UInt8](repeating: 7, count: count)
        return unsafe piece.withUnsafeBufferPointer { piece in unsafe intake.append(piece, budget) }
    }

    @Test func `what is kept is charged, and given back once`() {
        let budget = HTTPBodyBudget(byteCountMax: 1 << 20)
        var intake = HTTPBodyIntake()
        for _ in 0..<100 { #expect(append(1000, &intake, budget) == nil) }
        #expect(budget.byteCount >= 100_000)
        #expect(intake.take() == [UInt8](repeating: 7, count: 100_000))
        #expect(budget.byteCount >= 100_000)
        intake.discard(budget)
        intake.discard(budget)
        #expect(budget.byteCount == 0)
    }

    @Test func `a body beyond its limit is gone and said so once`() {
        let budget = HTTPBodyBudget(byteCountMax: 1 << 20)
        var intake = HTTPBodyIntake()
        #expect(intake.limit(to: 1000, budget) == nil)
        #expect(append(1000, &intake, budget) == nil)
        #expect(append(1, &intake, budget) == .tooLarge)
        #expect(append(1, &intake, budget) == nil)
        #expect(intake.byteCount == 1002 && budget.byteCount == 0 && intake.take().isEmpty)
    }

    @Test func `a limit that comes late counts for what has come`() {
        let budget = HTTPBodyBudget(byteCountMax: 1 << 20)
        var intake = HTTPBodyIntake()
        #expect(append(1001, &intake, budget) == nil)
        #expect(intake.limit(to: 1000, budget) == .tooLarge)
        #expect(budget.byteCount == 0)
    }

    @Test func `a budget that is used up ends a body, and no other`() {
        let budget = HTTPBodyBudget(byteCountMax: 5000)
        var first = HTTPBodyIntake()
        var second = HTTPBodyIntake()
        #expect(append(3000, &first, budget) == nil)
        #expect(append(3000, &second, budget) == .noRoom)
        #expect(append(1, &second, budget) == nil)
        #expect(first.take().count == 3000 && second.take().isEmpty)
    }
}
