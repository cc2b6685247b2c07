import APNS
import Testing

@testable import DeviceLink

struct NotificationListTests {
    private var list = NotificationList()

    private func push(_ number: UInt8, collapseID: String? = nil, _ pushType: PushType = .alert) throws -> DevicePush {
        DevicePush(
            id: APNSID(randomBytes: [UInt8](repeating: number, count: 16)),
            topic: try Topic("com.example.chat"),
            pushType: pushType,
            priority: .immediate,
            expiration: nil,
            collapseID: try collapseID.map { try CollapseID($0) },
            payload: [number]
        )
    }

    @Test mutating func `an alert with a collapse id takes the place of the one that has it, and is the newest`() throws
    {
        #expect(list.show(try push(1, collapseID: "score")) == nil)
        #expect(list.show(try push(2, collapseID: "weather")) == nil)
        #expect(list.show(try push(3)) == nil)
        #expect(list.show(try push(4, collapseID: "score")) == (try push(1).id))
        #expect(list.pushes.map(\.payload) == [[2], [3], [4]])
    }

    @Test mutating func `alerts without a collapse id lie beside each other, but not one that came twice`() throws {
        list.show(try push(1))
        list.show(try push(2))
        #expect(list.show(try push(1)) == (try push(1).id))
        #expect(list.pushes.map(\.payload) == [[2], [1]])
    }

    @Test mutating func `a background push shows nothing`() throws {
        list.show(try push(1, collapseID: "score"))
        #expect(list.show(try push(2, collapseID: "score", .background)) == nil)
        #expect(list.pushes.map(\.payload) == [[1]])
    }

    @Test mutating func `the oldest leaves a full screen`() throws {
        for number in 0...UInt8(NotificationList.countMax) { list.show(try push(number)) }
        #expect(list.pushes.count == NotificationList.countMax)
        #expect(list.pushes.first?.payload == [1])
    }
}
