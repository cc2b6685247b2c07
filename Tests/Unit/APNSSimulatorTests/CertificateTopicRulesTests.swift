import APNS
import TestCertificates
import Testing

@testable import APNSSimulator

struct CertificateTopicRulesTests {
    private func world(
        _ topics: [(String, [String])],
        _ configure: (inout SimulatorConfiguration) throws -> Void = { _ in }
    ) throws -> World {
        let claims = try CertificateClaims(commonName: nil, userID: nil) { identifier in
            switch identifier {
            case "1.2.840.113635.100.6.3.1": []
            case "1.2.840.113635.100.6.3.6": AppleLikeCertificate.list(topics.map { (name: $0.0, types: $0.1) })
            default: nil
            }
        }
        return try World(certificate: .accepted(claims), configure)
    }

    private static let chat = [
        ("com.example.chat", ["app"]), ("com.example.chat.voip", ["voip"]),
        ("com.example.chat.complication", ["complication"]),
    ]

    private func request(_ pushType: PushType) throws -> Request {
        var request = try Request()
        request["authorization"] = nil
        request["apns-push-type"] = pushType.rawValue
        request["apns-topic"] = "com.example.chat" + pushType.topicSuffix
        request["apns-priority"] = "5"
        return request
    }

    @Test(arguments: PushType.allCases)
    func `the usual certificate covers four push types`(_ pushType: PushType) throws {
        var world = try world(Self.chat)
        let covered: Set<PushType> = [.alert, .background, .voip, .complication]
        #expect(world.reason(try request(pushType)) == (covered.contains(pushType) ? nil : .topicDisallowed))
    }

    @Test(arguments: [PushType.liveactivity, .location])
    func `a certificate that lists the very topic of a token's push type does not cover it`(
        _ pushType: PushType
    ) throws {
        var world = try world(Self.chat + [("com.example.chat" + pushType.topicSuffix, ["app"])])
        #expect(world.reason(try request(pushType)) == .topicDisallowed)
    }

    @Test(arguments: [PushType.controls, .fileprovider, .pushtotalk, .widgets])
    func `a certificate that lists the very topic covers the push types of which Apple says nothing else`(
        _ pushType: PushType
    ) throws {
        var world = try world(Self.chat + [("com.example.chat" + pushType.topicSuffix, [])])
        #expect(world.reason(try request(pushType)) == nil)
    }

    @Test
    func `a topic that is not listed is disallowed`() throws {
        var world = try world(Self.chat)
        var request = try request(.alert)
        request["apns-topic"] = "com.example.other"
        #expect(world.reason(request) == .topicDisallowed)
    }

    @Test
    func `a listed topic of another kind is disallowed`() throws {
        var world = try world([("com.example.chat", ["voip"])])
        #expect(world.reason(try request(.alert)) == .topicDisallowed)
    }

    @Test
    func `a topic may be missing with one topic in the certificate, and not with several or none`() throws {
        for (topics, expected) in [([Self.chat[0]], nil), (Self.chat, .missingTopic), ([], .missingTopic)]
            as [([(String, [String])], Reason?)]
        {
            var world = try world(topics)
            var request = try request(.alert)
            request["apns-topic"] = nil
            #expect(world.reason(request) == expected)
            request["apns-topic"] = ""
            #expect(world.reason(request) == .missingTopic)
        }
    }

    @Test
    func `a device management certificate pushes to its own topic`() throws {
        let topic = "com.apple.mgmt.External.0b3f"
        let claims = try CertificateClaims(commonName: nil, userID: topic) { identifier in
            identifier == "1.2.840.113635.100.6.3.1" ? [] : nil
        }
        var world = try World(certificate: .accepted(claims))
        world.registrations[Request.token] = .init(bundleID: try Topic(topic))
        var request = try request(.mdm)
        request["apns-topic"] = topic
        #expect(world.reason(request) == nil)
        // Neither header is needed: the certificate implies both.
        request["apns-topic"] = nil
        request["apns-push-type"] = nil
        #expect(try world.verdict(on: request).result.get().pushType == .mdm)
        request["apns-push-type"] = "alert"
        #expect(world.reason(request) == .topicDisallowed)
    }

    @Test
    func `an app that is called like a suffix is an app, if the certificate says so`() throws {
        var world = try world([("com.example.voip", ["app"])])
        world.registrations[Request.token] = .init(bundleID: try Topic("com.example.voip"))
        var request = try request(.alert)
        request["apns-topic"] = "com.example.voip"
        #expect(world.reason(request) == nil)
        request["apns-push-type"] = nil
        #expect(try world.verdict(on: request).result.get().pushType == .alert)
    }
}
