#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
private import CryptoKit

/// AES-GCM with one key. CryptoKit takes a message whole: pieces are gathered in the output, and replaced by the
/// result.
struct AESGCMContext: ~Copyable, Sendable {
    static let keyByteCount = 32

    private let key: SymmetricKey
    private var nonce: [UInt8] = []
    private var aad: [UInt8] = []

    init(key: RawSpan, direction: AESGCMDirection) {
        self.key = unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    mutating func start(_ nonce: [UInt8], aad: [UInt8] = []) {
        self.nonce = nonce
        self.aad = aad
    }

    mutating func update(_ input: RawSpan, into output: inout MutableRawSpan, at offset: Int) {
        output.write(input, at: offset)
    }

    /// Encrypts the first `byteCount` bytes, and writes the tag after them.
    mutating func finishSealing(into output: inout MutableRawSpan, byteCount: Int) {
        do {
            let nonce = try AES.GCM.Nonce(data: nonce)
            try unsafe output.withUnsafeMutableBytes { output in
                let plaintext = unsafe UnsafeRawBufferPointer(rebasing: output[..<byteCount])
                let box = try unsafe AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: aad)
                unsafe output.copyBytes(from: box.ciphertext)
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[byteCount...]).copyBytes(from: box.tag)
            }
        } catch {
            preconditionFailure("CryptoKit could not seal")
        }
    }

    /// False for a wrong tag; the output is then zeros.
    mutating func finishOpening(tag: RawSpan, output: inout MutableRawSpan, byteCount: Int) -> Bool {
        do {
            let nonce = try AES.GCM.Nonce(data: nonce)
            let tag = [UInt8](copying: tag)
            try unsafe output.withUnsafeMutableBytes { output in
                let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: output[..<byteCount])
                let box = try unsafe AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
                unsafe output.copyBytes(from: try AES.GCM.open(box, using: key, authenticating: aad))
            }
            return true
        } catch {
            unsafe output.withUnsafeMutableBytes { output in
                unsafe Provider.wipe(UnsafeMutableRawBufferPointer(rebasing: output[..<byteCount]))
            }
            return false
        }
    }
}
#endif
