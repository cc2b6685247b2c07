import Envelope
import Foundation
import Keys
import NotificationCore
import Opening
import Platform
import Sealing
import TestSupport
import Testing

struct CallOpenerTests {
    @Test func `a call is done with once it was reported, and not before (protocol v1, rule 26)`() throws {
        for isReported in [true, false] {
            let callee = try Callee()
            let prepared = try PreparedMessage(Callee.call("room 7"), sentAt: .now)
            let payload = try callee.caller.seal(prepared, for: callee.recipient()).payload(placeholder: .example)
            let call = callee.opener.open(try Self.dictionary(payload))
            #expect(call.call == "room 7" && call.ending == nil && call.kind == .call)
            if isReported { callee.opener.didReport(call) }
            let later = Uptime.ofMachine.advanced(byMilliseconds: 36_000)
            let phone = SimulatedDevice(
                appGroupsPath: nil,
                clock: ContinuousClock(),
                wallClock: { Timestamp.now.milliseconds },
                uptime: { later }
            )
            let isFree = try phone.run {
                try callee.device.markHandled(
                    prepared.messageID,
                    from: callee.caller.publicKey,
                    sentAt: prepared.sentAt,
                    expiresAt: prepared.expiresAt
                )
            }
            #expect(isFree == !isReported)
        }
    }

    @Test func `a call whose app died before it reported it is the same call, and rings no more`() throws {
        let callee = try Callee()
        let payload = try Self.dictionary(callee.payload(lifetime: .seconds(60)))
        let first = callee.opener.open(payload)
        let later = callee.opener.open(payload, now: Timestamp.now.advanced(by: .seconds(36)))
        #expect(first.ending == nil && later.ending == .failed && later.kind == .replay)
        #expect(UUID(uuid: first.uuid) == UUID(uuid: later.uuid))
    }

    @Test func `the id is no key, and another for each caller, call and push`() throws {
        let callee = try Callee()
        let payloads = try (0..<3).map { _ in try Self.dictionary(callee.payload()) }
        let ids = payloads.map { UUID(uuid: callee.opener.open($0).uuid) }
        #expect(Set(ids).count == 3)
        let junk: [[AnyHashable: Any]] = [["sealed": "x"], ["sealed": "y"], [:], [:], ["sealed": 7]]
        #expect(Set(junk.map { UUID(uuid: callee.opener.open($0).uuid) }).count == 5)
        #expect(UUID(uuid: callee.opener.open(junk[0]).uuid) == UUID(uuid: callee.opener.open(junk[0]).uuid))
    }

    @Test func `nothing that a dictionary can hold makes it trap, or gives words of the push`() throws {
        var random = SeededRandom(seed: 900)
        let callee = try Callee()
        let sealed = try #require(try Self.dictionary(callee.payload())["sealed"] as? String)
        for _ in 0..<300 {
            var payload: [AnyHashable: Any] = [:]
            for name in ["sealed", "webpush", "trace", "aps", "name", "handle"] where random.next() % 3 != 0 {
                payload[name] = Self.value(sealed, &random)
            }
            payload[Int(random.next() % 9)] = "a key that is none"
            let call = callee.opener.open(payload)
            callee.opener.didReport(call)
            #expect(call.ending != nil || call.call == "room 7")
            #expect([Callee.appName, "Ada"].contains(call.name))
        }
    }

    @Test func `without a container there is a call to report`() {
        let opener = CallOpener(containerPath: nil, appName: "Acme Chat")
        let call = opener.open(["sealed": "x"])
        opener.didReport(call)
        #expect(call.name == "Acme Chat" && call.handle == "Acme Chat" && call.ending == .unanswered)
        #expect(call.kind == .keysUnavailable)
    }

    private static func dictionary(_ payload: [UInt8]) throws -> [AnyHashable: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [AnyHashable: Any])
    }

    private static func value(_ sealed: String, _ random: inout SeededRandom) -> Any {
        let cut = sealed.prefix(Int(random.next() % 4_865))
        switch random.next() % 9 {
        case 0: return NSNull()
        case 1: return Data([1, 2, 3])
        case 2: return [["name": "Mallory"]]
        case 3: return Double.infinity
        case 4: return String(cut)
        case 5: return sealed
        case 6: return sealed + cut
        case 7: return String(repeating: "\u{0}\u{1F600}", count: 2_432)
        default: return String(cut) + String(repeating: "A", count: 4_864 - cut.count)
        }
    }
}
