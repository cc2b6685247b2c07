private import APNS
package import APNSProvider
private import COpenSSL
private import Primitives

/// A new signing key, for servers that accept every token.
package enum ThrowawayProviderKey {
    package static func tokens() throws(BenchError) -> ProviderTokenSource {
        do {
            let pem = try pem()
            let key = try unsafe ES256PrivateKey(pem: pem.span.bytes)
            return ProviderTokenSource(key: key, keyID: try KeyID("EXAMPLEKEY"), teamID: try TeamID("EXAMPLTEAM"))
        } catch {
            throw .operationFailed
        }
    }

    private static func pem() throws(BenchError) -> [UInt8] {
        guard let key = unsafe copenssl_generate_p256() else { throw .operationFailed }
        defer { unsafe EVP_PKEY_free(key) }
        guard let memory = unsafe BIO_new(BIO_s_mem()) else { throw .operationFailed }
        defer { unsafe BIO_free(memory) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1 else {
            throw .operationFailed
        }
        var text = [UInt8](repeating: 0, count: 4_096)
        let byteCount = unsafe BIO_read(memory, &text, Int32(text.count))
        guard byteCount > 0 else { throw .operationFailed }
        return Array(text.prefix(Int(byteCount)))
    }
}
