import Envelope
import Primitives

/// The bodies of a load's POSTs, made from a pattern: only devices, traces and hashes differ.
struct ServiceBodies: Sendable {
    static let topic = "com.example.chat"
    /// A record of RFC 8291 of this length makes a payload of 1,024 bytes with this bench's placeholder.
    private static let recordCharacterCount = 878
    private static let sealedCharacterCount = 3_840

    private let field: [UInt8]
    private let hasReceipts: Bool

    init(_ payload: ServiceLoad.Payload, hasReceipts: Bool) {
        self.hasReceipts = hasReceipts
        field =
            switch payload {
            case .small:
                Array(#""webpush":""#.utf8) + [UInt8](repeating: UInt8(ascii: "A"), count: Self.recordCharacterCount)
            // Version 1, suite 1; what follows nobody on the way reads.
            case .sealed:
                Array(#""sealed":"AQE"#.utf8)
                    + [UInt8](repeating: UInt8(ascii: "A"), count: Self.sealedCharacterCount - 3)
            }
    }

    /// - Parameters:
    ///   - numbers: of the notifications.
    ///   - deviceCount: they go to the devices of these numbers modulo this.
    /// - Returns: JSON.
    func body(_ numbers: Range<Int>, deviceCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(80 + numbers.count * (field.count + 160))
        bytes += #"{"topic":"\#(Self.topic)","class":"normal","recipients":["#.utf8
        for number in numbers {
            if number > numbers.lowerBound { bytes.append(UInt8(ascii: ",")) }
            bytes += #"{"device":""#.utf8
            bytes += Self.device(number % deviceCount).utf8
            bytes += #"","#.utf8
            bytes += field
            bytes += #"","trace":""#.utf8
            bytes += Base64URL.encode(Self.trace(number))
            if hasReceipts {
                bytes += #"","receipt-hash":""#.utf8
                bytes += Base64URL.encode(Self.receiptHash(number))
            }
            bytes += #""}"#.utf8
        }
        bytes += "]}".utf8
        return bytes
    }

    /// The id of the device with this number.
    static func device(_ number: Int) -> String { "device-\(number)" }

    /// 16 bytes; the number can be read from them.
    static func trace(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0x5A, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// The number of the notification whose payload this is; nil for others'.
    static func number(payload: [UInt8]) -> Int? {
        // …"trace":"22 characters"}
        guard payload.count > 24, let trace = Base64URL.decode(payload[(payload.count - 24)..<(payload.count - 2)]),
            trace.count == 16, trace[..<8].allSatisfy({ $0 == 0x5A })
        else { return nil }
        return trace[8...].reduce(0) { $0 << 8 | Int($1) }
    }

    /// 16 bytes, each notification's own.
    static func capability(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0xC3, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// - Source: docs/service.md, "Receipts".
    static func receiptHash(_ number: Int) -> [UInt8] {
        let context = Array("SealedPush/1 receipt".utf8)
        return SHA256.hash([UInt8(context.count)] + context + capability(number))
    }
}
