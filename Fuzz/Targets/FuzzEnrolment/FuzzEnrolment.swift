import APNS
import Envelope
import FuzzSupport
import Networking
import Primitives

@testable import PushService

/// What a device sends to enrol. The first byte chooses: the body, a ticket, claims of a ticket that is signed here, an
/// attestation, an assertion.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEnrolment(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector % 5 {
    case 0: checkBody(input.rest)
    case 1: checkTicket(input.rest, isSigned: false)
    case 2: checkTicket(signed(input.rest), isSigned: true)
    case 3: checkAttestation(input.rest)
    default: checkAssertion(input.rest)
    }
    return 0
}

// MARK: The body

private func checkBody(_ bytes: [UInt8]) {
    let limits = JSONParser.Limits(byteCountMax: 65_536, depthMax: RequestBody.depthMax, allowsFractions: false)
    guard let value = try? JSONParser.parse(bytes, limits: limits) else { return }
    do throws(Problem) {
        let request = try EnrolmentRequest(value)
        let text = value["registration"]?.string ?? ""
        require(Base64URL.string(request.registration) == text, "the registration has one spelling")
        switch request.proof {
        case .none: require(value["ticket"] == nil && value["challenge"] == nil, "no proof is passed over")
        case .ticket(let ticket): require(value["ticket"]?.string == ticket, "the ticket is the one that was sent")
        case .attestation(let proof), .assertion(let proof):
            require(proof.keyID.count == 32 && !proof.object.isEmpty, "a proof is whole")
            require(proof.object.count <= EnrolmentRequest.objectByteCountMax, "an object is bounded")
        }
    } catch {
        require(error.kind.status == 422, "a refusal names the fields")
        require(error.response.body.count < 65_536, "a refusal is bounded")
    }
}

// MARK: Tickets

private let now: Int64 = 1_793_491_200
private let keyHash = [UInt8](repeating: 7, count: 32)
private let deviceToken = [UInt8](repeating: 9, count: 32)
private let origin = "https://push.example.com"

private func signer() -> Ed25519PrivateKey {
    var random = FixedRandom(seed: 31)
    return Ed25519PrivateKey(random: &random)
}

/// A ticket with these claims.
private func signed(_ claims: [UInt8]) -> [UInt8] {
    let text = Base64URL.encode(Array(#"{"alg":"EdDSA"}"#.utf8)) + [UInt8(ascii: ".")] + Base64URL.encode(claims)
    return text + [UInt8(ascii: ".")] + Base64URL.encode(signer().signature(over: text))
}

private func checkTicket(_ bytes: [UInt8], isSigned: Bool) {
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(EnrolmentTicketError) {
        let ticket = try EnrolmentTicket(text, keys: [signer().publicKey])
        require(isSigned, "without the key there is no ticket")
        require(ticket.keyHash.count == 32 && ticket.tokenHash.count == 32, "both hashes are whole")
        guard let app = try? BundleID("com.example.chat") else { return }
        try ticket.check(origin: origin, app: app, keyHash: keyHash, deviceToken: deviceToken, now: now)
        require(ticket.audience == origin && ticket.app == app.text, "a ticket is for this origin and app")
        require(ticket.keyHash == keyHash, "a ticket is for this device's key")
        require(ticket.tokenHash == SHA256.hash(deviceToken), "a ticket is for this device token")
        require(ticket.end > now && ticket.end <= now + EnrolmentTicket.lifeSecondsMax, "a ticket is used at once")
    } catch {
        require(!isSigned || error != .signature, "a signed ticket has its signature")
    }
}

// MARK: App Attest

/// `try?`: a constant, so nil never.
private let rule = (try? BundleID("com.example.chat")).map { app in
    AppAttestRule(teamID: "TEAM123456", app: app, environment: .production, roots: TestAttestation.roots)
}

private func checkAttestation(_ object: [UInt8]) {
    guard let rule else { return }
    do throws(AppAttestError) {
        let key = try AppAttestation.verify(
            object,
            keyID: TestAttestation.keyID,
            clientDataHash: TestAttestation.clientDataHash,
            rule,
            now: now
        )
        require(key == TestAttestation.publicKey, "no key but the attested one")
    } catch {
        // An error of its own enum: it has nothing of the object.
        require(!"\(error)".isEmpty, "a refusal has a sentence")
    }
}

private func checkAssertion(_ object: [UInt8]) {
    let (key, hash) = (TestAttestation.publicKey, TestAttestation.clientDataHash)
    guard let rule, let counter = try? AppAssertion.verify(object, publicKey: key, clientDataHash: hash, rule) else {
        return
    }
    require(counter == 7, "no counter but the signed one")
}
