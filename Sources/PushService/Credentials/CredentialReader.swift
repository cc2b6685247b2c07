import APNS
import APNSProvider
import Envelope
import Keys
import Networking
import Primitives
import ServiceParts

/// Reads keys, certificates and authorities, each file once.
struct CredentialReader {
    private typealias Known = (credential: APNSCredential, digest: [UInt8])

    static let authoritiesByteCountMax = 1 << 20
    private static let keyField = "/credential/key-file"
    private static let certificateField = "/credential/certificate-file"
    private static let passwordField = "/credential/password-file"
    private static let authoritiesField = "/endpoint/authorities-file"

    private var credentials: [AppConfiguration.Credential: Known] = [:]
    private var authorities: [String: [UInt8]] = [:]
    private let unixSeconds: Int64

    init(unixSeconds: Int64) { self.unixSeconds = unixSeconds }

    /// Reads an app's credential and trust. Blocks on the disk.
    mutating func material(of app: AppConfiguration) throws(CredentialErrors) -> CredentialPlan.Material {
        var faults: [CredentialError] = []
        var known: Known?
        var trust: TLSTrust?
        do throws(CredentialError) {
            known = try credential(of: app)
            if case .certificate(let certificate) = known?.credential { try check(certificate, for: app) }
        } catch {
            faults.append(error)
        }
        do throws(CredentialError) { trust = try self.trust(of: app) } catch { faults.append(error) }
        guard faults.isEmpty, let known, let trust else { throw CredentialErrors(all: faults) }
        return CredentialPlan.Material(credential: known.credential, trust: trust, digest: known.digest)
    }

    private mutating func credential(of app: AppConfiguration) throws(CredentialError) -> Known {
        if let known = credentials[app.credential] { return known }
        let read: Known =
            switch app.credential {
            case .key(let file, let keyID, let teamID): try Self.key(file, keyID, teamID)
            case .certificate(let file, let passwordFile): try Self.certificate(file, passwordFile)
            }
        credentials[app.credential] = read
        return read
    }

    private static func key(_ file: String, _ keyID: KeyID, _ teamID: TeamID) throws(CredentialError) -> Known {
        let bytes = try secret(file, keyField)
        do throws(ProviderError) {
            let source = try bytes.withBytes { span throws(ProviderError) in
                try ProviderTokenSource(p8: span, keyID: keyID, teamID: teamID)
            }
            return (.token(source), digest(bytes))
        } catch {
            throw CredentialError(field: keyField, problem: "not a .p8 key from Apple (PEM, PKCS #8, P-256)")
        }
    }

    private static func certificate(_ file: String, _ passwordFile: String?) throws(CredentialError) -> Known {
        let bytes = try secret(file, certificateField)
        var password = SecretBytes(copying: RawSpan())
        if let passwordFile { password = withoutLineEnd(try secret(passwordFile, passwordField)) }
        do throws(ClientCertificateError) {
            let certificate = try bytes.withBytes { file throws(ClientCertificateError) in
                try password.withBytes { password throws(ClientCertificateError) in
                    isPEM(file)
                        ? try ClientCertificate(certificateChainPEM: file, privateKeyPEM: file, password: password)
                        : try ClientCertificate(pkcs12: file, password: password)
                }
            }
            return (.certificate(certificate), SHA256.hash(digest(bytes), digest(password)))
        } catch {
            let isOfPassword = error == .passwordWrong || error == .passwordNeeded
            throw CredentialError(field: isOfPassword ? passwordField : certificateField, problem: error.description)
        }
    }

    private func check(_ certificate: ClientCertificate, for app: AppConfiguration) throws(CredentialError) {
        do throws(ClientCertificateError) {
            try certificate.check(at: unixSeconds, for: app.endpoint == nil ? app.environment : nil)
        } catch {
            var problem = error.description
            // An operator needs a date, not seconds.
            if case .expired(let end) = error {
                problem = FileReading.expiry(notAfter: end, at: unixSeconds) ?? problem
            }
            throw CredentialError(field: Self.certificateField, problem: problem)
        }
        guard let topic = try? Topic(bundleID: app.bundleID.text), certificate.allows(topic, .alert) else {
            let problem = "the certificate is for other apps; make one for this bundle id"
            throw CredentialError(field: Self.certificateField, problem: problem)
        }
    }

    private mutating func trust(of app: AppConfiguration) throws(CredentialError) -> TLSTrust {
        guard let file = app.endpoint?.authoritiesFile else { return .system }
        if let known = authorities[file] { return .pem(known) }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.read(file, byteCountMax: Self.authoritiesByteCountMax)
        } catch {
            throw CredentialError(field: Self.authoritiesField, problem: error.advice)
        }
        do throws(TLSError) {
            _ = try TLSContext.client(trust: .pem(bytes), alpn: ["h2"])
        } catch {
            throw CredentialError(field: Self.authoritiesField, problem: error.description)
        }
        authorities[file] = bytes
        return .pem(bytes)
    }

    private static func secret(_ file: String, _ field: String) throws(CredentialError) -> SecretBytes {
        do throws(FileError) {
            return try PrivateFile.read(file, exampleKeys: .refused)
        } catch {
            throw CredentialError(field: field, problem: error.advice)
        }
    }

    /// The secret is the HMAC key: never copied.
    private static func digest(_ bytes: borrowing SecretBytes) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        var elements = code.mutableSpan
        var output = unsafe elements.mutableBytes
        bytes.withBytes { key in
            HMACSHA256.code(key: key, into: &output) { $0.update("SealedPush/1 credential file") }
        }
        return code
    }

    private static func isPEM(_ file: RawSpan) -> Bool {
        // PKCS #12 begins with a SEQUENCE's byte.
        file.byteCount > 0 && file.byte(at: 0) != 0x30
    }

    /// Editors append a line feed.
    private static func withoutLineEnd(_ bytes: borrowing SecretBytes) -> SecretBytes {
        bytes.withBytes { span in
            var count = span.byteCount
            while count > 0 {
                let last = span.byte(at: count - 1)
                guard last == 0x0A || last == 0x0D else { break }
                count -= 1
            }
            return SecretBytes(copying: span.extracting(0..<count))
        }
    }
}

/// Unusable file of an app.
struct CredentialError: Error, Equatable {
    /// JSON pointer to its field, relative to the app.
    let field: String
    /// Sentence without full stop and path.
    let problem: String
}

/// At least one.
struct CredentialErrors: Error, Equatable {
    let all: [CredentialError]
}
