import APNS
import DeviceLink
import HTTP
import Networking
import Testing

@testable import APNSSimulator

struct LintTests {
    private func lints(
        _ payload: String = #"{"aps":{"alert":"x"}}"#,
        as pushType: PushType = .alert,
        _ change: (inout Request) -> Void = { _ in },
        _ configure: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws -> [Lint] {
        var world = try World {
            $0.validation.managementWithToken = .accept
            configure(&$0)
        }
        var request = try Request()
        request["apns-push-type"] = pushType.rawValue
        request["apns-topic"] = "com.example.chat" + pushType.topicSuffix
        request["apns-priority"] = pushType == .background ? "5" : "10"
        change(&request)
        let push = try world.verdict(on: request).result.get()
        return Lint.all(of: push, payload: Array(payload.utf8))
    }

    private static let start =
        #"{"aps":{"event":"start","timestamp":1,"content-state":{},"attributes-type":"A","attributes":{},"alert":{}}}"#

    @Test(
        arguments: [
            (#"{"aps":{"badge":1}}"#, .alert), ("{}", .alert), (#"{"aps":{"content-available":1}}"#, .background),
            (#"{"aps":{"content-changed":true}}"#, .widgets), (#"{"aps":{"content-changed":true}}"#, .controls),
            (#"{"aps":{"event":"end","timestamp":1,"content-state":{"a":1}}}"#, .liveactivity), (start, .liveactivity),
            (#"{"mdm":"x"}"#, .mdm), ("{}", .voip), ("{}", .location), ("{}", .fileprovider), ("{}", .complication),
            ("{}", .pushtotalk),
        ] as [(String, PushType)]
    )
    func `nothing is said to a push as the documentation writes it`(_ payload: String, _ pushType: PushType) throws {
        #expect(try lints(payload, as: pushType).isEmpty)
    }

    @Test(
        arguments: [
            ("", .alert, .notJSON(offset: 0)), ("[]", .alert, .notJSONObject),
            (#"{"aps":1}"#, .alert, .notAnObject(.aps)),
            (#"{"a":1}"#, .alert, .missing(.aps, for: .alert)), (#"{"aps":{}}"#, .alert, .nothingToShow),
            (#"{"aps":{"badge":1,"mutable-content":1}}"#, .alert, .missing(.alert, for: .alert)),
            ("{}", .background, .missing(.aps, for: .background)),
            (#"{"aps":{}}"#, .background, .missing(.contentAvailable, for: .background)),
            (#"{"aps":{"content-available":1,"sound":"x"}}"#, .background, .outOfPlace(.sound, for: .background)),
            (#"{"aps":{"content-available":1,"badge":0}}"#, .background, .outOfPlace(.badge, for: .background)),
            (#"{"aps":{"content-available":1,"alert":""}}"#, .background, .outOfPlace(.alert, for: .background)),
            (#"{"aps":{"content-changed":1}}"#, .widgets, .missing(.contentChanged, for: .widgets)),
            (#"{"aps":{"event":"x"}}"#, .liveactivity, .missing(.event, for: .liveactivity)),
            (#"{"aps":{"event":"end"}}"#, .liveactivity, .missing(.timestamp, for: .liveactivity)),
            (
                #"{"aps":{"event":"end","timestamp":1}}"#, .liveactivity,
                .missing(.contentState, for: .liveactivity)
            ),
            (
                #"{"aps":{"event":"start","timestamp":1,"content-state":{}}}"#, .liveactivity,
                .missing(.attributesType, for: .liveactivity)
            ),
            ("{}", .mdm, .missing(.mdm, for: .mdm)),
        ] as [(String, PushType, PayloadError)]
    )
    func `a payload that breaks a rule of its type is remarked on`(
        _ payload: String,
        _ pushType: PushType,
        _ fault: PayloadError
    ) throws {
        #expect(try lints(payload, as: pushType) == [.payload(fault)])
    }

    @Test
    func `headers that Apple asks for, or does not expect, are remarked on`() throws {
        #expect(try lints { $0["apns-push-type"] = nil } == [.pushTypeMissing])
        #expect(try lints { $0["content-encoding"] = "gzip" } == [.contentEncoded])
        #expect(
            try lints("{}", as: .pushtotalk) { $0["apns-priority"] = "5" } == [
                .unexpectedPriority(.pushtotalk, .powerAware)
            ]
        )
        let mismatch = try lints {
            $0["apns-topic"] = "com.example.chat.voip"
        } _: {
            $0.validation.suffixMismatch = .drop
        }
        #expect(mismatch == [.topicOfAnotherType(.alert, isDropped: true)])
    }

    @Test
    func `a lint follows its push, and a dropped push never reaches the device`() async throws {
        let site = try await Site { $0.validation.suffixMismatch = .drop }
        let device = try await site.device()
        let connection = try await site.rawConnection(as: nil)
        var request = try Request()
        request[":path"] = "/3/device/\(device.deviceToken.hex)"
        request["apns-push-type"] = "voip"
        let body = Array(#"{"aps":{"alert":"dropped"}}"#.utf8)
        #expect(try await connection.send(HTTP2Request(headers: request.headers, body: body)).status == 200)
        let events = await site.events.first(3)
        guard case .accepted = events[1], case .lint(let lint, device: 1) = events[2] else {
            Issue.record("no lint behind the push")
            return
        }
        #expect(lint == .topicOfAnotherType(.voip, isDropped: true))
        request["apns-push-type"] = "alert"
        let next = Array(#"{"aps":{"alert":"delivered"}}"#.utf8)
        #expect(try await connection.send(HTTP2Request(headers: request.headers, body: next)).status == 200)
        #expect(try await device.next()?.payload == next)
        await connection.close()
        await site.simulator.close()
    }
}
