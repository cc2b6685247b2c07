import APNS
import FuzzSupport

@testable import Networking

/// Certificates and keys in a person's files, and in a peer's handshake. The first byte chooses the form: DER, PKCS
/// #12, PEM, or the list of topics in an extension.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCertificate(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 3 {
    case 0: checkCertificate(input.rest)
    case 1: checkPKCS12(input.rest)
    case 2: checkPEM(input.rest)
    default: checkTopics(input.rest)
    }
    return 0
}

private func checkCertificate(_ der: [UInt8]) {
    guard let certificate = TLSCertificate(der: der) else { return }
    check(certificate)
    require(certificate.der == der, "a certificate is all of its bytes")
}

private func check(_ certificate: TLSCertificate) {
    require(certificate.serialNumber.first != 0, "a serial number has no leading zero")
    require(certificate.notBefore == certificate.notBefore, "dates can be read")
    let again = TLSCertificate(der: certificate.der)
    require(again?.serialNumber == certificate.serialNumber, "what was read can be written and read again")
    require(
        again?.commonName == certificate.commonName && again?.userID == certificate.userID,
        "a subject says the same twice"
    )
    guard
        let claims = try? CertificateClaims(
            commonName: certificate.commonName,
            userID: certificate.userID,
            extensionValue: certificate.extensionValue(of:)
        )
    else { return }
    require(!claims.environments.isEmpty, "a certificate for APNs is for one of its environments")
    for name in claims.topics.map(\.name) {
        guard let topic = try? Topic(name) else { continue }
        let allowed = PushType.allCases.filter { claims.allows(topic, $0) }
        require(allowed.isEmpty || claims.listed(topic)?.name == name, "nothing is allowed that is not listed")
    }
}

private let password = Array("password".utf8)

private func checkPKCS12(_ file: [UInt8]) {
    for password in [password, []] {
        do throws(TLSIdentityError) {
            let identity = try unsafe TLSIdentity(pkcs12: file.span.bytes, password: password.span.bytes)
            check(identity)
        } catch {
            require(error != .passwordNeeded && error != .privateKeyUnreadable, "no error of another form")
        }
    }
}

private func checkPEM(_ text: [UInt8]) {
    for password in [password, []] {
        do throws(TLSIdentityError) {
            let identity = try unsafe TLSIdentity(
                certificateChainPEM: text.span.bytes,
                privateKeyPEM: text.span.bytes,
                password: password.span.bytes
            )
            check(identity)
        } catch {
            require(error != .pkcs12Unreadable && error != .legacyEncryption, "no error of another form")
        }
    }
}

/// Checks that the chosen certificate is the key's.
private func check(_ identity: TLSIdentity) {
    for certificate in [identity.certificate] + identity.intermediates { check(certificate) }
    // OpenSSL compares the two once more when it installs them.
    do throws(TLSError) {
        _ = try TLSContext.server(identity: identity, alpn: ["h2"])
    } catch {
        // A key that is too weak for TLS, for example.
    }
    require("\(identity)" == "Networking.TLSIdentity", "a description shows nothing of it")
}

/// Strict DER: one spelling of each list.
private func checkTopics(_ value: [UInt8]) {
    guard let topics = try? CertificateTopics.read(value) else { return }
    let list = topics.flatMap { topic in
        element(0x0C, Array(topic.name.utf8)) + element(0x30, topic.types.flatMap { element(0x0C, Array($0.utf8)) })
    }
    require(element(0x30, list) == value, "a list of topics has one spelling")
    require(topics.count <= CertificateTopics.topicCountMax, "no more topics than may be")
}

private func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    switch count {
    case ..<0x80: return [tag, UInt8(count)] + contents
    case ..<0x100: return [tag, 0x81, UInt8(count)] + contents
    default: return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + contents
    }
}
