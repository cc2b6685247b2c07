import Envelope
package import Keys
import Primitives

// The subscription's key file:
//
//     sealedpush-web-push-key-1
//     private <43 characters of base64url>
//     auth <22 characters of base64url>
//     server <its name in base64url>              optional
extension WebPushKeys {
    private static let format = "sealedpush-web-push-key-1"

    package convenience init(keyFile path: String, exampleKeys: PrivateFile.ExampleKeys) throws(FileError) {
        let file = try KeyFile(
            path: path,
            format: Self.format,
            lineNames: ["private", "auth", "server"],
            exampleKeys: exampleKeys
        )
        let scalars = file.values("private")
        let secrets = file.values("auth")
        guard scalars.count == 1, scalars[0].count == 1, secrets.count == 1, secrets[0].count == 1 else {
            throw file.malformed
        }
        let scalar = try file.secret(scalars[0][0], storage: .guarded)
        let authenticationSecret = try file.secret(
            secrets[0][0],
            byteCount: Self.authenticationSecretByteCount,
            storage: .guarded
        )
        let server = try Self.server(file)
        let privateKey: P256PrivateKey
        do {
            privateKey = try P256PrivateKey(rawRepresentation: scalar)
        } catch {
            throw file.malformed
        }
        self.init(privateKey: privateKey, authenticationSecret: authenticationSecret, server: server)
    }

    private static func server(_ file: borrowing KeyFile) throws(FileError) -> String? {
        let lines = file.values("server")
        guard let words = lines.first else { return nil }
        guard lines.count == 1, words.count == 1, words[0].count <= (serverByteCountMax * 8 + 5) / 6,
            let bytes = Base64URL.decode(Array(file.text(words[0]).utf8)),
            let name = String(validating: bytes, as: UTF8.self)
        else { throw file.malformed }
        return name
    }

    /// Mode 0600.
    package func write(
        to path: String,
        isExample: Bool = false,
        access: WholeFile.Access = .ownerOnly
    ) throws(FileError) {
        var writer = KeyFileWriter(format: Self.format, isExample: isExample)
        withPrivateKey { writer.line("private", secret: $0) }
        withAuthenticationSecret { writer.line("auth", secret: $0) }
        if let server { writer.line("server", Base64URL.string(Array(server.utf8))) }
        try writer.write(to: path, access: access)
    }
}
