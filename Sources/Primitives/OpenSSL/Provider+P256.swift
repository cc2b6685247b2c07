#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import COpenSSL

extension Provider {
    static func checkP256Point(_ x963Representation: [UInt8]) throws(P256Error) {
        defer { ERR_clear_error() }
        _ = try P256Point(x963Representation, on: P256Curve())
    }

    static func p256PublicKey(of scalar: borrowing SecretBytes) throws(P256Error) -> [UInt8] {
        defer { ERR_clear_error() }
        let curve = try P256Curve()
        let number = try P256Scalar(scalar, on: curve)
        return try P256Point(multiplyingGeneratorBy: number, on: curve).x963Representation(on: curve)
    }

    static func p256SharedSecret(
        _ scalar: borrowing SecretBytes,
        _ x963Representation: [UInt8]
    ) throws(P256Error) -> SecretBytes {
        defer { ERR_clear_error() }
        let curve = try P256Curve()
        let number = try P256Scalar(scalar, on: curve)
        let peer = try P256Point(x963Representation, on: curve)
        return try P256Point(multiplying: peer, by: number, on: curve).secretX(on: curve)
    }
}

@safe private struct P256Curve: ~Copyable {
    fileprivate let group: OpaquePointer

    init() throws(P256Error) {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw .library(call: "EC_GROUP_new_by_curve_name")
        }
        unsafe self.group = group
    }

    deinit { unsafe EC_GROUP_free(group) }
}

/// Secret number 1 ..< n, cleared on release.
@safe private struct P256Scalar: ~Copyable {
    fileprivate let number: OpaquePointer

    /// Takes 32 bytes, big-endian.
    init(_ bytes: borrowing SecretBytes, on curve: borrowing P256Curve) throws(P256Error) {
        guard let number = unsafe BN_secure_new() else { throw .library(call: "BN_secure_new") }
        let isRead = bytes.withBytes { span in
            unsafe span.withBytePointer { unsafe BN_bin2bn($0, Int32($1), number) != nil }
        }
        let isScalar = unsafe BN_is_zero(number) == 0 && BN_cmp(number, EC_GROUP_get0_order(curve.group)) < 0
        guard isRead, isScalar else {
            unsafe BN_clear_free(number)
            throw isRead ? .notAScalar : .library(call: "BN_bin2bn")
        }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        unsafe self.number = number
    }

    deinit { unsafe BN_clear_free(number) }
}

/// Point, cleared on release, since it may be a shared secret.
@safe private struct P256Point: ~Copyable {
    private let point: OpaquePointer

    /// Takes 65 bytes that begin with 0x04.
    init(_ x963Representation: [UInt8], on curve: borrowing P256Curve) throws(P256Error) {
        let point = unsafe try P256Point.new(on: curve)
        // Checks that both coordinates are below the prime and on the curve.
        let code = unsafe EC_POINT_oct2point(curve.group, point, x963Representation, x963Representation.count, nil)
        guard code == 1 else {
            unsafe EC_POINT_clear_free(point)
            throw .notAPoint
        }
        unsafe self.point = point
    }

    /// scalar · generator.
    init(multiplyingGeneratorBy scalar: borrowing P256Scalar, on curve: borrowing P256Curve) throws(P256Error) {
        let point = unsafe try P256Point.new(on: curve)
        guard unsafe EC_POINT_mul(curve.group, point, scalar.number, nil, nil, nil) == 1 else {
            unsafe EC_POINT_clear_free(point)
            throw .library(call: "EC_POINT_mul")
        }
        unsafe self.point = point
    }

    /// scalar · peer.
    init(
        multiplying peer: borrowing P256Point,
        by scalar: borrowing P256Scalar,
        on curve: borrowing P256Curve
    ) throws(P256Error) {
        let point = unsafe try P256Point.new(on: curve)
        guard unsafe EC_POINT_mul(curve.group, point, nil, peer.point, scalar.number, nil) == 1 else {
            unsafe EC_POINT_clear_free(point)
            throw .library(call: "EC_POINT_mul")
        }
        unsafe self.point = point
    }

    private static func new(on curve: borrowing P256Curve) throws(P256Error) -> OpaquePointer {
        guard let point = unsafe EC_POINT_new(curve.group) else { throw .library(call: "EC_POINT_new") }
        return unsafe point
    }

    deinit { unsafe EC_POINT_clear_free(point) }

    /// 65 bytes.
    func x963Representation(on curve: borrowing P256Curve) throws(P256Error) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: P256PublicKey.byteCount)
        let count = unsafe EC_POINT_point2oct(
            curve.group,
            point,
            POINT_CONVERSION_UNCOMPRESSED,
            &bytes,
            bytes.count,
            nil
        )
        guard count == P256PublicKey.byteCount else { throw .library(call: "EC_POINT_point2oct") }
        return bytes
    }

    /// 32 bytes, big-endian.
    func secretX(on curve: borrowing P256Curve) throws(P256Error) -> SecretBytes {
        guard let x = unsafe BN_secure_new() else { throw .library(call: "BN_secure_new") }
        defer { unsafe BN_clear_free(x) }
        guard unsafe EC_POINT_get_affine_coordinates(curve.group, point, x, nil, nil) == 1 else {
            throw .library(call: "EC_POINT_get_affine_coordinates")
        }
        return try SecretBytes(byteCount: P256PrivateKey.byteCount) { output throws(P256Error) in
            let count = unsafe output.withMutableBytePointer { unsafe BN_bn2binpad(x, $0, Int32($1)) }
            guard count == P256PrivateKey.byteCount else { throw .library(call: "BN_bn2binpad") }
        }
    }
}
#endif
