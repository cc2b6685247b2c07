package import Envelope
package import Keys
import Opening
package import Primitives

/// Messages that came while the device was locked, still sealed (protocol v1, rule 19): the envelope, the push's trace and
/// the time of arrival. Nothing is judged here: expiry, replay and the signature count when the message is opened.
///
/// At most 64 envelopes and 256 KiB; the oldest are dropped for the newest. The oldest are the likeliest to have expired
/// when the device is unlocked, and a relay that sent many to push others out could as well not have sent those. The same
/// envelope is kept once, so that repeating one costs no other its place.
package struct Spool: Sendable {
    package static let envelopeCountMax = 64
    package static let byteCountMax = 256 * 1024

    private let folder: ArrivalFolder

    package init(folder path: String) {
        folder = ArrivalFolder(path: path, fileCountMax: Self.envelopeCountMax, byteCountMax: Self.byteCountMax)
    }

    /// What became of a spooled message.
    package enum Handling: Sendable {
        /// Opened, shown or refused for good: it leaves the spool.
        case done
        /// Still locked: it stays.
        case keep
    }

    /// - Parameters:
    ///   - envelope: sealed to a prekey that is locked.
    ///   - trace: the push's; nil where it had none.
    ///   - now: the device's clock.
    /// - Throws: `ContainerError`; then the message is not kept.
    package func add(_ envelope: Envelope, trace: Trace?, now: Timestamp) throws(ContainerError) {
        var random = SystemRandom()
        try add(envelope, trace: trace, now: now, random: &random)
    }

    package func add(
        _ envelope: Envelope,
        trace: Trace?,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(ContainerError) {
        for name in try folder.names() {
            guard let bytes = try folder.read(name), SpooledMessage(bytes: bytes)?.envelope == envelope else {
                continue
            }
            return
        }
        let message = SpooledMessage(envelope: envelope, trace: trace, arrivedAt: now)
        try folder.add(message.bytes, now: now, random: &random)
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
        try drain { ids.contains($0.envelope.header.prekeyID) ? .done : .keep }
    }
}

/// One message in the spool. As bytes: version 0x01 ‖ arrival u64 ‖ trace: 0x00, or 0x01 ‖ 16 bytes ‖ envelope.
package struct SpooledMessage: Equatable, Sendable {
    private static let version: UInt8 = 0x01

    package let envelope: Envelope
    package let trace: Trace?
    package let arrivedAt: Timestamp

    init(envelope: Envelope, trace: Trace?, arrivedAt: Timestamp) {
        self.envelope = envelope
        self.trace = trace
        self.arrivedAt = arrivedAt
    }

    var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.append(bigEndian: arrivedAt.milliseconds)
        bytes.append(trace)
        return bytes + envelope.bytes
    }

    /// - Returns: nil unless these are the bytes of one message.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard reader.take(UInt8.self) == Self.version, let arrival = reader.take(UInt64.self),
            let trace = reader.takeTrace(), let rest = reader.take(reader.remainingByteCount)
        else { return nil }
        do {
            envelope = try Envelope(bytes: rest)
        } catch {
            return nil
        }
        self.trace = trace.value
        arrivedAt = Timestamp(milliseconds: arrival)
    }
}
