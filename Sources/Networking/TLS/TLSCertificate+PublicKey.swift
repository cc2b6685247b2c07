import COpenSSL

extension TLSCertificate {
    /// SubjectPublicKeyInfo (RFC 5280 section 4.1) in DER: equal in all of a key's certificates. Empty without memory.
    package var publicKeyDER: [UInt8] {
        defer { ERR_clear_error() }
        let key = unsafe X509_get_X509_PUBKEY(handle)
        let byteCount = unsafe Int(i2d_X509_PUBKEY(key, nil))
        guard byteCount > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return unsafe i2d_X509_PUBKEY(key, &cursor)
        }
        return Int(written) == byteCount ? bytes : []
    }
}
