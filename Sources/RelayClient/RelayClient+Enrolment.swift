import Envelope
import Primitives

/// Registration at the relay by the device itself, in place of the app's back end, where the relay's operator allows it
/// (docs/gateway.md).
extension RelayClient {
    private static let enrolmentsPath = "/v1/enrolments"
    private static let challengePath = "/v1/enrolments/challenge"

    /// Registers the device under its endpoint key. At each launch, as a back end would.
    ///
    /// - Returns: the relay's answer, for `AppDevice.acknowledged(_:answer:)`.
    /// - Throws: `RelayClientError`; `.refused(status: 403)` without what the app's rule asks for, 409 if the key or the
    ///   device is another's, 429 beyond a limit.
    public func enrol(
        _ registration: DeviceRegistration,
        _ key: EndpointKey,
        proof: EnrolmentProof = .none
    ) async throws(RelayClientError) -> [UInt8] {
        var body = JSONWriter()
        body.object { body in
            body.member("registration", Base64URL.string(registration.json))
            switch proof.content {
            case .none: break
            case .ticket(let ticket): body.member("ticket", ticket)
            case .appAttest(let challenge, let keyID, let object, let isFirst):
                body.member("challenge", challenge.text)
                body.member("key-id", Base64URL.string(keyID))
                body.member(isFirst ? "attestation" : "assertion", Base64URL.string(object))
            }
        }
        let request = RelayRequest(.post, json: body.bytes, authorization: "Bearer \(key.text)")
        let answer = try await exchange(request, Self.enrolmentsPath)
        guard answer.status == 200 || answer.status == 201 else { throw .refused(status: answer.status) }
        return answer.body
    }

    /// Asks for a challenge for App Attest. It is good for one enrolment, for five minutes.
    ///
    /// - Throws: `RelayClientError`.
    public func enrolmentChallenge(_ key: EndpointKey) async throws(RelayClientError) -> EnrolmentChallenge {
        let answer = try await exchange(RelayRequest(.post, authorization: "Bearer \(key.text)"), Self.challengePath)
        guard answer.status == 200 else { throw .refused(status: answer.status) }
        let limits = JSONParser.Limits(byteCountMax: 1_024, depthMax: 2, allowsFractions: false)
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(answer.body, limits: limits) } catch { throw .wrongAnswer }
        guard let challenge = value["challenge"]?.string.flatMap({ EnrolmentChallenge(text: $0) }) else {
            throw .wrongAnswer
        }
        return challenge
    }
}

/// Challenge of the relay's for App Attest.
public struct EnrolmentChallenge: Equatable, Sendable {
    private static let context = "SealedPush/1 enrolment"

    let text: String
    private let bytes: [UInt8]

    init?(text: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8)), bytes.count == 32 else { return nil }
        self.text = text
        self.bytes = bytes
    }

    /// Hash that `DCAppAttestService` attests or asserts: over the challenge, the endpoint key's hash and the registration,
    /// in which the device token is.
    ///
    /// - Returns: 32 bytes, `clientDataHash`.
    public func clientDataHash(_ registration: DeviceRegistration, _ key: EndpointKey) -> [UInt8] {
        SHA256.hash(
            Array(Self.context.utf8),
            bytes,
            key.hashBytes,
            SHA256.hash(registration.json)
        )
    }
}

/// Proof with which a device enrols.
public struct EnrolmentProof: Equatable, Sendable {
    enum Content: Equatable {
        case none
        case ticket(String)
        case appAttest(challenge: EnrolmentChallenge, keyID: [UInt8], object: [UInt8], isFirst: Bool)
    }

    let content: Content

    /// None, where the rule is `open`.
    public static let none = EnrolmentProof(content: .none)

    /// Ticket of the app's back end, which the app asks for with the key's `hash` and the device token's SHA-256.
    public static func ticket(_ ticket: String) -> EnrolmentProof { EnrolmentProof(content: .ticket(ticket)) }

    /// Attestation of a new key, from `attestKey(_:clientDataHash:)`.
    ///
    /// - Parameters:
    ///   - challenge: of this enrolment.
    ///   - keyID: 32 bytes, of which `generateKey()` gives the base64.
    ///   - object: result of `attestKey`.
    public static func attestation(
        _ challenge: EnrolmentChallenge,
        keyID: [UInt8],
        object: [UInt8]
    ) -> EnrolmentProof {
        EnrolmentProof(content: .appAttest(challenge: challenge, keyID: keyID, object: object, isFirst: true))
    }

    /// Assertion of a key that the device enrolled with before, from `generateAssertion(_:clientDataHash:)`.
    ///
    /// - Parameters:
    ///   - challenge: of this enrolment.
    ///   - keyID: 32 bytes.
    ///   - object: result of `generateAssertion`.
    public static func assertion(
        _ challenge: EnrolmentChallenge,
        keyID: [UInt8],
        object: [UInt8]
    ) -> EnrolmentProof {
        EnrolmentProof(content: .appAttest(challenge: challenge, keyID: keyID, object: object, isFirst: false))
    }
}
