import APNS
import Testing

@testable import APNSSimulator

struct CheckOrderTests {
    /// Makes one fault for each check. A request can have any two: the earlier check's is made last.
    private static func spoil(_ check: Check, _ world: inout World, _ request: inout Request) throws -> Reason {
        switch check {
        case .repeatedHeader:
            request.fields += [("x-a", "1"), ("x-a", "1")]
            return .duplicateHeaders
        case .method:
            request[":method"] = "GET"
            return .methodNotAllowed
        case .path:
            request[":path"] = "/3/device/"
            return .missingDeviceToken
        case .authentication:
            request["authorization"] = nil
            return .missingProviderToken
        case .messageID:
            request["apns-id"] = "x"
            return .badMessageID
        case .topic:
            request["apns-topic"] = nil
            return .missingTopic
        case .pushType:
            request["apns-push-type"] = "x"
            return .invalidPushType
        case .priority:
            request["apns-priority"] = "7"
            return .badPriority
        case .expiration:
            request["apns-expiration"] = "x"
            return .badExpirationDate
        case .collapseID:
            request["apns-collapse-id"] = String(repeating: "c", count: 65)
            return .badCollapseID
        case .deviceToken:
            request[":path"] = "/3/device/zz"
            return .badDeviceToken
        case .tokenTopic:
            request["apns-topic"] = "com.example.other"
            return .deviceTokenNotForTopic
        case .tokenActivity:
            world.registrations[Request.token] = .init(
                bundleID: try Topic("com.example.chat"),
                unregisteredAtMilliseconds: 1
            )
            return .unregistered
        case .payload:
            request.bodyByteCount = 0
            return .payloadEmpty
        case .tokenRate:
            world.isTooFrequent = true
            return .tooManyRequests
        }
    }

    @Test(arguments: Check.allCases)
    func `a check's own fault gets one of its reasons`(_ check: Check) throws {
        var world = try World()
        var request = try Request()
        let expected = try Self.spoil(check, &world, &request)
        #expect(check.reasons.contains(expected))
        #expect(world.reason(request) == expected)
    }

    @Test(arguments: Check.allCases.dropLast())
    func `of two faults, that of the check before is told, whichever comes after it`(_ earlier: Check) throws {
        let position = try #require(Check.allCases.firstIndex(of: earlier))
        for later in Check.allCases[(position + 1)...] {
            var world = try World()
            var request = try Request()
            _ = try Self.spoil(later, &world, &request)
            let expected = try Self.spoil(earlier, &world, &request)
            #expect(world.reason(request) == expected, "\(earlier) before \(later)")
        }
    }

    @Test
    func `every reason that a request can provoke belongs to a check, and no other does`() {
        let checked = Set(Check.allCases.flatMap(\.reasons))
        let provoked = ReasonTable.rows.filter { $0.provocation == .request }.map(\.reason)
        #expect(checked == Set(provoked))
    }
}
