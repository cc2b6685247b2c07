import APNSProvider
import Envelope
import Keys
import Networking
import Platform
import Primitives
import PushStore
import ServiceParts

struct FileReading {
    private let places: ConfigurationPositions
    private let unixSeconds: Int64
    private(set) var faults: [ConfigurationError] = []
    /// Earliest expiry.
    private(set) var certificatesEnd = Int64.max
    private(set) var lanes = CredentialPlan()
    /// Roots of App Attest, by file.
    private(set) var attestRoots: [String: [TLSCertificate]] = [:]
    private var credentials: CredentialReader

    init(places: ConfigurationPositions, now: Timestamp) {
        self.places = places
        unixSeconds = Int64(clamping: now.milliseconds / 1_000)
        credentials = CredentialReader(unixSeconds: unixSeconds)
    }

    /// Turns an error of `body` into a fault of the field.
    mutating func attempt<Value>(_ pointer: String, _ body: () throws(FileReadingError) -> Value) -> Value? {
        do throws(FileReadingError) {
            return try body()
        } catch {
            faults.append(places.fault(pointer, error.problem))
            return nil
        }
    }

    mutating func serverIdentity(_ files: ServiceConfiguration.TLSFiles) -> TLSIdentity? {
        let certificate = attempt("/tls/certificate-file") { () throws(FileReadingError) in
            try Self.publicFile(files.certificateFile)
        }
        let key = attempt("/tls/key-file") { () throws(FileReadingError) in try PrivateBox(files.keyFile) }
        guard let certificate, let key else { return nil }
        do throws(TLSError) {
            let identity = try key.bytes.withBytes { key throws(TLSError) in
                try TLSIdentity.server(certificateChainPEM: certificate, privateKeyPEM: key)
            }
            certificatesEnd = min(certificatesEnd, identity.certificate.notAfter)
            if let problem = Self.expiry(notAfter: identity.certificate.notAfter, at: unixSeconds) {
                faults.append(places.fault("/tls/certificate-file", problem))
            }
            return identity
        } catch {
            let isKey = error != .certificateUnreadable
            faults.append(places.fault(isKey ? "/tls/key-file" : "/tls/certificate-file", error.description))
            return nil
        }
    }

    /// Accepts a server's certificate that is not valid yet: clients have their own clocks, and with a slow one the
    /// service keeps notifications.
    static func expiry(notAfter: Int64, at unixSeconds: Int64) -> String? {
        guard notAfter < unixSeconds else { return nil }
        func day(_ seconds: Int64) -> String {
            String(
                ISODateTime.text(milliseconds: seconds.multipliedReportingOverflow(by: 1_000).partialValue).prefix(10)
            )
        }
        // A wrong clock looks like an expired certificate.
        return """
            the certificate has expired: it ended on \(day(notAfter)), and this machine's clock says \(day(unixSeconds)); \
            renew it, or set the clock
            """
    }

    /// - Returns: URL of a server; empty for a file.
    mutating func database(_ place: DatabasePlace) -> PrivateBox? {
        switch place {
        case .file(let path):
            database(path, at: place.pointer)
            return PrivateBox()
        case .server(let server):
            return attempt(place.pointer) { () throws(FileReadingError) in
                let box = try PrivateBox(server.urlFile)
                guard (1...DatabaseServer.urlByteCountMax).contains(box.bytes.byteCount) else {
                    throw FileReadingError(
                        problem: "it has no URL; write one line: postgresql://USER:PASSWORD@HOST/DATABASE"
                    )
                }
                return box
            }
        }
    }

    /// Checks path and folder, where SQLite creates further files.
    private mutating func database(_ path: String, at pointer: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        _ = attempt(pointer) { () throws(FileReadingError) in
            var status = stat()
            guard unsafe stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw FileReadingError(problem: "its folder does not exist; make it")
            }
            guard unsafe access(folder, W_OK | X_OK) == 0 else {
                throw FileReadingError(
                    problem: errno == EROFS
                        ? "its file system is read-only; mount it writable, or put the database on another"
                        : "this user cannot write in its folder; give the folder to the service's user"
                )
            }
            for suffix in ["", "-wal", "-shm", "-lock"] {
                guard unsafe lstat(path + suffix, &status) == 0 else { continue }
                guard status.st_mode & S_IFMT == S_IFREG else {
                    throw FileReadingError(problem: "it is not a regular file; give the path of a file")
                }
                guard unsafe access(path + suffix, R_OK | W_OK) == 0 else {
                    let which = suffix.isEmpty ? "it" : "the file with \(suffix) behind its name"
                    throw FileReadingError(
                        problem:
                            "\(which) belongs to another user; give it, and all that begin with its name, to the "
                            + "service's user: chown"
                    )
                }
            }
        }
    }

    mutating func receiver(_ receiver: WebhookConfiguration, at pointer: String) {
        secret(receiver.secretFile, at: pointer + "/secret-file")
        if let file = receiver.oldSecretFile { secret(file, at: pointer + "/old-secret-file") }
        authorities(receiver.authoritiesFile, at: pointer)
    }

    mutating func authorities(_ file: String?, at pointer: String) {
        guard let file else { return }
        _ = attempt(pointer + "/authorities-file") { () throws(FileReadingError) in
            let bytes = try Self.publicFile(file, byteCountMax: CredentialReader.authoritiesByteCountMax)
            do throws(TLSError) {
                _ = try TLSContext.client(trust: .pem(bytes), alpn: [])
            } catch {
                throw FileReadingError(problem: error.description)
            }
        }
    }

    private mutating func secret(_ path: String, at pointer: String) {
        _ = attempt(pointer) { () throws(FileReadingError) in
            let box = try PrivateBox(path)
            guard box.bytes.withBytes({ WebhookSecret.decode($0) != nil }) else {
                throw FileReadingError(
                    problem:
                        "not a secret of webhooks, which is 'whsec_' and the base64 of 24 to 64 random bytes; make one"
                        + " with 'echo whsec_$(openssl rand -base64 32)'"
                )
            }
        }
    }

    mutating func app(_ app: AppConfiguration, of tenant: TenantID, at pointer: String) {
        do throws(CredentialErrors) {
            let material = try credentials.material(of: app)
            lanes.add(app, of: tenant, material)
            if case .certificate(let certificate) = material.credential {
                certificatesEnd = min(certificatesEnd, certificate.validity.upperBound)
            }
        } catch {
            for fault in error.all { faults.append(places.fault(pointer + fault.field, fault.problem)) }
        }
        if let fallback = app.fallback { receiver(fallback.delivery, at: pointer + "/fallback") }
        if case .appAttest(_, let file)? = app.gateway?.enrolment?.kind {
            attestRoots[file] = attempt(pointer + "/gateway/enrolment/root-file") { () throws(FileReadingError) in
                let pem = try Self.publicFile(file)
                let roots = unsafe TLSCertificate.list(pem: pem.span.bytes)
                guard !roots.isEmpty else {
                    throw FileReadingError(problem: "no certificate (PEM); Apple publishes its App Attestation Root CA")
                }
                return roots
            }
        }
    }

    private static func publicFile(
        _ path: String,
        byteCountMax: Int = TLSIdentity.byteCountMax
    ) throws(FileReadingError) -> [UInt8] {
        do throws(FileError) {
            return try WholeFile.read(path, byteCountMax: byteCountMax)
        } catch {
            throw FileReadingError(problem: error.advice)
        }
    }
}

struct FileReadingError: Error {
    /// Sentence without full stop and path.
    let problem: String
}

/// Read by its owner only, into memory that is zeroed.
final class PrivateBox {
    let bytes: SecretBytes

    init() { bytes = SecretBytes(byteCount: 0) { _ in } }

    init(_ path: String) throws(FileReadingError) {
        do throws(FileError) {
            bytes = try PrivateFile.read(path, exampleKeys: .refused)
        } catch {
            throw FileReadingError(problem: error.advice)
        }
    }
}
