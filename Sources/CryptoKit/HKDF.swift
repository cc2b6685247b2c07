public import Foundation

/// cryptokit/hkdf
public struct HKDF<H: HashFunction> {
    /// cryptokit/hkdf/derivekey(inputkeymaterial:salt:info:outputbytecount:)
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt,
        info: Info,
        outputByteCount: Int
    ) -> SymmetricKey {
        let key = extract(inputKeyMaterial: inputKeyMaterial, salt: salt)
        return expand(pseudoRandomKey: key, info: info, outputByteCount: outputByteCount)
    }

    /// cryptokit/hkdf/derivekey(inputkeymaterial:info:outputbytecount:)
    public static func deriveKey<Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        info: Info,
        outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: Data(), info: info, outputByteCount: outputByteCount)
    }

    /// cryptokit/hkdf/derivekey(inputkeymaterial:salt:outputbytecount:)
    public static func deriveKey<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt,
        outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: salt, info: Data(), outputByteCount: outputByteCount)
    }

    /// cryptokit/hkdf/derivekey(inputkeymaterial:outputbytecount:)
    public static func deriveKey(inputKeyMaterial: SymmetricKey, outputByteCount: Int) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: Data(), info: Data(), outputByteCount: outputByteCount)
    }

    /// cryptokit/hkdf/extract(inputkeymaterial:salt:)
    public static func extract<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt?
    ) -> HashedAuthenticationCode<H> {
        let key = SymmetricKey(data: salt.map { Data($0) } ?? Data())
        return unsafe inputKeyMaterial.withUnsafeBytes { unsafe HMAC<H>.authenticationCode(for: $0, using: key) }
    }

    /// cryptokit/hkdf/expand(pseudorandomkey:info:outputbytecount:)
    public static func expand<PRK: ContiguousBytes, Info: DataProtocol>(
        pseudoRandomKey prk: PRK,
        info: Info?,
        outputByteCount: Int
    ) -> SymmetricKey {
        precondition(outputByteCount <= 255 * H.Digest.byteCount, "HKDF gives at most 255 digests")
        let key = SymmetricKey(data: prk)
        return SymmetricKey(
            unsafe KeyBytes(byteCount: outputByteCount) { output in
                var block: [UInt8] = []
                for (number, start) in stride(from: 0, to: outputByteCount, by: H.Digest.byteCount).enumerated() {
                    var code = HMAC<H>(key: key)
                    code.update(data: block)
                    if let info { code.update(data: info) }
                    code.update(data: [UInt8(number + 1)])
                    block = Array(code.finalize())
                    let end = min(start + block.count, outputByteCount)
                    unsafe UnsafeMutableRawBufferPointer(rebasing: output[start..<end]).copyBytes(
                        from: block.prefix(end - start)
                    )
                }
            }
        )
    }
}
