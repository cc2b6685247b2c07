import APNS
import APNSProvider
import Envelope
import Keys
import Primitives
import Transport

/// Reads keys, certificates and authorities, each file once however many apps name it. Gathers what is wrong.
struct CredentialReader {
    private static let authoritiesByteCountMax = 1 << 20

    private(set) var faults: [LanePlan.Fault] = []
    private var credentials: [AppConfiguration.Credential: (credential: APNSCredential, digest: [UInt8])] = [:]
    private var authorities: [String: [UInt8]] = [:]
    private let now: Moment

    init(now: Moment) { self.now = now }

    /// - Returns: nil where something is wrong, which is among the faults then.
    mutating func material(of app: AppConfiguration) -> LanePlan.Material? {
        guard let (credential, digest) = credential(of: app), let trust = trust(of: app) else { return nil }
        if case .certificate(let certificate) = credential, !isGood(certificate, for: app) { return nil }
        return LanePlan.Material(credential: credential, trust: trust, digest: digest)
    }

    private mutating func credential(of app: AppConfiguration) -> (credential: APNSCredential, digest: [UInt8])? {
        if let known = credentials[app.credential] { return known }
        let read: (APNSCredential, [UInt8])?
        switch app.credential {
        case .key(let file, let keyID, let teamID): read = key(file, keyID, teamID, app)
        case .certificate(let file, let passwordFile): read = certificate(file, passwordFile, app)
        }
        credentials[app.credential] = read.map { (credential: $0.0, digest: $0.1) }
        return credentials[app.credential]
    }

    private mutating func key(
        _ file: String,
        _ keyID: KeyID,
        _ teamID: TeamID,
        _ app: AppConfiguration
    ) -> (APNSCredential, [UInt8])? {
        guard let bytes = secret(file, app) else { return nil }
        do throws(ProviderError) {
            let source = try bytes.withBytes { span throws(ProviderError) in
                try ProviderTokenSource(p8: span, keyID: keyID, teamID: teamID)
            }
            return (.token(source), Self.digest(bytes))
        } catch {
            add(file, app, "\(error); it is to be the .p8 file from Apple's developer account")
            return nil
        }
    }

    private mutating func certificate(
        _ file: String,
        _ passwordFile: String?,
        _ app: AppConfiguration
    ) -> (APNSCredential, [UInt8])? {
        guard let bytes = secret(file, app) else { return nil }
        var password = SecretBytes(copying: RawSpan())
        if let passwordFile {
            guard let read = secret(passwordFile, app) else { return nil }
            password = Self.withoutLineEnd(read)
        }
        do throws(ClientCertificateError) {
            let certificate = try bytes.withBytes { file throws(ClientCertificateError) in
                try password.withBytes { password throws(ClientCertificateError) in
                    Self.isPEM(file)
                        ? try ClientCertificate(certificateChainPEM: file, privateKeyPEM: file, password: password)
                        : try ClientCertificate(pkcs12: file, password: password)
                }
            }
            return (.certificate(certificate), SHA256.hash(Self.digest(bytes), Self.digest(password)))
        } catch {
            add(file, app, error.description)
            return nil
        }
    }

    private mutating func isGood(_ certificate: ClientCertificate, for app: AppConfiguration) -> Bool {
        guard case .certificate(let file, _) = app.credential else { return true }
        do throws(ClientCertificateError) {
            try certificate.check(at: now.unixSeconds, for: app.endpoint == nil ? app.environment : nil)
        } catch {
            add(file, app, error.description)
            return false
        }
        guard let topic = try? Topic(bundleID: app.bundleID.text), certificate.allows(topic, .alert) else {
            add(file, app, "the certificate is for other apps; make one for this bundle id")
            return false
        }
        return true
    }

    private mutating func trust(of app: AppConfiguration) -> TLSTrust? {
        guard let file = app.endpoint?.authoritiesFile else { return .system }
        if let known = authorities[file] { return .pem(known) }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.read(file, byteCountMax: Self.authoritiesByteCountMax)
        } catch {
            add(file, app, Self.sentence(error))
            return nil
        }
        do throws(TLSError) {
            _ = try TLSContext.client(trust: .pem(bytes), alpn: ["h2"])
        } catch {
            add(file, app, "no PEM certificates of authorities can be read in it")
            return nil
        }
        authorities[file] = bytes
        return .pem(bytes)
    }

    // MARK: Files

    private mutating func secret(_ file: String, _ app: AppConfiguration) -> SecretBytes? {
        do throws(FileError) {
            return try PrivateFile.read(file, exampleKeys: .refused)
        } catch {
            add(file, app, Self.sentence(error))
            return nil
        }
    }

    private mutating func add(_ file: String, _ app: AppConfiguration, _ problem: String) {
        faults.append(
            LanePlan.Fault(
                file: file,
                bundleID: app.bundleID.text,
                environment: app.environment,
                problem: problem
            )
        )
    }

    private static func sentence(_ error: FileError) -> String {
        switch error {
        case .notFound: "there is no such file"
        case .system(let call, _, let code):
            "it cannot be read (\(call), error \(code)): may the service's user read it?"
        case .notARegularFile: "it is no file"
        case .tooLarge(_, let byteCountMax): "it has more than \(byteCountMax) bytes"
        case .empty: "it is empty"
        case .permissionsTooLoose: "others than its owner can read it: chmod 600"
        case .exampleKey: "it is a published example key: everybody has it"
        case .malformed(_, let expected): "expected \(expected)"
        }
    }

    /// Of a secret: the key of a code, so that it is never copied.
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
        // The first byte of PKCS #12 is that of a SEQUENCE.
        file.byteCount > 0 && file.byte(at: 0) != 0x30
    }

    /// Editors end a file with a line feed, and no password does.
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
