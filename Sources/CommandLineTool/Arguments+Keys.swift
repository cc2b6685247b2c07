package import APNS
package import Keys
package import Primitives

extension Arguments {
    package var exampleKeys: PrivateFile.ExampleKeys { flag(.allowExampleKeys) ? .allowed : .refused }

    package func privatePEM(_ name: String) throws(CommandError) -> SecretBytes {
        let path = try required(name)
        do {
            return try PrivateFile.read(path, exampleKeys: exampleKeys)
        } catch {
            throw .file(error)
        }
    }

    package func keyID() throws(CommandError) -> KeyID {
        let text = try required("--key-id")
        do { return try KeyID(text) } catch {
            throw wrong("--key-id must be ten letters and digits, as Apple shows it")
        }
    }

    package func teamID() throws(CommandError) -> TeamID {
        let text = try required("--team-id")
        do { return try TeamID(text) } catch {
            throw wrong("--team-id must be ten letters and digits, as Apple shows it")
        }
    }

    package func signingKey() throws(CommandError) -> ES256PrivateKey {
        let pem = try privatePEM("--provider-key")
        do {
            return try pem.withBytes { span throws(ES256Error) in try ES256PrivateKey(pem: span) }
        } catch {
            throw .failed("\(TerminalText.safe(value("--provider-key") ?? "")) is not a .p8 key (PKCS#8, P-256)")
        }
    }
}
