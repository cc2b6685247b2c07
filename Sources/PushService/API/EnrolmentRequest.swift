import Envelope
import PushStore
import ServiceParts

/// Body of `POST /v1/enrolments`: the registration's own bytes, for hashes and signatures, and what proves it.
struct EnrolmentRequest: Equatable, Sendable {
    enum Proof: Equatable, Sendable {
        case none
        case ticket(String)
        case attestation(AttestProof)
        case assertion(AttestProof)
    }

    /// Objects as App Attest gives them.
    struct AttestProof: Equatable, Sendable {
        let challenge: [UInt8]
        /// 32 bytes.
        let keyID: [UInt8]
        /// CBOR.
        let object: [UInt8]
    }

    static let objectByteCountMax = 16_384
    /// Largest body, with white space.
    static let byteCountMax = 131_072
    private static let registrationByteCountMax = 65_536

    let registration: [UInt8]
    let upload: DeviceUpload
    let proof: Proof

    init(_ value: JSONValue) throws(Problem) {
        let faults = FieldErrors()
        let names = ["registration", "ticket", "challenge", "key-id", "attestation", "assertion"]
        guard let reader = ObjectReader(value, at: .root, names: names, faults: faults) else {
            throw Problem(faults.all)
        }
        let registration = Self.bytes("registration", 1...Self.registrationByteCountMax, reader, isRequired: true)
        let ticket = reader.text("ticket", 1...EnrolmentTicket.characterCountMax, "a JWT")
        let challenge = Self.bytes("challenge", EnrolmentChallenge.byteCount...EnrolmentChallenge.byteCount, reader)
        let keyID = Self.bytes("key-id", 32...32, reader)
        let attestation = Self.bytes("attestation", 1...Self.objectByteCountMax, reader)
        let assertion = Self.bytes("assertion", 1...Self.objectByteCountMax, reader)
        guard faults.all.isEmpty, let registration else { throw Problem(faults.all) }
        switch (ticket, challenge, keyID, attestation, assertion) {
        case (nil, nil, nil, nil, nil): proof = .none
        case (let ticket?, nil, nil, nil, nil): proof = .ticket(ticket)
        case (nil, let challenge?, let keyID?, let object?, nil):
            proof = .attestation(AttestProof(challenge: challenge, keyID: keyID, object: object))
        case (nil, let challenge?, let keyID?, nil, let object?):
            proof = .assertion(AttestProof(challenge: challenge, keyID: keyID, object: object))
        default:
            let whole =
                "'ticket' alone; 'challenge', 'key-id' and one of 'attestation' and 'assertion'; or none of them"
            faults.add(.wrong, .root, at: 0, "expected \(whole)")
            throw Problem(faults.all)
        }
        self.registration = registration
        upload = try Self.upload(registration)
    }

    private static func upload(_ registration: [UInt8]) throws(Problem) -> DeviceUpload {
        let limits = JSONParser.Limits(
            byteCountMax: registrationByteCountMax,
            depthMax: RequestBody.depthMax,
            allowsFractions: false
        )
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(registration, limits: limits) } catch {
            let detail = "not JSON, at its byte \(error.offset): \(error.reason.description)"
            throw Problem(
                .invalidFields,
                "Correct the registration.",
                [.init(pointer: "/registration", detail: detail)]
            )
        }
        return try DeviceUpload(value)
    }

    private static func bytes(
        _ name: String,
        _ counts: ClosedRange<Int>,
        _ reader: ObjectReader,
        isRequired: Bool = false
    ) -> [UInt8]? {
        let sizes = counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        var bytes: [UInt8]?
        _ = reader.text(
            name,
            1...(counts.upperBound * 4 + 2) / 3,
            "\(sizes) bytes in base64url",
            isRequired: isRequired
        ) {
            bytes = Base64URL.decode(Array($0.utf8))
            return bytes.map { counts.contains($0.count) } ?? false
        }
        return bytes
    }
}
