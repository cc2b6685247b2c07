import COpenSSL
import Glibc

/// Parsed X.509 certificate, not necessarily trusted.
///
/// Unchecked Sendable: complete after `init`; OpenSSL locks its own lazy fields.
@safe package final class TLSCertificate: @unchecked Sendable {
    let handle: OpaquePointer
    /// Seconds since 1970, inclusive.
    package let notBefore: Int64
    package let notAfter: Int64

    /// Our limit: certificates of Apple and public authorities have about 2,000 bytes.
    package static let byteCountMax = 65_536

    /// - Parameter der: exactly one certificate. OpenSSL takes spellings that are not DER, such as set bits behind a
    ///   signature's end; these are refused, so that equal certificates have equal bytes.
    package convenience init?(der: [UInt8]) {
        guard der.count <= Self.byteCountMax else { return nil }
        defer { ERR_clear_error() }
        let handle = unsafe der.withUnsafeBufferPointer { der in
            var cursor = der.baseAddress
            guard let read = unsafe d2i_X509(nil, &cursor, der.count) else { return unsafe OpaquePointer?.none }
            guard let start = der.baseAddress, unsafe cursor == start + der.count else {
                unsafe X509_free(read)
                return nil
            }
            return unsafe read
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.init(owning: handle)
        guard self.der == der else { return nil }
    }

    /// Owns `handle`, even if its dates are unreadable.
    init?(owning handle: OpaquePointer) {
        guard let notBefore = unsafe Self.unixSeconds(X509_get0_notBefore(handle)),
            let notAfter = unsafe Self.unixSeconds(X509_get0_notAfter(handle))
        else {
            unsafe X509_free(handle)
            return nil
        }
        unsafe self.handle = handle
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    deinit {
        unsafe X509_free(handle)
    }

    private static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time else { return nil }
        var fields = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
        return unsafe Int64(timegm(&fields))
    }

    /// `now` is in seconds since 1970; an unreadable date has expired.
    static func isInTime(_ certificate: OpaquePointer, at now: Int64) -> Bool {
        guard let notAfter = unsafe unixSeconds(X509_get0_notAfter(certificate)) else { return false }
        return now <= notAfter
    }

    /// Signed certificate; empty without memory.
    package var der: [UInt8] {
        defer { ERR_clear_error() }
        let byteCount = unsafe Int(i2d_X509(handle, nil))
        guard byteCount > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return unsafe i2d_X509(handle, &cursor)
        }
        return Int(written) == byteCount ? bytes : []
    }

    /// Big-endian, without leading zeros, as in a revocation list (RFC 5280 section 5.1.2.6).
    package var serialNumber: [UInt8] { unsafe Self.serialNumber(handle) }

    static func serialNumber(_ certificate: OpaquePointer) -> [UInt8] {
        guard let number = unsafe X509_get0_serialNumber(certificate),
            let start = unsafe ASN1_STRING_get0_data(number)
        else { return [] }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(number)))
        return unsafe Array(bytes.drop { $0 == 0 })
    }

    /// Subject's first CN (RFC 4519 section 2.3).
    package var commonName: String? { subjectField(NID_commonName) }

    /// Subject's first UID (RFC 4519 section 2.39).
    package var userID: String? { subjectField(NID_userId) }

    private func subjectField(_ identifier: Int32) -> String? {
        defer { ERR_clear_error() }
        let subject = unsafe X509_get_subject_name(handle)
        let index = unsafe X509_NAME_get_index_by_NID(subject, identifier, -1)
        guard index >= 0, let entry = unsafe X509_NAME_get_entry(subject, index) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let byteCount = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard byteCount >= 0, let text = unsafe text else { return nil }
        defer { unsafe CRYPTO_free(text, nil, 0) }
        return unsafe String(validating: UnsafeBufferPointer(start: text, count: Int(byteCount)), as: UTF8.self)
    }

    /// Content without the enclosing OCTET STRING; `identifier` in digits, "1.2.840.113635.100.6.3.6".
    package func extensionValue(of identifier: String) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let object = unsafe OBJ_txt2obj(identifier, 1) else { return nil }
        defer { unsafe ASN1_OBJECT_free(object) }
        let index = unsafe X509_get_ext_by_OBJ(handle, object, -1)
        guard index >= 0, let data = unsafe X509_EXTENSION_get_data(X509_get_ext(handle, index)) else { return nil }
        let byteCount = unsafe Int(ASN1_STRING_length(data))
        return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: byteCount))
    }
}
