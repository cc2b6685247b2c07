internal import COpenSSL

/// Point of P-256 in OpenSSL's hands.
@safe struct P256Point: ~Copyable {
    static let byteCount = 32
    /// Bytes of both forms: two coordinates, or x and the sign of y, each behind a first byte.
    static let x963ByteCount = 65
    static let compressedByteCount = 33

    private let group: OpaquePointer
    private let point: OpaquePointer

    private init() {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1),
            let point = unsafe EC_POINT_new(group)
        else { preconditionFailure("OpenSSL has no P-256") }
        unsafe self.group = group
        unsafe self.point = point
    }

    /// Takes either form.
    init(_ encoding: [UInt8]) throws(CryptoKitError) {
        self.init()
        defer { ERR_clear_error() }
        guard [Self.x963ByteCount, Self.compressedByteCount].contains(encoding.count) else { throw .incorrectKeySize }
        guard unsafe EC_POINT_oct2point(group, point, encoding, encoding.count, nil) == 1 else {
            throw .invalidParameter
        }
    }

    /// Multiplies the generator; the scalar is in 1 ..< n.
    init(publicOf scalar: KeyBytes) throws(CryptoKitError) {
        self.init()
        let number = unsafe try Self.number(scalar, in: group)
        defer { unsafe BN_clear_free(number) }
        guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else {
            throw .underlyingCoreCryptoError(error: -1)
        }
    }

    deinit {
        unsafe EC_POINT_clear_free(point)
        unsafe EC_GROUP_free(group)
    }

    func encoding(isCompressed: Bool = false) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: isCompressed ? Self.compressedByteCount : Self.x963ByteCount)
        let form = isCompressed ? POINT_CONVERSION_COMPRESSED : POINT_CONVERSION_UNCOMPRESSED
        let count = unsafe EC_POINT_point2oct(group, point, form, &bytes, bytes.count, nil)
        precondition(count == bytes.count, "OpenSSL could not write a point")
        return bytes
    }

    /// Coordinate x of scalar · point.
    func sharedSecret(with scalar: KeyBytes) throws(CryptoKitError) -> KeyBytes {
        let number = unsafe try Self.number(scalar, in: group)
        defer { unsafe BN_clear_free(number) }
        let product = P256Point()
        guard let x = unsafe BN_secure_new() else { preconditionFailure("out of memory for a secret") }
        defer { unsafe BN_clear_free(x) }
        guard unsafe EC_POINT_mul(group, product.point, nil, point, number, nil) == 1,
            unsafe EC_POINT_get_affine_coordinates(group, product.point, x, nil, nil) == 1
        else { throw .invalidParameter }
        return unsafe KeyBytes(byteCount: Self.byteCount) { bytes in
            let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            unsafe BN_bn2binpad(x, start, Int32(Self.byteCount))
        }
    }

    private static func number(_ scalar: KeyBytes, in group: OpaquePointer) throws(CryptoKitError) -> OpaquePointer {
        guard scalar.count == byteCount else { throw .incorrectKeySize }
        guard let number = unsafe BN_secure_new() else { preconditionFailure("out of memory for a key") }
        let isRead = unsafe scalar.withPointer { unsafe BN_bin2bn($0, Int32(scalar.count), number) != nil }
        guard isRead, unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            unsafe BN_clear_free(number)
            throw .incorrectParameterSize
        }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        return unsafe number
    }
}
