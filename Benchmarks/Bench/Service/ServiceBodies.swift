import Envelope
import Primitives

/// Bodies of a load's POSTs: copies of a pattern, with device, trace and hash written into it.
struct ServiceBodies: Sendable {
    static let topic = "com.example.chat"
    /// Topic of an app that the bench's key may not push to.
    static let parkedTopic = "com.example.parked"

    /// A record of RFC 8291 of this length makes a payload of 1,024 bytes with this bench's placeholder.
    private static let recordCharacterCount = 878
    private static let sealedCharacterCount = 3_840

    private let recipients: ServiceRecipients
    private let head: [UInt8]
    private let parkedHead: [UInt8]
    private let pattern: [UInt8]
    private let deviceOffset: Int
    private let traceOffset: Int
    /// Nil without receipts.
    private let hashOffset: Int?

    init(_ load: ServiceLoad) {
        recipients = ServiceRecipients(deviceCount: load.deviceCount, isMixed: load.isMixed)
        head = Self.head(Self.topic)
        parkedHead = Self.head(Self.parkedTopic)
        var bytes = Array(#"{"device":""#.utf8)
        deviceOffset = bytes.count
        bytes += ServiceRecipient.device(0).deviceID.utf8
        switch load.payload {
        case .small:
            bytes += #"","webpush":""#.utf8
            bytes += [UInt8](repeating: UInt8(ascii: "A"), count: Self.recordCharacterCount)
        // Version 1, suite 1; the rest is not read in transit.
        case .sealed:
            bytes += #"","sealed":"AQE"#.utf8
            bytes += [UInt8](repeating: UInt8(ascii: "A"), count: Self.sealedCharacterCount - 3)
        }
        bytes += #"","trace":""#.utf8
        traceOffset = bytes.count
        bytes += Base64URL.encode(Self.trace(0))
        if load.receiptPercent > 0 {
            bytes += #"","receipt-hash":""#.utf8
            hashOffset = bytes.count
            bytes += Base64URL.encode(Self.receiptHash(0))
        } else {
            hashOffset = nil
        }
        bytes += #""}"#.utf8
        pattern = bytes
    }

    private static func head(_ topic: String) -> [UInt8] {
        Array(#"{"topic":"\#(topic)","class":"normal","recipients":["#.utf8)
    }

    /// - Parameter numbers: Numbers of the notifications; a single one in a mixed load.
    func body(_ numbers: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        write(numbers, over: &bytes)
        return bytes
    }

    /// Writes a body into an existing buffer; if that has a body of the same length, only the differing bytes are
    /// written.
    ///
    /// - Parameter bytes: Empty, or a body of the same load.
    func write(_ numbers: Range<Int>, over bytes: inout [UInt8]) {
        var head = head
        if case .parked = recipients[numbers.lowerBound] { head = parkedHead }
        let byteCount = head.count + numbers.count * (pattern.count + 1) + 1
        if bytes.count != byteCount { bytes = whole(head, numbers.count) }
        var span = bytes.mutableSpan
        var start = head.count
        for number in numbers {
            Self.write(recipients[number], over: &span, at: start + deviceOffset)
            Self.writeTrace(number, over: &span, at: start + traceOffset)
            if let hashOffset {
                for (index, byte) in Base64URL.encode(Self.receiptHash(number)).enumerated() {
                    span[start + hashOffset + index] = byte
                }
            }
            start += pattern.count + 1
        }
    }

    private func whole(_ head: [UInt8], _ count: Int) -> [UInt8] {
        var bytes = head
        bytes.reserveCapacity(head.count + count * (pattern.count + 1) + 1)
        for index in 0..<count {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += pattern
        }
        bytes += "]}".utf8
        return bytes
    }

    private static func write(_ recipient: ServiceRecipient, over span: inout MutableSpan<UInt8>, at offset: Int) {
        guard case .device(var number) = recipient else {
            for (index, byte) in recipient.deviceID.utf8.enumerated() { span[offset + index] = byte }
            return
        }
        // In a mixed load another kind's id may be here.
        let word: StaticString = "device-"
        for index in 0..<7 { span[offset + index] = unsafe word.utf8Start[index] }
        for index in (7..<15).reversed() {
            span[offset + index] = UInt8(truncatingIfNeeded: 48 + number % 10)
            number /= 10
        }
    }

    /// Writes `Base64URL.encode(trace(number))` without an array for each.
    private static func writeTrace(_ number: Int, over span: inout MutableSpan<UInt8>, at offset: Int) {
        var (buffer, bitCount, next) = (0, 0, offset)
        for index in 0..<16 {
            buffer = (buffer << 8 | (index < 8 ? 0x5A : number >> (56 - 8 * (index - 8)) & 0xFF)) & 0xFFFF
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                span[next] = alphabet[buffer >> bitCount & 0x3F]
                next += 1
            }
        }
        span[next] = alphabet[buffer << (6 - bitCount) & 0x3F]
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// 16 bytes that contain the number.
    static func trace(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0x5A, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// The notification number in a payload; nil for another's payload.
    static func number(payload: [UInt8]) -> Int? {
        if let number = ServiceEndpoints.number(payload: payload) { return number }
        // …"trace":"22 characters"}
        guard payload.count > 24, let trace = Base64URL.decode(payload[(payload.count - 24)..<(payload.count - 2)]),
            trace.count == 16, trace[..<8].allSatisfy({ $0 == 0x5A })
        else { return nil }
        return trace[8...].reduce(0) { $0 << 8 | Int($1) }
    }

    static func capability(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0xC3, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// - Source: docs/service.md, "Receipts".
    static func receiptHash(_ number: Int) -> [UInt8] {
        let context = Array("SealedPush/1 receipt".utf8)
        return SHA256.hash([UInt8(context.count)] + context + capability(number))
    }

    static func receipts(_ numbers: some Sequence<Int>) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("receipts")
            writer.array { writer in
                for number in numbers {
                    writer.object { writer in
                        writer.member("capability", Base64URL.string(capability(number)))
                        writer.member("code", "opened")
                    }
                }
            }
        }
        return writer.bytes
    }
}
