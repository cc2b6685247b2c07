import APNS
import APNSProvider
import APNSSimulator
import CommandLineTool
import Glibc
import Keys
import Networking
import Primitives

/// Files of a simulator without given keys, made once in an owner-only folder. The server's certificate, made at every
/// start, never expires.
final class SimulatorFolder: Sendable {
    static let standardPath = "sealedpush-simulator"
    /// `--key-id` of every provider.
    static let keyID = "SIMULATED1"
    static let teamID = "SIMULATEAM"
    /// Includes Apple's names, for clients whose host is fixed.
    private static let hostNames = [
        "localhost", "127.0.0.1", "::1", "api.push.apple.com", "api.sandbox.push.apple.com",
        "api.development.push.apple.com",
    ]

    let path: String
    let identity: SimulatorIdentity
    private let providerKey: ES256PrivateKey

    init(_ path: String) throws(CommandError) {
        try Self.makeFolder(path)
        let identity = try Self.identity(path, try Self.authority(path), try Self.deviceAuthority(path))
        let providerKey = try Self.providerKey(path)
        self.path = path
        self.identity = identity
        self.providerKey = providerKey
    }

    func signingKey(bundleIDs: Set<Topic>?) throws(CommandError) -> SigningKey {
        do {
            return SigningKey(
                id: try KeyID(Self.keyID),
                team: try TeamID(Self.teamID),
                publicKey: try providerKey.publicKey(),
                bundleIDs: bundleIDs
            )
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// `push.conf` for curl, valid for an hour.
    func writePushFile(port: UInt16, topic: Topic, token: DeviceToken) throws(CommandError) {
        try write(
            "push.conf",
            """
            # For an hour from the simulator's start: curl -K push.conf -d '{"aps":{"alert":"Hello"}}'
            \(try providerLines())
            header = "apns-topic: \(topic)"
            header = "apns-push-type: alert"
            url = "https://localhost:\(port)/3/device/\(token.hex)"

            """
        )
        try write("device.token", token.hex + "\n")
    }

    /// `provider.conf` for curl, valid for an hour: any push.
    func writeProviderFile() throws(CommandError) { try write("provider.conf", try providerLines() + "\n") }

    private func providerLines() throws(CommandError) -> String {
        let authorization = try authorization(issuedAt: Int64(SystemClock.millisecondsSince1970 / 1_000))
        return """
            http2
            cacert = "\(quoted("ca.pem"))"
            header = "authorization: \(String(decoding: authorization, as: UTF8.self))"
            """
    }

    /// - Parameter issuedAt: seconds since 1970.
    func authorization(issuedAt: Int64) throws(CommandError) -> [UInt8] {
        do {
            return try ProviderToken(
                signedWith: providerKey,
                keyID: try KeyID(Self.keyID),
                teamID: try TeamID(Self.teamID),
                issuedAt: issuedAt
            )
            .authorization
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Trusts the folder's authority alone.
    func clientContext(protocol name: String) throws(CommandError) -> TLSContext {
        do {
            let pem = try WholeFile.read(path + "/ca.pem", byteCountMax: 1 << 16)
            return try .client(trust: .pem(pem), alpn: [name])
        } catch {
            throw Self.failure(error, path)
        }
    }

    func writeControlFiles(bearer: String) throws(CommandError) {
        try write("control.conf", "header = \"Authorization: Bearer \(bearer)\"\n")
        try write("control.bearer", bearer + "\n")
    }

    private func write(_ name: String, _ text: String) throws(CommandError) {
        do throws(FileError) {
            try WholeFile.write(Array(text.utf8), to: path + "/" + name, access: .ownerOnly)
        } catch {
            throw .file(error)
        }
    }

    var absolutePath: String {
        let absolute = unsafe realpath(path, nil)
        defer { unsafe free(absolute) }
        return unsafe absolute.map { unsafe String(cString: $0) } ?? path
    }

    private func quoted(_ name: String) -> String {
        let text = absolutePath + "/" + name
        return text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func makeFolder(_ path: String) throws(CommandError) {
        do throws(FileError) { try PrivateFolder.make(path, protection: nil) } catch { throw .file(error) }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .file(.system(call: "stat", path: path, code: errno)) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .failed("\(TerminalText.safe(path)) is not a folder; name another with --folder")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .failed("\(TerminalText.safe(path)) will hold private keys and others can enter it; chmod 700 it")
        }
    }

    private static func authority(_ path: String) throws(CommandError) -> CertificateAuthority {
        let key = try keyPair(path + "/ca.key")
        do {
            guard unsafe access(path + "/ca.pem", F_OK) != 0 else {
                let pem = try WholeFile.read(path + "/ca.pem", byteCountMax: 1 << 16)
                return try CertificateAuthority(certificatePEM: pem, key: key)
            }
            let authority = try CertificateAuthority(name: "SealedPush simulator's own authority", key: key)
            try WholeFile.write(authority.certificatePEM, to: path + "/ca.pem", access: .everyone)
            return authority
        } catch {
            throw failure(error, path)
        }
    }

    /// - Parameters:
    ///   - path: simulator's folder; missing files are made.
    ///   - out: new file.
    static func activateDevice(folder path: String, out: String) throws(CommandError) {
        try makeFolder(path)
        let authority = try deviceAuthority(path)
        do {
            let key = try KeyPair()
            let certificate = try authority.enrol(key)
            try key.withPrivateKeyPEM { span in
                let both = SecretBytes(byteCount: span.byteCount + certificate.count) { bytes in
                    for offset in 0..<span.byteCount {
                        bytes.storeBytes(of: span.byte(at: offset), toByteOffset: offset, as: UInt8.self)
                    }
                    for (offset, byte) in certificate.enumerated() {
                        bytes.storeBytes(of: byte, toByteOffset: span.byteCount + offset, as: UInt8.self)
                    }
                }
                return both.withBytes { span in
                    Result { () throws(FileError) in try WholeFile.create(span, at: out, access: .ownerOnly) }
                }
            }.get()
        } catch {
            throw failure(error, path)
        }
    }

    private static func deviceAuthority(_ path: String) throws(CommandError) -> DeviceAuthority {
        let key = try keyPair(path + "/device-ca.key")
        let file = path + "/device-ca.pem"
        do {
            guard unsafe access(file, F_OK) != 0 else {
                return try DeviceAuthority(certificatePEM: try WholeFile.read(file, byteCountMax: 1 << 16), key: key)
            }
            let authority = try DeviceAuthority(key: key)
            try WholeFile.write(authority.certificatePEM, to: file, access: .everyone)
            return authority
        } catch {
            throw failure(error, path)
        }
    }

    var earlierToken: DeviceToken? {
        // `try?`: replaces an unreadable token.
        guard let bytes = try? WholeFile.read(path + "/device.token", byteCountMax: 4_096) else { return nil }
        return try? DeviceToken(hex: String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self))
    }

    private static func identity(
        _ path: String,
        _ authority: CertificateAuthority,
        _ devices: DeviceAuthority
    ) throws(CommandError) -> SimulatorIdentity {
        do {
            let key = try KeyPair()
            let chain = try authority.issueServer(names: hostNames, for: key)
            return try key.withPrivateKeyPEM { span in
                Result { () throws(TLSError) in
                    try SimulatorIdentity(
                        certificateChainPEM: chain,
                        privateKeyPEM: span,
                        deviceAuthorityPEM: devices.certificatePEM
                    )
                }
            }.get()
        } catch {
            throw failure(error, path)
        }
    }

    private static func providerKey(_ path: String) throws(CommandError) -> ES256PrivateKey {
        _ = try keyPair(path + "/provider.p8")
        do {
            let pem = try PrivateFile.read(path + "/provider.p8", exampleKeys: .refused)
            return try pem.withBytes { span throws(ES256Error) in try ES256PrivateKey(pem: span) }
        } catch {
            throw failure(error, path)
        }
    }

    /// Made if the file is missing.
    private static func keyPair(_ path: String) throws(CommandError) -> KeyPair {
        do {
            guard unsafe access(path, F_OK) != 0 else {
                let pem = try PrivateFile.read(path, exampleKeys: .refused)
                return try pem.withBytes { span throws(TLSIdentityError) in try KeyPair(privateKeyPEM: span) }
            }
            let key = try KeyPair()
            try key.withPrivateKeyPEM { span in
                Result { () throws(FileError) in try WholeFile.write(span, to: path, access: .ownerOnly) }
            }.get()
            return key
        } catch {
            throw failure(error, path)
        }
    }

    private static func failure(_ error: any Error, _ path: String) -> CommandError {
        switch error {
        case let error as CommandError: error
        case let error as FileError: .file(error)
        case let error as TLSError:
            .failed("\(TerminalText.safe(path)): \(error.sentence); move the folder away and a new one is made")
        default:
            .failed("\(TerminalText.safe(path)): \(error); move the folder away and a new one is made")
        }
    }
}
