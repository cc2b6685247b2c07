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

    let file: ArrivalFile
    /// Records the time of the last publication.
    private let publicationPath: String

    package init(path: String) {
        file = ArrivalFile(
            path: path,
            protection: .untilFirstUnlock,
            countMax: Self.markerCountMax,
            itemByteCountMax: ResendMarker.byteCountMax
        )
        publicationPath = path + "-published"
    }

    func prepare() throws(ContainerError) { try file.prepare() }

    /// Adds a marker, in the extension. One for each trace: a failed re-send is not requested again. The newest 64 are
    /// kept: the oldest messages expire first.
    ///
    /// - Parameter trace: nil if the push had none; then only a new bundle helps.
    package func add(trace: Trace?, prekeyID: PrekeyID, now: Timestamp) throws(ContainerError) {
        let marker = ResendMarker(trace: trace, prekeyID: prekeyID, time: now, isRequested: false)
        // Without a trace the marker is renewed, to have the newest time.
        try file.add(marker.bytes, key: marker.key, now: now, renews: trace == nil) {
            ResendMarker(bytes: $0)?.key == marker.key
        }
    }

    /// Messages to request from the relay: at most 64, oldest first, each once. Only newer markers displace one, no
    /// clock.
    ///
    /// - Parameter isBounded: applies `requestCountMax`.
    package func pendingResends(isBounded: Bool = false) throws(ContainerError) -> [ResendRequest] {
        let markers = try stored()
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
        for marker in try stored() where !marker.isRequested {
            guard let trace = marker.trace, traces.contains(trace) else { continue }
            let requested = ResendMarker(
                trace: trace,
                prekeyID: marker.prekeyID,
                time: marker.time,
                isRequested: true
            )
            try file.add(requested.bytes, key: requested.key, now: marker.time, renews: true) {
                ResendMarker(bytes: $0)?.key == requested.key
            }
        }
    }

    /// True if a message for a missing prekey came since the last publication, an hour ago or longer.
    package func needsNewBundle(now: Timestamp) throws(ContainerError) -> Bool {
        let all = try stored()
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

    func removeAll() throws(FileError) {
        for path in [file.path, publicationPath] { try PrivateFolder.remove(path) }
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

    private func stored() throws(ContainerError) -> [ResendMarker] {
        var stored: [ResendMarker] = []
        for item in try file.items() {
            if let marker = try file.read(item, ResendMarker.init(bytes:)) { stored.append(marker) }
        }
        return stored
    }
}

/// Bytes: version 0x01 ‖ requested: 0x00 or 0x01 ‖ trace: 0x00, or 0x01 ‖ 16 bytes ‖ prekey id 8 ‖ time u64.
struct ResendMarker: Equatable {
    private static let version: UInt8 = 0x01
    /// With a trace.
    fileprivate static let byteCountMax = 2 + 1 + Trace.byteCount + PrekeyID.byteCount + 8

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
