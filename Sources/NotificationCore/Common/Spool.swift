package import Envelope
package import Keys
import Opening
import Platform
import Primitives
package import WebPush

/// Sealed messages that could not be opened on arrival (protocol v1, rule 19), with trace and time, unjudged.
///
/// At most 64 envelopes; the oldest, likeliest to have expired, make room. Before the first unlock junk is not
/// recognized: a flood of 64 displaces all earlier ones, but a party that can push could also withhold them. A repeated
/// envelope is kept once.
package struct Spool: Hashable, Sendable {
    package static let envelopeCountMax = 64

    let file: ArrivalFile

    var path: String { file.path }

    package init(path: String) {
        file = ArrivalFile(
            path: path,
            protection: .always,
            countMax: Self.envelopeCountMax,
            itemByteCountMax: SpooledMessage.byteCountMax
        )
    }

    /// Makes the file, in the app; until then nothing is kept before the first unlock.
    func prepare() throws(ContainerError) { try file.prepare() }

    /// Result of handling a spooled message.
    package enum Handling: Sendable {
        /// Opened, shown or refused for good: remove.
        case done
        /// Still locked: keep.
        case keep
    }

    /// - Throws: `ContainerError`; then the message is not kept.
    package func add(_ envelope: Envelope, trace: Trace?, now: Timestamp) throws(ContainerError) {
        try add(SpooledMessage(.envelope(envelope), trace: trace, arrivedAt: now))
    }

    func add(_ message: SpooledMessage) throws(ContainerError) {
        let (key, bytes) = (message.key, message.bytes)
        // No honest record is longer, and none that is can be opened.
        guard bytes.count <= SpooledMessage.byteCountMax else { return }
        try file.add(bytes, key: key, now: message.arrivedAt) { SpooledMessage(bytes: $0)?.key == key }
    }

    /// Passes every message to `handle`, oldest first, then removes it. A process killed in between repeats it; the
    /// replay window shows it once.
    ///
    /// - Throws: `ContainerError`; what was not passed stays.
    package func drain(_ handle: (SpooledMessage) -> Handling) throws(ContainerError) {
        for item in try file.items() {
            guard let message = try file.read(item, SpooledMessage.init(bytes:)) else { continue }
            if handle(message) == .done { try file.remove([item]) }
        }
    }

    /// Removes messages sealed to destroyed prekeys.
    package func drop(sealedTo ids: [PrekeyID]) throws(ContainerError) {
        let ids = Set(ids.map(\.bytes))
        try drain { message in
            message.envelope.map { ids.contains($0.header.prekeyID) } == true ? .done : .keep
        }
    }
}

/// Message in the spool. Bytes: version ‖ arrival u64 ‖ trace: 0x00, or 0x01 ‖ 16 bytes ‖ sealed content: version
/// 0x01 an envelope, 0x02 a Web Push field, 0x03 the hint of its endpoint and a Web Push field, 0x04 the same
/// in `aesgcm`. An empty field: the relay has the record.
package struct SpooledMessage: Equatable, Sendable {
    /// Sealed content of a push.
    package enum Sealed: Equatable, Sendable {
        case envelope(Envelope)
        /// Text of the field `webpush`.
        case webPush(String, WebPushCoding = .aes128gcm, endpoint: [UInt8]? = nil)
    }

    private static let webPushByteCountMax = (WebPushCoding.aesgcm.recordByteCountMax * 8 + 5) / 6
    /// With a trace.
    fileprivate static let byteCountMax = 1 + 8 + 1 + Trace.byteCount + EndpointID.hintByteCount + webPushByteCountMax

    package let sealed: Sealed
    package let trace: Trace?
    package let arrivedAt: Timestamp

    /// Nil for Web Push.
    package var envelope: Envelope? { if case .envelope(let envelope) = sealed { envelope } else { nil } }

    init(_ sealed: Sealed, trace: Trace?, arrivedAt: Timestamp) {
        self.sealed = sealed
        self.trace = trace
        self.arrivedAt = arrivedAt
    }

    /// The same with the record that the relay had.
    func with(_ record: [UInt8]) -> SpooledMessage {
        guard case .webPush(_, let coding, let hint) = sealed else { return self }
        let field = Base64URL.string(record)
        return SpooledMessage(.webPush(field, coding, endpoint: hint), trace: trace, arrivedAt: arrivedAt)
    }

    /// Bytes that no other message has: the sealed content, and the trace if it names the record.
    fileprivate var key: [UInt8] {
        let (version, content) = content
        var key = [version] + content
        if case .webPush("", _, _) = sealed { key.append(trace) }
        return key
    }

    private var content: (version: UInt8, bytes: [UInt8]) {
        switch sealed {
        case .envelope(let envelope): (0x01, envelope.bytes)
        case .webPush(let field, _, nil): (0x02, Array(field.utf8))
        case .webPush(let field, .aes128gcm, let hint?): (0x03, hint + field.utf8)
        case .webPush(let field, .aesgcm, let hint?): (0x04, hint + field.utf8)
        }
    }

    /// Bytes in the spool.
    package var bytes: [UInt8] {
        let (version, content) = content
        var bytes = [version]
        bytes.append(bigEndian: arrivedAt.milliseconds)
        bytes.append(trace)
        return bytes + content
    }

    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard let version = reader.take(UInt8.self), let arrival = reader.take(UInt64.self),
            let trace = reader.takeTrace(), let rest = reader.take(reader.remainingByteCount),
            let sealed = Self.sealed(version, Array(rest))
        else { return nil }
        self.sealed = sealed
        self.trace = trace.value
        arrivedAt = Timestamp(milliseconds: arrival)
    }

    private static func sealed(_ version: UInt8, _ bytes: [UInt8]) -> Sealed? {
        switch version {
        case 0x01: do { return .envelope(try Envelope(bytes: bytes)) } catch { return nil }
        case 0x02: return field(bytes[...]).map { .webPush($0) }
        case 0x03, 0x04:
            let hint = Array(bytes.prefix(EndpointID.hintByteCount))
            let coding: WebPushCoding = version == 0x04 ? .aesgcm : .aes128gcm
            guard hint.count == EndpointID.hintByteCount else { return nil }
            return field(bytes.dropFirst(hint.count), mayBeEmpty: true).map { .webPush($0, coding, endpoint: hint) }
        default: return nil
        }
    }

    private static func field(_ bytes: ArraySlice<UInt8>, mayBeEmpty: Bool = false) -> String? {
        guard mayBeEmpty || !bytes.isEmpty, bytes.count <= webPushByteCountMax,
            bytes.allSatisfy({ Base64URL.value(of: $0) != nil })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
