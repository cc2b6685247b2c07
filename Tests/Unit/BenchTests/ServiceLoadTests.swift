import Envelope
import Testing

@testable import Bench

struct ServiceLoadTests {
    @Test(arguments: [1, 2, 3, 100, 618, 1_000, 9_973, 10_000, 65_536])
    func `so many notifications in a row go to as many devices`(_ count: Int) {
        let recipients = ServiceRecipients(deviceCount: count)
        for first in [0, 7, 1_000_000_007] {
            #expect(Set((first..<first + count).map { recipients[$0].deviceID }).count == count)
        }
    }

    @Test func `neighbours are far apart, so that a registry is cold`() {
        let recipients = ServiceRecipients(deviceCount: 10_000)
        for number in 0..<1_000 {
            guard case .device(let one) = recipients[number], case .device(let other) = recipients[number + 1] else {
                Issue.record("a load that is not mixed has devices only")
                return
            }
            #expect(abs(one - other) > 100)
        }
    }

    @Test func `a mixed load has one of a hundred for each other end`() {
        let recipients = ServiceRecipients(deviceCount: 100, isMixed: true)
        let all = (0..<1_000).map { recipients[$0] }
        #expect(all.count { if case .gone = $0 { true } else { false } } == 10)
        #expect(all.count { if case .parked = $0 { true } else { false } } == 10)
    }

    @Test func `ids of devices are as long for each, and in the order of their numbers`() {
        let ids = [0, 9, 10, 9_999_999].map { ServiceRecipient.device($0).deviceID }
        #expect(ids == ids.sorted() && Set(ids.map(\.utf8.count)).count == 1)
        for other in [ServiceRecipient.gone(7), .parked(7)] { #expect(other.deviceID.utf8.count == ids[0].utf8.count) }
    }

    @Test(arguments: ServiceLoad.Payload.allCases, [0, 100])
    func `a body names each recipient, with its trace and its hash`(
        _ payload: ServiceLoad.Payload,
        _ receiptPercent: Int
    ) throws {
        var load = ServiceLoad()
        load.payload = payload
        load.receiptPercent = receiptPercent
        let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 8, allowsFractions: false)
        let json = try JSONParser.parse(ServiceBodies(load).body(41..<44), limits: limits)
        let recipients = try #require(json["recipients"]?.elements)
        #expect(json["topic"]?.string == "com.example.chat" && recipients.count == 3)
        for (number, recipient) in zip(41..., recipients) {
            #expect(recipient["device"]?.string == ServiceRecipients(deviceCount: 10_000)[number].deviceID)
            #expect(recipient["trace"]?.string == ServiceRecipients.trace(number).text)
            #expect((recipient["receipt-hash"]?.string?.utf8.count == 43) == (receiptPercent > 0))
            let field = recipient[payload == .small ? "webpush" : "sealed"]?.string
            #expect(field?.utf8.count == (payload == .small ? 878 : 3_840))
        }
    }

    @Test(arguments: [false, true], [0, 100])
    func `a body that is written over another is as one that is made anew`(_ isMixed: Bool, _ receiptPercent: Int) {
        var load = ServiceLoad()
        load.isMixed = isMixed
        load.receiptPercent = receiptPercent
        let bodies = ServiceBodies(load)
        for count in isMixed ? [1] : [1, 3] {
            var bytes = bodies.body(0..<count)
            // A device, a deleted one, a parked one, and each behind another.
            for first in [1, 7, 13, 14, 113, 107, 99_999_999] {
                bodies.write(first..<first + count, over: &bytes)
                #expect(bytes == ServiceBodies(load).body(first..<first + count), "\(first)")
            }
        }
    }

    @Test func `the number of a notification is read from the end of its payload, and from no other`() {
        let trace = ServiceRecipients.trace(123_456_789).text
        #expect(ServiceBodies.number(payload: Array(#"{"aps":{},"trace":"\#(trace)"}"#.utf8)) == 123_456_789)
        let stranger = Trace(bytes: [UInt8](repeating: 1, count: 16)).text
        for text in [#"{"trace":"\#(stranger)"}"#, "{}", "", String(repeating: "!", count: 30)] {
            #expect(ServiceBodies.number(payload: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
