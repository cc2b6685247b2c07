internal import COpenSSL
internal import Foundation

/// DER and PEM of P-256 keys: RFC 5280's public keys, PKCS #8's and SEC 1's private ones.
enum P256Encoding {
    private static let publicPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    private static let privatePrefix: [UInt8] = [
        0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
        0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20,
    ]
    private static let publicPart: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    static func publicDER(_ x963Representation: [UInt8]) -> [UInt8] { publicPrefix + x963Representation }

    static func privateDER(_ scalar: KeyBytes, _ x963Representation: [UInt8]) -> [UInt8] {
        unsafe privatePrefix + scalar.withUnsafeBytes { unsafe Array($0) } + publicPart + x963Representation
    }

    /// - Returns: the point, 65 bytes.
    static func point(der: [UInt8]) throws(CryptoKitASN1Error) -> [UInt8] {
        unsafe try key(der) {
            unsafe d2i_PUBKEY(nil, $0, $1)
        } read: { key in
            var bytes = [UInt8](repeating: 0, count: P256Point.x963ByteCount)
            var count = 0
            let code = unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count)
            return code == 1 && count == bytes.count ? bytes : nil
        }
    }

    /// - Returns: 32 bytes.
    static func scalar(der: [UInt8]) throws(CryptoKitASN1Error) -> KeyBytes {
        unsafe try key(der) {
            unsafe d2i_AutoPrivateKey(nil, $0, $1)
        } read: { key in
            var number: OpaquePointer?
            guard unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else { return nil }
            defer { unsafe BN_clear_free(number) }
            var isWritten = false
            let scalar = unsafe KeyBytes(byteCount: P256Point.byteCount) { bytes in
                let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                isWritten = unsafe BN_bn2binpad(number, start, Int32(P256Point.byteCount)) == P256Point.byteCount
            }
            return isWritten ? scalar : nil
        }
    }

    private static func key<Value>(
        _ der: [UInt8],
        parse: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
        read: (OpaquePointer) -> Value?
    ) throws(CryptoKitASN1Error) -> Value {
        defer { ERR_clear_error() }
        let found: (key: OpaquePointer?, isWhole: Bool)
        unsafe found = unsafe der.withUnsafeBufferPointer { der in
            var cursor = der.baseAddress
            let key = unsafe parse(&cursor, der.count)
            return unsafe (key, cursor == der.baseAddress.map { unsafe $0 + der.count })
        }
        guard let key = unsafe found.key else { throw .invalidASN1Object }
        defer { unsafe EVP_PKEY_free(key) }
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard unsafe found.isWhole, unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1,
            name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) }),
            let value = unsafe read(key)
        else { throw .invalidObjectIdentifier }
        return value
    }

    static func pem(_ der: [UInt8], _ label: String) -> String {
        let text = Array(Data(der).base64EncodedString())
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text[$0..<min($0 + 64, text.count)]) }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----"]).joined(separator: "\n")
    }

    /// - Parameter labels: those that are read.
    static func der(pem: String, _ labels: [String]) throws(CryptoKitASN1Error) -> [UInt8] {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard let first = lines.first, let last = lines.last,
            let label = labels.first(where: { first == "-----BEGIN \($0)-----" }), last == "-----END \(label)-----",
            let der = Data(base64Encoded: lines.dropFirst().dropLast().joined())
        else { throw .invalidPEMDocument }
        return Array(der)
    }
}
