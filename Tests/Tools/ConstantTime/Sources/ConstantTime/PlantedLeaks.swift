import COpenSSL
import Envelope
import Primitives

/// Leaks that the check must find: one beside each operation, and as many decisions as this may take do not hide it.
enum PlantedLeaks {
    static func results() throws -> [Check] {
        var random = SystemRandom()
        let key = random.secret(byteCount: 32)
        let hidden = key.withBytes { Secrets.copy($0) }
        let frame = Secrets.frameWithSecretPadding()
        let text = Secrets.array(Base64URL.encode(random.bytes(count: 32)))
        let tag = random.bytes(count: 16)
        let point = try P256PrivateKey(random: &random).publicKey.x963Representation
        return [
            Check(planted: "a compare that stops at the first difference", allowed: 1) {
                hidden.withBytes { one in
                    key.withBytes { other in (0..<32).allSatisfy { one.byte(at: $0) == other.byte(at: $0) } }
                }
            },
            Check(planted: "a table looked up by a secret") {
                let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                return hidden.withBytes { bytes in (0..<32).map { table[Int(bytes.byte(at: $0))] } }
            },
            Check(planted: "padding looked at up to the first byte that is not zero", allowed: 1) {
                frame[140...].allSatisfy { $0 == 0 }
            },
            Check(planted: "P-256, a point added for each bit that is set", allowed: 61) {
                doubleAndAdd(hidden, point)
            },
            Check(planted: "ES256, a product with the key reduced by a division", allowed: 13) { product(hidden) },
            Check(planted: "AES-GCM, a tag compared as an array", allowed: 1) {
                Secrets.array(tag) == tag.map { $0 ^ 0 }
            },
            Check(planted: "attachment, the head of a commitment compared first", allowed: 3) {
                hidden.withBytes { one in
                    key.withBytes { other in
                        (0..<4).allSatisfy { part in
                            (0..<8).allSatisfy { one.byte(at: 8 * part + $0) == other.byte(at: 8 * part + $0) }
                        }
                    }
                }
            },
            try Check(planted: "HKDF-SHA512, output up to its first zero") {
                try HKDFSHA512.expand(pseudorandomKey: hidden, info: [1], byteCount: 100)
                    .withBytes { bytes in (0..<100).prefix { bytes.byte(at: $0) != 0 }.count }
            },
            // Beside lines and words, a key's decoding has the verdict alone.
            Check(planted: "key file, decoded as public text is", allowed: 1) { Base64URL.decode(text) ?? [] },
        ]
    }

    /// Textbook multiplication.
    private static func doubleAndAdd(_ scalar: borrowing SecretBytes, _ point: [UInt8]) -> Int {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return 0 }
        defer { unsafe EC_GROUP_free(group) }
        guard let base = unsafe EC_POINT_new(group), let sum = unsafe EC_POINT_new(group) else { return 0 }
        defer {
            unsafe EC_POINT_free(base)
            unsafe EC_POINT_free(sum)
        }
        _ = unsafe EC_POINT_oct2point(group, base, point, point.count, nil)
        _ = unsafe EC_POINT_set_to_infinity(group, sum)
        return scalar.withBytes { bytes in
            var count = 0
            for index in 0..<256 {
                _ = unsafe EC_POINT_dbl(group, sum, sum, nil)
                guard bytes.byte(at: index / 8) >> UInt8(7 - index % 8) & 1 == 1 else { continue }
                _ = unsafe EC_POINT_add(group, sum, sum, base, nil)
                count += 1
            }
            return count
        }
    }

    /// As a signature's second half, without blinding and with BN_div.
    private static func product(_ key: borrowing SecretBytes) -> Int {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), let context = unsafe BN_CTX_new(),
            let number = unsafe BN_new()
        else { return 0 }
        defer {
            unsafe EC_GROUP_free(group)
            unsafe BN_CTX_free(context)
            unsafe BN_clear_free(number)
        }
        let isRead = key.withBytes { span in
            unsafe span.withUnsafeBytes { bytes in
                unsafe BN_bin2bn(bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count), number) != nil
            }
        }
        let order = unsafe EC_GROUP_get0_order(group)
        for _ in 0..<4 { _ = unsafe BN_mod_mul(number, number, number, order, context) }
        return isRead ? 1 : 0
    }
}
