import AttachmentUpload
package import Keys
import Platform
import Primitives
import Sealing
import ServiceParts

/// Configuration with the keys from its files.
package struct LoadedSidecar: ~Copyable {
    package let configuration: SidecarConfiguration
    let sender: SenderIdentity
    let relayKey: SecretBytes
    /// Nil without `loopback`.
    let token: SecretBytes?
    let host: BlobHost?

    /// Reads every file that the configuration names. Blocks on the disk.
    ///
    /// - Parameter exampleKeys: allowed for trials.
    /// - Throws: faults of the files, each with its field.
    package init(
        _ configuration: SidecarConfiguration,
        exampleKeys: PrivateFile.ExampleKeys = .refused
    ) throws(SidecarStartError) {
        let sender: SenderIdentity
        do throws(FileError) {
            sender = try SenderIdentity(keyFile: configuration.senderKeyFile, exampleKeys: exampleKeys)
        } catch {
            throw .file(field: "/sender-key-file", error.advice)
        }
        let relayKey = try Self.word(configuration.relay.keyFile, "/relay/key-file")
        try Self.checkAuthorities(configuration.relay.authoritiesFile, "/relay/authorities-file")
        try Self.checkAuthorities(configuration.attachments?.authoritiesFile, "/attachments/authorities-file")
        let token = try Self.token(configuration.loopback)
        host = try Self.host(configuration.attachments)
        self.configuration = configuration
        self.sender = sender
        self.relayKey = relayKey
        self.token = token
    }

    private static func checkAuthorities(_ path: String?, _ field: String) throws(SidecarStartError) {
        guard let path else { return }
        do throws(FileError) {
            _ = try WholeFile.read(path, byteCountMax: 1 << 20)
        } catch {
            throw .file(field: field, error.advice)
        }
    }

    private static func token(_ loopback: SidecarConfiguration.Loopback?) throws(SidecarStartError) -> SecretBytes? {
        guard let loopback else { return nil }
        let token = try word(loopback.tokenFile, "/loopback/token-file")
        guard token.byteCount >= 16 else {
            throw .file(field: "/loopback/token-file", "fewer than 16 characters; make one with 'openssl rand -hex 32'")
        }
        return token
    }

    private static func host(_ attachments: SidecarConfiguration.Attachments?) throws(SidecarStartError) -> BlobHost? {
        guard let attachments else { return nil }
        let word = try word(attachments.tokenFile, "/attachments/token-file")
        let text = word.withBytes { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
        guard let host = BlobHost(url: attachments.origin, token: text) else {
            throw .file(field: "/attachments/url", "not the URL of a host of attachments")
        }
        return host
    }

    /// 32 bytes; nil without a token.
    var tokenDigest: SecretBytes? {
        switch token {
        case .some(let token): token.withBytes { SidecarApplication.digest(of: [UInt8](copying: $0)) }
        case .none: nil
        }
    }

    /// One word of visible ASCII, perhaps in white space, from a file of its owner's alone.
    private static func word(_ path: String, _ field: String) throws(SidecarStartError) -> SecretBytes {
        let bytes: SecretBytes
        do throws(FileError) {
            bytes = try PrivateFile.read(path, exampleKeys: .refused)
        } catch {
            throw .file(field: field, error.advice)
        }
        let found = bytes.withBytes { span -> Range<Int>? in
            func byte(_ index: Int) -> UInt8 { unsafe span.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
            var (start, end) = (0, span.byteCount)
            while start < end, byte(start) <= 0x20 { start += 1 }
            while end > start, byte(end - 1) <= 0x20 { end -= 1 }
            for index in start..<end where !(0x21...0x7E).contains(byte(index)) { return nil }
            return start < end ? start..<end : nil
        }
        guard let found else { throw .file(field: field, "not one word of visible ASCII characters") }
        return bytes.withBytes { SecretBytes(copying: $0.extracting(found)) }
    }
}
