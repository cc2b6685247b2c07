package import Envelope
package import Keys
import Opening
import Platform
import Primitives

/// Messages that could not be opened when they came, still sealed (protocol v1, rule 19): the envelope, the push's trace and
/// the time of arrival. Nothing is judged here: expiry, replay and the signature count when the message is opened.
///
/// At most 64 envelopes and 256 KiB; the oldest are dropped for the newest. The oldest are the likeliest to have expired
/// when the device is unlocked. So a flood of 64 pushes out all that came before it, by who can push to the device: before
/// the first unlock nothing tells junk from a message. Whoever can do that could as well not have sent those. The same envelope is
/// kept once, so that repeating one costs no other its place.
package struct Spool: Hashable, Sendable {
    package static let envelopeCountMax = 64
    package static let byteCountMax = 256 * 1024

    private let folder: ArrivalFolder

    package init(folder path: String) {
        folder = ArrivalFolder(
            path: path,
            protection: .always,
            fileCountMax: Self.envelopeCountMax,
            byteCountMax: Self.byteCountMax
        )
    }

    /// The app's side: see `ArrivalFolder.prepare`. Without it nothing can be kept before the first unlock.
    func prepare() throws(ContainerError) { try folder.prepare() }

    /// What became of a spooled message.
    package enum Handling: Sendable {
        /// Opened, shown or refused for good: it leaves the spool.
        case done
        /// Still locked: it stays.
        case keep
    }

    /// - Parameters:
    ///   - envelope: of a message that cannot be opened now.
    ///   - trace: the push's; nil where it had none.
    ///   - now: the device's clock.
    /// - Throws: `ContainerError`; then the message is not kept.
    package func add(_ envelope: Envelope, trace: Trace?, now: Timestamp) throws(ContainerError) {
        try add(SpooledMessage(.envelope(envelope), trace: trace, arrivedAt: now))
    }

    /// - Throws: `ContainerError`; then the message is not kept.
    func add(_ message: SpooledMessage) throws(ContainerError) {
        var random = SystemRandom()
        try add(message, random: &random)
    }

    func add(_ message: SpooledMessage, random: inout some RandomSource) throws(ContainerError) {
        for name in try folder.names() {
            // One that cannot be read, as an earlier version may have left it, is another one.
            guard let bytes = try? folder.read(name), SpooledMessage(bytes: bytes)?.sealed == message.sealed else {
                continue
            }
            return
        }
        try folder.add(message.bytes, now: message.arrivedAt, random: &random)
    }

    /// Hands over every message, oldest first. One is removed only after it was handled: a process that is ended in
    /// between handles it again, and the replay window shows it once.
    ///
    /// - Parameter handle: opens the message, and says what became of it.
    /// - Throws: `ContainerError`; what was not handed over stays.
    package func drain(_ handle: (SpooledMessage) -> Handling) throws(ContainerError) {
        for name in try folder.names() {
            guard let bytes = try folder.read(name) else { continue }
            guard let message = SpooledMessage(bytes: bytes) else {
                try folder.remove(name)
                continue
            }
            if handle(message) == .done { try folder.remove(name) }
        }
    }

    /// Drops everything, also what is damaged.
    package func removeAll() throws(ContainerError) { try folder.removeAll() }

    /// Drops what was sealed to prekeys that are destroyed: nobody can open it any more.
    package func drop(sealedTo ids: [PrekeyID]) throws(ContainerError) {
        let ids = Set(ids.map(\.bytes))
        try drain { message in
            message.envelope.map { ids.contains($0.header.prekeyID) } == true ? .done : .keep
        }
    }
}

/// One message in the spool. As bytes: version ‖ arrival u64 ‖ trace: 0x00, or 0x01 ‖ 16 bytes ‖ what is sealed. Version 0x01 has
/// an envelope, 0x02 the field of a Web Push message.
package struct SpooledMessage: Equatable, Sendable {
    /// What a push carried.
    package enum Sealed: Equatable, Sendable {
        case envelope(Envelope)
        /// The text of the field `webpush`.
        case webPush(String)
    }

    /// More than a push can carry.
    private static let webPushByteCountMax = 4_096

    package let sealed: Sealed
    package let trace: Trace?
    package let arrivedAt: Timestamp

    /// Nil for a Web Push message.
    package var envelope: Envelope? { if case .envelope(let envelope) = sealed { envelope } else { nil } }

    init(_ sealed: Sealed, trace: Trace?, arrivedAt: Timestamp) {
        self.sealed = sealed
        self.trace = trace
        self.arrivedAt = arrivedAt
    }

    var bytes: [UInt8] {
        let (version, content): (UInt8, [UInt8]) =
            switch sealed {
            case .envelope(let envelope): (0x01, envelope.bytes)
            case .webPush(let field): (0x02, Array(field.utf8))
            }
        var bytes = [version]
        bytes.append(bigEndian: arrivedAt.milliseconds)
        bytes.append(trace)
        return bytes + content
    }

    /// - Returns: nil unless these are the bytes of one message.
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
        case 0x02:
            guard (1...webPushByteCountMax).contains(bytes.count),
                bytes.allSatisfy({ Base64URL.value(of: $0) != nil })
            else { return nil }
            return .webPush(String(decoding: bytes, as: UTF8.self))
        default: return nil
        }
    }
}
