import APNS
import DeviceLink
import Networking
import Testing

@testable import APNSSimulator
@testable import HTTP

struct EventJournalTests {
    private func journal(_ count: Int, of countMax: Int) -> EventJournal {
        var journal = EventJournal(countMax: countMax)
        for number in 0..<count {
            journal.append(.delivery(.connected(device: number + 1)), unixSeconds: Int64(number))
        }
        return journal
    }

    @Test func `events are numbered from 1 and told from a number on`() {
        var journal = journal(5, of: 10)
        #expect(journal.entries(after: 0, limit: 10).map(\.number) == [1, 2, 3, 4, 5])
        #expect(journal.entries(after: 3, limit: 10).map(\.event.device) == [4, 5])
        #expect(journal.entries(after: 3, limit: 1).map(\.number) == [4])
    }

    @Test(arguments: [5, 6, 1_000, Int.max - 10])
    func `a number that has not come yet has nothing after it`(_ number: Int) {
        var journal = journal(5, of: 10)
        #expect(journal.entries(after: number, limit: 10).isEmpty)
    }

    @Test(arguments: [10, 11, 15, 20, 25])
    func `the oldest are forgotten, and the rest are in order`(_ count: Int) {
        var journal = journal(count, of: 10)
        #expect(journal.entries(after: 0, limit: 100).map(\.number) == Array(count - 9...count))
        #expect(journal.entries(after: count - 2, limit: 100).map(\.number) == [count - 1, count])
        #expect(journal.entries(after: 0, limit: 100).map(\.unixSeconds) == (count - 10..<count).map { Int64($0) })
    }

    @Test func `an event is put into words when it is read, and its request is let go then`() {
        var journal = EventJournal(countMax: 10)
        weak var push: ReceivedPush?
        do {
            var headers = HeaderBlock()
            headers.append(":path", Array("/3/device/ab".utf8))
            let received = ReceivedPush(
                HTTP2ServerRequest(headers: headers, body: [1, 2], bodyByteCount: 2),
                RequestValidator.Verdict(answeredID: Array("AB".utf8), result: .failure(RequestRejection(.badTopic))),
                hasHeaders: false
            )
            push = received
            journal.append(.rejected(.badTopic, received), unixSeconds: 1)
        }
        #expect(push != nil)
        #expect(journal.entries(after: 0, limit: 1).map(\.event.id) == ["ab"])
        #expect(push == nil)
    }

    @Test func `fewer events that may be kept make the oldest forgotten`() {
        var journal = journal(5, of: 10)
        journal.countMax = 2
        #expect(journal.entries(after: 0, limit: 10).map(\.number) == [4, 5])
        journal.countMax = 3
        for number in 0..<2 { journal.append(.delivery(.connected(device: number)), unixSeconds: 9) }
        #expect(journal.entries(after: 0, limit: 10).map(\.number) == [5, 6, 7])
    }

    @Test func `an entry has the words of its event`() {
        let id = APNSID(randomBytes: [UInt8](repeating: 1, count: 16))
        let events: [(SimulatorEvent, String, String?)] = [
            (.delivery(.stored(id, device: 3)), "stored", "\(id)"),
            (.delivery(.delivered(id, device: 3)), "delivered", "\(id)"),
            (.delivery(.replaced(id, by: id, device: 3)), "replaced", "\(id)"),
            (.delivery(.discarded(id, .expired, device: 3)), "discarded", "\(id)"),
            (.delivery(.disconnected(device: 3)), "disconnected", nil),
        ]
        for (event, name, id) in events {
            let summary = EventSummary(event)
            #expect(summary.name == name && summary.device == 3 && summary.id == id)
        }
        #expect(EventSummary(.deviceFailed(.refused(.tooManyDevices))).name == "device-failed")
    }
}
