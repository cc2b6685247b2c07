import Envelope
package import Primitives

/// Shows a webhook's receiver that the service sent it, and when.
///
/// The field is `SealedPush-Signature: t=1700000000,v1=5257…`: seconds since 1970, and HMAC-SHA256 in lower-case hex over
/// the seconds as they stand there, a period, and the body. While a secret is replaced there is a `v1` for each. A receiver
/// recomputes it over the bytes it got, before it reads them, and refuses times that are more than five minutes off.
package enum WebhookSignature {
    package static let fieldName = "sealedpush-signature"
    package static let toleranceSeconds: Int64 = 300
    /// A longer field is not looked at.
    static let fieldByteCountMax = 512
    static let signatureCountMax = 4

    /// - Parameters:
    ///   - body: the bytes that are sent.
    ///   - unixSeconds: now, 0 or later.
    ///   - secret: shared with the receiver, 32 bytes or more.
    /// - Returns: the field's value.
    package static func field(body: [UInt8], unixSeconds: Int64, secret: borrowing SecretBytes) -> String {
        let code = code(body: body, time: Array(String(unixSeconds).utf8), secret: secret)
        return "t=\(unixSeconds),v1=\(hex(code))"
    }

    /// What a receiver does: in constant time with regard to the signature.
    ///
    /// - Parameters:
    ///   - field: the field's value, from anybody.
    ///   - body: what came, byte for byte.
    ///   - unixSeconds: the receiver's clock.
    ///   - secret: shared with the service.
    /// - Returns: whether one of the signatures is right and the time is near.
    package static func isValid(
        field: String,
        body: [UInt8],
        unixSeconds: Int64,
        secret: borrowing SecretBytes
    ) -> Bool {
        guard field.utf8.count <= fieldByteCountMax, let parts = parts(of: field),
            let time = Int64(String(decoding: parts.time, as: UTF8.self)),
            time.subtractingReportingOverflow(unixSeconds).overflow == false,
            (time - unixSeconds).magnitude <= toleranceSeconds.magnitude
        else { return false }
        let expected = Array(hex(code(body: body, time: parts.time, secret: secret)).utf8)
        var isRight = false
        for signature in parts.signatures where signature.count == expected.count {
            // In parentheses: `|` and `^` bind alike, from the left, and a later byte would undo an earlier difference.
            let difference = zip(signature, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
            isRight = difference == 0 || isRight
        }
        return isRight
    }

    /// One `t` of 1 to 12 digits, one to four `v1`; other members belong to versions to come.
    private static func parts(of field: String) -> (time: [UInt8], signatures: [[UInt8]])? {
        var times: [[UInt8]] = []
        var signatures: [[UInt8]] = []
        for member in field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let bytes = Array(member)
            if bytes.starts(with: "t=".utf8) { times.append(Array(bytes.dropFirst(2))) }
            if bytes.starts(with: "v1=".utf8) { signatures.append(Array(bytes.dropFirst(3))) }
        }
        guard times.count == 1, (1...12).contains(times[0].count), (1...signatureCountMax).contains(signatures.count),
            times[0].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return (times[0], signatures)
    }

    private static func code(body: [UInt8], time: [UInt8], secret: borrowing SecretBytes) -> [UInt8] {
        secret.authenticationCode { code in
            code.update(time)
            code.update(byte: UInt8(ascii: "."))
            code.update(body)
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension SecretBytes {
    /// - Returns: 32 bytes, HMAC-SHA256 under these bytes.
    func authenticationCode(_ feed: (inout HMACSHA256) -> Void) -> [UInt8] {
        let code = SecretBytes(byteCount: HMACSHA256.byteCount) { output in
            withBytes { HMACSHA256.code(key: $0, into: &output, feed: feed) }
        }
        return code.withBytes { [UInt8](copying: $0) }
    }

    /// The same, for a code that is no secret.
    func writeAuthenticationCode(to code: inout InlineArray<32, UInt8>, _ feed: (inout HMACSHA256) -> Void) {
        var span = code.mutableSpan
        var output = unsafe span.mutableBytes
        withBytes { HMACSHA256.code(key: $0, into: &output, feed: feed) }
    }
}
