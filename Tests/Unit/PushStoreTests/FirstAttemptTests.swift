import Envelope
import PushStorePattern
import Testing

@testable import PushStore

struct FirstAttemptTests {
    private static let attempts = [
        Attempt(
            time: StorePattern.start,
            connection: .answered,
            status: 200,
            uniqueID: String(repeating: "u", count: 36)
        ),
        Attempt(time: StorePattern.start, connection: .interrupted),
        Attempt(time: StorePattern.start, connection: .answered, status: 400, reason: "", uniqueID: ""),
        Attempt(
            time: Timestamp(milliseconds: 0),
            connection: .ambiguous,
            status: 999,
            reason: String(repeating: "r", count: 64),
            uniqueID: String(repeating: "u", count: 64)
        ),
    ]

    @Test(arguments: attempts, [EntryState.queued, .accepted, .dead(.rejected)])
    func `it is read as it was written`(_ attempt: Attempt, _ state: EntryState) {
        #expect(FirstAttempt.decode(FirstAttempt.encode(attempt, state: state)) == attempt)
    }

    @Test func `zeros are none, and so is what was cut`() {
        #expect(FirstAttempt.decode([UInt8](repeating: 0, count: FirstAttempt.reservedByteCount)) == nil)
        let bytes = FirstAttempt.encode(Self.attempts[3], state: .queued)
        for count in 0..<bytes.count { #expect(FirstAttempt.decode(Array(bytes.prefix(count))) == nil) }
    }

    @Test func `a row keeps its length when its state's number begins to take a byte`() {
        let reserved = FirstAttempt.reservedByteCount
        #expect(FirstAttempt.encode(Self.attempts[0], state: .queued).count == reserved)
        #expect(FirstAttempt.encode(Self.attempts[0], state: .accepted).count == reserved - 1)
    }
}
