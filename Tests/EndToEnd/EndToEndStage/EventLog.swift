import Envelope
import Platform

/// Events of one station, in order, for tests that wait for them. A wait without an event hangs, and scripts/watched
/// names the test.
public final class EventLog: Sendable {
    private struct Waiter {
        let name: String
        let continuation: CheckedContinuation<JSON?, Never>
    }

    private struct State {
        var events: [JSON] = []
        var waiters: [Waiter] = []
        var isOver = false
    }

    private let state = Guarded(State())

    init() {}

    /// The next event of that name; others are skipped, and stay for other waiters.
    ///
    /// - Throws: `Surprise` where no event can come any more.
    public func next(_ name: String) async throws -> JSON {
        let event = await withCheckedContinuation { (continuation: CheckedContinuation<JSON?, Never>) in
            let found = state.withLock { state -> JSON?? in
                if let index = state.events.firstIndex(where: { $0["event"]?.text == name }) {
                    return .some(state.events.remove(at: index))
                }
                if state.isOver { return .some(nil) }
                state.waiters.append(Waiter(name: name, continuation: continuation))
                return .none
            }
            if let found { continuation.resume(returning: found) }
        }
        guard let event else { throw Surprise("it ended, and there was no event '\(name)'") }
        return event
    }

    /// Events of that name that no test has waited for.
    public func unseen(_ name: String) -> [JSON] {
        state.withLock { $0.events.filter { $0["event"]?.text == name } }
    }

    /// Every event that nobody has waited for.
    public var all: [JSON] { state.withLock { $0.events } }

    func add(_ event: JSON) {
        let waiter = state.withLock { state -> Waiter? in
            if let index = state.waiters.firstIndex(where: { $0.name == event["event"]?.text }) {
                return state.waiters.remove(at: index)
            }
            state.events.append(event)
            return nil
        }
        waiter?.continuation.resume(returning: event)
    }

    func end() {
        let waiters = state.withLock { state -> [Waiter] in
            defer { state.waiters = [] }
            state.isOver = true
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }
}

/// A value of JSON from a station.
public struct JSON: Sendable, CustomStringConvertible {
    let value: JSONValue

    /// - Throws: for invalid JSON.
    public init(_ bytes: [UInt8]) throws {
        let limits = JSONParser.Limits(byteCountMax: 1 << 22, depthMax: 16, allowsFractions: true)
        value = try JSONParser.parse(bytes, limits: limits)
    }

    private init(_ value: JSONValue) { self.value = value }

    /// A member of an object.
    public subscript(name: String) -> JSON? { value[name].map(JSON.init) }

    /// The text of a string.
    public var text: String? { value.string }

    /// The value of an integer.
    public var number: Int? { if case .integer(let number) = value.content { Int(number) } else { nil } }

    /// The value of a boolean.
    public var flag: Bool? { if case .bool(let flag) = value.content { flag } else { nil } }

    /// The elements of an array; none of anything else.
    public var elements: [JSON] { if case .array(let elements) = value.content { elements.map(JSON.init) } else { [] } }

    /// For a test that fails.
    public var description: String { "\(value)" }
}

/// An error's sentence about a state in which a test cannot continue.
public struct Surprise: Error, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// - Parameter description: a sentence.
    public init(_ description: String) { self.description = description }
}
