import APNS
import TestSupport
import Testing

@testable import APNSSimulator

struct FeedbackListTests {
    private static func token(_ number: UInt8) throws -> DeviceToken {
        try DeviceToken(bytes: [UInt8](repeating: number, count: 32))
    }

    private static func tuple(_ number: UInt8, at time: UInt32) throws -> FeedbackTuple {
        FeedbackTuple(time: time, deviceToken: try token(number))
    }

    private let chat: Topic
    private let other: Topic

    init() throws {
        chat = try Topic("com.example.chat")
        other = try Topic("com.example.other")
    }

    @Test func `reading an app's entries clears them, and nobody else's`() throws {
        var list = FeedbackList()
        list.add(try Self.token(1), chat, at: 10)
        list.add(try Self.token(1), other, at: 11)
        list.add(try Self.token(2), chat, at: 12)
        #expect(list.count == 3)
        #expect(list.drain(chat) == [try Self.tuple(1, at: 10), try Self.tuple(2, at: 12)])
        #expect(list.drain(chat) == [] && list.count == 1)
        #expect(list.drain(other) == [try Self.tuple(1, at: 11)])
        #expect(list.drain(other) == [] && list.count == 0)
    }

    @Test func `a device is there once, at the time of the last failure`() throws {
        var list = FeedbackList()
        for time in [10, 30, 20] as [Int64] { list.add(try Self.token(1), chat, at: time) }
        #expect(list.count == 1)
        #expect(list.drain(chat) == [try Self.tuple(1, at: 20)])
        list.add(try Self.token(1), chat, at: 40)
        #expect(list.drain(chat) == [try Self.tuple(1, at: 40)], "what was read may fail again")
    }

    @Test func `a time outside the field is the nearest that fits`() throws {
        var list = FeedbackList()
        list.add(try Self.token(1), chat, at: -1)
        list.add(try Self.token(2), chat, at: 1 << 40)
        #expect(list.drain(chat) == [try Self.tuple(1, at: 0), try Self.tuple(2, at: .max)])
    }

    @Test func `a full list notes no more, until it is read`() throws {
        var list = FeedbackList(countMax: 2)
        #expect(list.add(try Self.token(1), chat, at: 1))
        #expect(list.add(try Self.token(2), other, at: 2))
        #expect(!list.add(try Self.token(3), chat, at: 3))
        #expect(list.add(try Self.token(1), chat, at: 4), "one that is there already")
        _ = list.drain(other)
        #expect(list.add(try Self.token(3), chat, at: 5))
    }

    @Test func `pieces of any size make the whole, with entries that come between`() throws {
        let seed: UInt64 = 7
        var random = SeededRandom(seed: seed)
        var list = FeedbackList()
        var model: [(UInt8, UInt32)] = []
        for step in 0..<5_000 as Range<UInt32> {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let number = UInt8.random(in: 0..<50, using: &random)
                list.add(try Self.token(number), chat, at: Int64(step))
                if let index = model.firstIndex(where: { $0.0 == number }) {
                    model[index].1 = step
                } else {
                    model.append((number, step))
                }
            } else {
                let count = Int.random(in: 0...20, using: &random)
                let expected = try model.prefix(count).map { try Self.tuple($0.0, at: $0.1) }
                model.removeFirst(min(count, model.count))
                #expect(list.drain(chat, countMax: count) == expected, "step \(step), seed \(seed)")
            }
            #expect(list.count == model.count)
        }
    }
}
