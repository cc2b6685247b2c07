/// HMAC-SHA512 (RFC 2104) for HKDF-Expand.
enum HMACSHA512 {
    private static let blockByteCount = 128

    /// 64 bytes over `previous` and the public `parts`.
    static func code(
        key: borrowing SecretBytes,
        over previous: borrowing SecretBytes,
        _ parts: [UInt8]...
    ) -> SecretBytes {
        let key = blockKey(key)
        let inner = digest { state in
            masked(key, with: 0x36).withBytes { state.update($0) }
            previous.withBytes { state.update($0) }
            for part in parts { unsafe state.update(part.span.bytes) }
        }
        return digest { state in
            masked(key, with: 0x5C).withBytes { state.update($0) }
            inner.withBytes { state.update($0) }
        }
    }

    /// RFC 2104 section 2: hashed if longer than a block, and zero-padded.
    private static func blockKey(_ key: borrowing SecretBytes) -> SecretBytes {
        guard key.byteCount > blockByteCount else {
            return key.withBytes { key in SecretBytes(byteCount: blockByteCount) { $0.write(key, at: 0) } }
        }
        let hashed = key.withBytes { key in digest { $0.update(key) } }
        return hashed.withBytes { hashed in SecretBytes(byteCount: blockByteCount) { $0.write(hashed, at: 0) } }
    }

    private static func masked(_ key: borrowing SecretBytes, with byte: UInt8) -> SecretBytes {
        key.withBytes { key in
            SecretBytes(byteCount: blockByteCount) { output in
                for offset in 0..<blockByteCount {
                    output.storeBytes(of: key.byte(at: offset) ^ byte, toByteOffset: offset, as: UInt8.self)
                }
            }
        }
    }

    private static func digest(_ feed: (inout Provider.SHA512State) -> Void) -> SecretBytes {
        SecretBytes(byteCount: SHA512.byteCount) { output in
            var state = Provider.SHA512State()
            feed(&state)
            state.finish(into: &output)
            // The state contains the hashed key.
            state.wipe()
        }
    }
}
