internal import COpenSSL
internal import Foundation

/// ECDSA over a finished digest, which OpenSSL shortens to the curve's length.
enum P256ECDSA {
    private static let halfByteCount = 32

    /// - Returns: DER.
    static func signature(over digest: [UInt8], der: [UInt8]) throws(CryptoKitError) -> [UInt8] {
        let key = unsafe der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return unsafe d2i_AutoPrivateKey(nil, &cursor, bytes.count)
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard let key = unsafe key, let context = unsafe EVP_PKEY_CTX_new(key, nil) else {
            throw .underlyingCoreCryptoError(error: -1)
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var count = 72
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_PKEY_sign_init(context) == 1,
            unsafe EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1
        else { throw .underlyingCoreCryptoError(error: -1) }
        return Array(signature.prefix(count))
    }

    static func isValid(_ raw: Data, over digest: [UInt8], der: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        let key = unsafe der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return unsafe d2i_PUBKEY(nil, &cursor, bytes.count)
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard let key = unsafe key, let context = unsafe EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let signature = self.der(raw: Array(raw))
        return unsafe EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }

    static func raw(der: [UInt8]) throws(CryptoKitASN1Error) -> [UInt8] {
        defer { ERR_clear_error() }
        let read: (signature: OpaquePointer?, isWhole: Bool)
        unsafe read = unsafe der.withUnsafeBufferPointer { der in
            var cursor = der.baseAddress
            let signature = unsafe d2i_ECDSA_SIG(nil, &cursor, der.count)
            return unsafe (signature, cursor == der.baseAddress.map { unsafe $0 + der.count })
        }
        guard let signature = unsafe read.signature else { throw .invalidASN1Object }
        defer { unsafe ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 2 * halfByteCount)
        let isWritten = unsafe raw.withUnsafeMutableBufferPointer { raw in
            guard let start = raw.baseAddress else { return false }
            let half = Int32(halfByteCount)
            return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, half) == half
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + halfByteCount, half) == half
        }
        guard isWritten, unsafe read.isWhole else { throw .invalidASN1Object }
        return raw
    }

    static func der(raw: [UInt8]) -> [UInt8] {
        func integer(_ half: ArraySlice<UInt8>) -> [UInt8] {
            var bytes = Array(half.drop { $0 == 0 })
            if bytes.isEmpty || bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
            return [0x02, UInt8(bytes.count)] + bytes
        }
        let halves = integer(raw[..<halfByteCount]) + integer(raw[halfByteCount...])
        return [0x30, UInt8(halves.count)] + halves
    }
}
