package import Envelope
package import Keys
import Platform
import Primitives

/// Markers {trace, prekey id, time} of messages whose prekey this device lacks (protocol v1, rule 20). Publish the
/// bundle when `needsNewBundle`, then request each of `pendingResends`.
package struct ResendMarkers: Sendable {
    static let markerCountMax = 64
    /// Requests per prekey between two publications, when bounded: a sender with an old bundle answers each with
    /// another message that cannot be opened.
    static let requestCountMax = 8
    private static let skewMax: Duration = .seconds(5 * 60)
    /// Stops junk ids from causing endless publications.
    private static let publicationIntervalMin: Duration = .seconds(3_600)

    private let markers: ArrivalFolder
    /// Records the time of the last publication.
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

    func prepare() throws(ContainerError) { try markers.prepare() }

    /// Adds a marker, in the extension. One for each trace: a failed re-send is not requested again. The newest 64 are
    /// kept: the oldest messages expire first.
    ///
    /// - Parameter trace: nil if the push had none; then only a new bundle helps.
    package func add(trace: Trace?, prekeyID: PrekeyID, now: Timestamp) throws(ContainerError) {
        let marker = ResendMarker(trace: trace, prekeyID: prekeyID, time: now, isRequested: false)
        // Without a trace the marker is renewed, to have the newest time.
        if trace == nil { try remove { $0.trace == nil && $0.prekeyID == prekeyID } }
        try markers.add(marker.bytes, key: marker.key, now: now) { ResendMarker(bytes: $0)?.trace == trace }
    }

    /// Messages to request from the relay: at most 64, oldest first, each once. Only newer markers displace one, no
    /// clock.
    ///
    /// - Parameter isBounded: applies `requestCountMax`.
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

    /// Marks these as requested, so that they are not requested again.
    package func resendRequested(_ traces: [Trace]) throws(ContainerError) {
        for (name, marker) in try stored() where !marker.isRequested {
            guard let trace = marker.trace, traces.contains(trace) else { continue }
            let requested = ResendMarker(
                trace: trace,
                prekeyID: marker.prekeyID,
                time: marker.time,
                isRequested: true
            )
            // In this order no other marker is displaced.
            try markers.remove(name)
            try markers.add(requested.bytes, key: requested.key, now: marker.time) { _ in false }
        }
    }

    /// True if a message for a missing prekey came since the last publication, an hour ago or longer.
    package func needsNewBundle(now: Timestamp) throws(ContainerError) -> Bool {
        let all = try stored().map(\.marker)
        guard let last = try lastPublication(), last <= now.advanced(by: Self.skewMax) else { return !all.isEmpty }
        return now >= last.advanced(by: Self.publicationIntervalMin) && all.contains { $0.time > last }
    }

    package func bundlePublished(now: Timestamp) throws(ContainerError) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: now.milliseconds)
        do throws(FileError) {
            try WholeFile.write(bytes, to: publicationPath, access: .protected(.untilFirstUnlock))
        } catch {
            throw ContainerError(error)
        }
    }

    package func removeAll() throws(ContainerError) {
        try markers.removeAll()
        do throws(FileError) { try PrivateFolder.remove(publicationPath) } catch { throw ContainerError(error) }
    }

    /// - Returns: nil if missing or damaged: publishing too often is harmless.
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

/// Bytes: version 0x01 ‖ requested: 0x00 or 0x01 ‖ trace: 0x00, or 0x01 ‖ 16 bytes ‖ prekey id 8 ‖ time u64.
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

    /// Bytes that no other marker has.
    var key: [UInt8] { trace?.rawRepresentation ?? prekeyID.bytes }

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
