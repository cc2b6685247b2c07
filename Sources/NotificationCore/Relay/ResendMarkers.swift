package import Envelope
package import Keys
import Platform
package import Primitives

/// Markers of messages that were sealed to a prekey which this device does not have, or no longer has (protocol v1, rule
/// 20): trace, prekey id and time. Nothing else can be known of a message that cannot be opened, so nothing else is in one.
///
/// The bundle is published when `needsNewBundle`; then the relay is asked, by trace, for each of `pendingResends`.
package struct ResendMarkers: Sendable {
    static let markerCountMax = 64
    /// Requests for one prekey that may be made between two publications of the bundle, where they are bounded. A sender
    /// that goes on with an old bundle answers each with another message that cannot be opened.
    static let requestCountMax = 8
    private static let skewMax: Duration = .seconds(5 * 60)
    /// Junk ids must not make the app publish without end.
    private static let publicationIntervalMin: Duration = .seconds(3_600)

    private let markers: ArrivalFolder
    /// Holds the time of the last publication.
    private let publicationPath: String

    package init(folder path: String) {
        markers = ArrivalFolder(
            path: path,
            protection: .untilFirstUnlock,
            fileCountMax: Self.markerCountMax,
            byteCountMax: 64 * 1024
        )
        publicationPath = path + "-published"
    }

    /// The app's side: see `ArrivalFolder.prepare`.
    func prepare() throws(ContainerError) { try markers.prepare() }

    /// The extension's side. A trace that has a marker gets no second one, asked for or not: a re-send that cannot be
    /// opened either must not be asked for without end. Of more than 64 markers, the newest are kept: the oldest messages
    /// are the first to expire.
    ///
    /// - Parameters:
    ///   - trace: the push's; nil where it had none, and then only a new bundle can help.
    ///   - prekeyID: 8 bytes, from the envelope's header.
    ///   - now: the device's clock.
    /// - Throws: `ContainerError`; then there is no marker.
    package func add(trace: Trace?, prekeyID: PrekeyID, now: Timestamp) throws(ContainerError) {
        var random = SystemRandom()
        try add(trace: trace, prekeyID: prekeyID, now: now, random: &random)
    }

    package func add(
        trace: Trace?,
        prekeyID: PrekeyID,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(ContainerError) {
        let marker = ResendMarker(trace: trace, prekeyID: prekeyID, time: now, isRequested: false)
        let isKnown = try stored().contains { stored in
            trace == nil
                ? stored.marker.trace == nil && stored.marker.prekeyID == prekeyID : stored.marker.trace == trace
        }
        // A push without a trace is marked again, so that its time is the newest; the old marker makes room.
        if isKnown, trace != nil { return }
        if isKnown { try remove { $0.trace == nil && $0.prekeyID == prekeyID } }
        try markers.add(marker.bytes, now: now, random: &random)
    }

    /// The messages to ask the relay for, oldest first, each once. No clock removes a marker: newer ones do.
    ///
    /// - Parameter isBounded: whether `requestCountMax` holds.
    /// - Returns: at most 64.
    /// - Throws: `ContainerError`.
    package func pendingResends(isBounded: Bool = false) throws(ContainerError) -> [ResendRequest] {
        let markers = try stored().map(\.marker)
        let publication = try lastPublication()
        var counts: [PrekeyID: Int] = [:]
        for marker in markers where marker.isRequested && publication.map({ marker.time > $0 }) ?? true {
            counts[marker.prekeyID, default: 0] += 1
        }
        var requests: [ResendRequest] = []
        for marker in markers where !marker.isRequested {
            guard let trace = marker.trace, !requests.contains(where: { $0.trace == trace }) else { continue }
            guard !isBounded || counts[marker.prekeyID, default: 0] < Self.requestCountMax else { continue }
            counts[marker.prekeyID, default: 0] += 1
            requests.append(ResendRequest(trace: trace, prekeyID: marker.prekeyID))
        }
        return requests
    }

    /// The relay was asked for these. It is not asked for them again.
    ///
    /// - Parameter traces: of `pendingResends`.
    /// - Throws: `ContainerError`.
    package func resendRequested(_ traces: [Trace]) throws(ContainerError) {
        var random = SystemRandom()
        for (name, marker) in try stored() where !marker.isRequested {
            guard let trace = marker.trace, traces.contains(trace) else { continue }
            let requested = ResendMarker(
                trace: trace,
                prekeyID: marker.prekeyID,
                time: marker.time,
                isRequested: true
            )
            // In this order no other marker must make room for a moment.
            try markers.remove(name)
            try markers.add(requested.bytes, now: marker.time, random: &random)
        }
    }

    /// Whether senders should get the bundle again: a message for a prekey that is not here has come since the last
    /// publication, and that was an hour ago or longer.
    ///
    /// - Parameter now: the device's clock.
    /// - Returns: false where there is no marker.
    /// - Throws: `ContainerError`.
    package func needsNewBundle(now: Timestamp) throws(ContainerError) -> Bool {
        let all = try stored().map(\.marker)
        guard let last = try lastPublication(), last <= now.advanced(by: Self.skewMax) else { return !all.isEmpty }
        return now >= last.advanced(by: Self.publicationIntervalMin) && all.contains { $0.time > last }
    }

    /// The relay has the bundle.
    ///
    /// - Parameter now: the device's clock.
    /// - Throws: `ContainerError`.
    package func bundlePublished(now: Timestamp) throws(ContainerError) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: now.milliseconds)
        do throws(FileError) {
            try WholeFile.write(bytes, to: publicationPath, access: .protected(.untilFirstUnlock))
        } catch {
            throw ContainerError(error)
        }
    }

    /// The device forgets its person, and what was missed with it.
    package func removeAll() throws(ContainerError) {
        try markers.removeAll()
        do throws(FileError) { try PrivateFolder.remove(publicationPath) } catch { throw ContainerError(error) }
    }

    /// - Returns: nil where there was none, or its record is damaged: to publish once too often does no harm.
    private func lastPublication() throws(ContainerError) -> Timestamp? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.read(publicationPath, byteCountMax: 8)
        } catch {
            switch error {
            case .notFound, .tooLarge: return nil
            default: throw ContainerError(error)
            }
        }
        var reader = ByteReader(bytes[...])
        return reader.take(UInt64.self).map { Timestamp(milliseconds: $0) }
    }

    private func stored() throws(ContainerError) -> [(name: String, marker: ResendMarker)] {
        var stored: [(name: String, marker: ResendMarker)] = []
        for name in try markers.names() {
            guard let bytes = try markers.read(name), let marker = ResendMarker(bytes: bytes) else { continue }
            stored.append((name, marker))
        }
        return stored
    }

    private func remove(where isToRemove: (ResendMarker) -> Bool) throws(ContainerError) {
        for (name, marker) in try stored() where isToRemove(marker) { try markers.remove(name) }
    }
}

/// As bytes: version 0x01 ‖ requested: 0x00 or 0x01 ‖ trace: 0x00, or 0x01 ‖ 16 bytes ‖ prekey id 8 ‖ time u64.
struct ResendMarker: Equatable {
    private static let version: UInt8 = 0x01

    let trace: Trace?
    let prekeyID: PrekeyID
    let time: Timestamp
    let isRequested: Bool

    init(trace: Trace?, prekeyID: PrekeyID, time: Timestamp, isRequested: Bool) {
        self.trace = trace
        self.prekeyID = prekeyID
        self.time = time
        self.isRequested = isRequested
    }

    var bytes: [UInt8] {
        var bytes = [Self.version, isRequested ? 0x01 : 0x00]
        bytes.append(trace)
        bytes += prekeyID.bytes
        bytes.append(bigEndian: time.milliseconds)
        return bytes
    }

    /// - Returns: nil unless these are the bytes of one marker.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard reader.take(UInt8.self) == Self.version, let requested = reader.take(UInt8.self), requested <= 1,
            let trace = reader.takeTrace(), let id = reader.take(PrekeyID.byteCount).flatMap({ PrekeyID($0) }),
            let time = reader.take(UInt64.self), reader.remainingByteCount == 0
        else { return nil }
        self.trace = trace.value
        prekeyID = id
        self.time = Timestamp(milliseconds: time)
        isRequested = requested == 1
    }
}
