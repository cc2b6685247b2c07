#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import COpenSSL

/// Owns one EVP_PKEY on P-256.
///
/// Unchecked: complete before it is shared, then read-only, which OpenSSL allows from any thread.
@safe final class ES256Handle: @unchecked Sendable {
    private let key: OpaquePointer

    /// Takes ownership of `key`, also when it throws.
    init(owning key: OpaquePointer) throws(ES256Error) {
        unsafe self.key = key
        var name = [CChar](repeating: 0, count: 32)
        var characterCount = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &characterCount) == 1,
            name.prefix(characterCount).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
        else { throw .notP256 }
    }

    static func ofPrivateKey(pem: RawSpan) throws(ES256Error) -> ES256Handle {
        defer { ERR_clear_error() }
        let info = unsafe try PEMBlock.withContents(of: pem, label: "PRIVATE KEY") { der, byteCount in
            var cursor = unsafe UnsafePointer<UInt8>?(der)
            return unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, byteCount)
        }
        guard let info = unsafe info else { throw .malformed }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let key = unsafe EVP_PKCS82PKEY(info) else { throw .malformed }
        let owned = try unsafe ES256Handle(owning: key)
        try owned.checkPair()
        return owned
    }

    static func ofPublicKey(pem: RawSpan) throws(ES256Error) -> ES256Handle {
        defer { ERR_clear_error() }
        let key = unsafe try PEMBlock.withContents(of: pem, label: "PUBLIC KEY") { der, byteCount in
            var cursor = unsafe UnsafePointer<UInt8>?(der)
            return unsafe d2i_PUBKEY(nil, &cursor, byteCount)
        }
        guard let key = unsafe key else { throw .malformed }
        return try unsafe ES256Handle(owning: key)
    }

    /// SubjectPublicKeyInfo before the point's 65 bytes (RFC 5480 section 2).
    private static let pointPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    static func ofPublicKey(x963Representation: [UInt8]) throws(ES256Error) -> ES256Handle {
        defer { ERR_clear_error() }
        let der = pointPrefix + x963Representation
        let key = unsafe der.withUnsafeBufferPointer { der in
            var cursor = der.baseAddress
            return unsafe d2i_PUBKEY(nil, &cursor, der.count)
        }
        guard let key = unsafe key else { throw .malformed }
        return try unsafe ES256Handle(owning: key)
    }

    deinit { unsafe EVP_PKEY_free(key) }

    private func checkPair() throws(ES256Error) {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { throw .library(call: "EVP_PKEY_CTX_new") }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_pairwise_check(context) == 1 else { throw .halvesDiffer }
    }

    func publicHalf() throws(ES256Error) -> ES256Handle {
        defer { ERR_clear_error() }
        var der: UnsafeMutablePointer<UInt8>?
        let byteCount = unsafe i2d_PUBKEY(key, &der)
        guard byteCount > 0, let der = unsafe der else { throw .library(call: "i2d_PUBKEY") }
        defer { unsafe CRYPTO_free(der, nil, 0) }
        var cursor = unsafe UnsafePointer<UInt8>?(der)
        guard let copy = unsafe d2i_PUBKEY(nil, &cursor, Int(byteCount)) else { throw .library(call: "d2i_PUBKEY") }
        return try unsafe ES256Handle(owning: copy)
    }

    func rawSignature(over message: [UInt8]) throws(ES256Error) -> [UInt8] {
        defer { ERR_clear_error() }
        let der = try derSignature(over: message)
        guard let raw = ES256Signature.raw(der: der) else { throw .library(call: "ECDSA_SIG_get0") }
        return raw
    }

    func isValid(rawSignature: [UInt8], over message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let der = ES256Signature.der(raw: rawSignature) else { return false }
        return isValid(derSignature: der, over: message)
    }

    private func derSignature(over message: [UInt8]) throws(ES256Error) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .library(call: "EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else {
            throw .library(call: "EVP_DigestSignInit")
        }
        // The first call returns the longest length.
        var byteCount = 0
        var code = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestSign(context, nil, &byteCount, message.baseAddress, message.count)
        }
        guard code == 1 else { throw .library(call: "EVP_DigestSign") }
        var der = [UInt8](repeating: 0, count: byteCount)
        code = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestSign(context, &der, &byteCount, message.baseAddress, message.count)
        }
        guard code == 1 else { throw .library(call: "EVP_DigestSign") }
        der.removeSubrange(byteCount...)
        return der
    }

    func isValid(derSignature: [UInt8], over message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        let code = unsafe derSignature.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context,
                    signature.baseAddress,
                    signature.count,
                    message.baseAddress,
                    message.count
                )
            }
        }
        // 0 is a wrong signature, a negative code an unreadable one.
        return code == 1
    }
}

private enum ES256Signature {
    static let halfByteCount = 32

    /// Nil unless `der` is an `ECDSA-Sig-Value` with halves of at most 32 bytes.
    static func raw(der: [UInt8]) -> [UInt8]? {
        let signature = unsafe der.withUnsafeBufferPointer { der in
            var cursor = der.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &cursor, der.count)
        }
        guard let signature = unsafe signature else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 2 * halfByteCount)
        let isComplete = unsafe raw.withUnsafeMutableBufferPointer { raw in
            guard let start = raw.baseAddress else { return false }
            let half = Int32(halfByteCount)
            return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, half) == half
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + halfByteCount, half) == half
        }
        return isComplete ? raw : nil
    }

    /// Nil unless `raw` has 64 bytes.
    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * halfByteCount, let signature = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        let isSet = unsafe raw.withUnsafeBufferPointer { raw in
            guard let start = raw.baseAddress else { return false }
            let half = Int32(halfByteCount)
            let r = unsafe BN_bin2bn(start, half, nil)
            let s = unsafe BN_bin2bn(start + halfByteCount, half, nil)
            // Ownership moves only on success, which needs both.
            if unsafe ECDSA_SIG_set0(signature, r, s) == 1 { return true }
            unsafe BN_free(r)
            unsafe BN_free(s)
            return false
        }
        guard isSet else { return nil }
        let byteCount = unsafe i2d_ECDSA_SIG(signature, nil)
        guard byteCount > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(byteCount))
        let writtenByteCount = unsafe der.withUnsafeMutableBufferPointer { der in
            var cursor = der.baseAddress
            return unsafe i2d_ECDSA_SIG(signature, &cursor)
        }
        return writtenByteCount == byteCount ? der : nil
    }
}

/// One block of a PEM file (RFC 7468), found by its exact label.
private enum PEMBlock {
    static let fileByteCountMax = 65_536

    /// Passes the DER bytes, and clears them afterwards.
    static func withContents<Result>(
        of pem: RawSpan,
        label: String,
        _ body: (UnsafeMutablePointer<UInt8>, Int) -> Result
    ) throws(ES256Error) -> Result {
        guard pem.byteCount <= fileByteCountMax else {
            throw .tooLong(byteCount: pem.byteCount, byteCountMax: fileByteCountMax)
        }
        let contents: (start: UnsafeMutablePointer<UInt8>?, byteCount: Int)
        unsafe contents = unsafe pem.withUnsafeBytes { pem in
            var start: UnsafeMutablePointer<UInt8>?
            var byteCount = 0
            // An empty buffer has no address.
            guard let address = pem.baseAddress else { return (nil, 0) }
            guard let bio = unsafe BIO_new_mem_buf(address, Int32(pem.count)) else { return (nil, 0) }
            defer { unsafe BIO_free(bio) }
            // The callback avoids a prompt for a pass phrase; secmem clears the bytes read.
            let code = unsafe PEM_bytes_read_bio_secmem(
                &start,
                &byteCount,
                nil,
                label,
                bio,
                { _, _, _, _ in -1 },
                nil
            )
            return code == 1 ? unsafe (start, byteCount) : (nil, 0)
        }
        guard let start = unsafe contents.start else { throw .noBlock(label: label) }
        defer { unsafe CRYPTO_secure_clear_free(start, contents.byteCount, nil, 0) }
        return unsafe body(start, contents.byteCount)
    }
}
#endif
