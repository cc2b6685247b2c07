import BlobStorePattern
import Envelope
import Glibc
import Platform
import Primitives
import TestSupport
import Testing

@testable import BlobStore

/// A folder of blobs with a clock that is moved by hand, and two tenants.
final class Site {
    let place: TemporaryFolder
    private(set) var folder: BlobFolder
    let limits: BlobLimits
    private let clock = Guarded(Pattern.now)
    var random = SeededRandom(seed: 1)

    /// 10,000 bytes and three uploads.
    static let acme = Tenant(name: "acme", byteCountMax: 10_000, uploadCountMax: 3)
    static let globex = Tenant(name: "globex", byteCountMax: 10_000, uploadCountMax: 3)

    init(limits: BlobLimits = BlobLimits()) throws {
        self.limits = limits
        place = try TemporaryFolder()
        folder = try BlobFolder.open(place.path("blobs"), limits: limits, now: Pattern.now)
    }

    var now: UInt64 {
        get { clock.withLock { $0 } }
        set { clock.withLock { $0 = newValue } }
    }

    /// Opens the folder again, as after a restart.
    func reopen() throws {
        // The folder's lock goes with it.
        folder = try open("elsewhere")
        folder = try open("blobs")
    }

    /// Until its exec, another test's child may hold a copy of the lock.
    private func open(_ name: String) throws(BlobError) -> BlobFolder {
        while true {
            do throws(BlobError) {
                return try BlobFolder.open(place.path(name), limits: limits, now: now)
            } catch BlobError.folderInUse {
                sched_yield()
            }
        }
    }

    func begin(_ byteCount: UInt64, for tenant: Tenant = acme, lifetime: UInt64? = nil) throws -> UploadStatus {
        try folder.create(for: tenant, byteCount: byteCount, lifetime: lifetime, now: now, random: &random)
    }

    func append(
        _ bytes: [UInt8],
        to upload: UploadStatus,
        of tenant: Tenant = acme,
        at offset: UInt64
    ) throws -> UploadStatus {
        try folder.append(bytes, to: upload.id, of: tenant, at: offset, now: now)
    }

    func status(_ upload: UploadStatus, of tenant: Tenant = acme) throws -> UploadStatus {
        try folder.status(upload.id, of: tenant, now: now)
    }

    func publish(_ upload: UploadStatus) throws -> UploadStatus {
        try folder.publish(upload.id, of: Self.acme, now: now)
    }

    func abandon(_ upload: UploadStatus, of tenant: Tenant = acme) throws {
        try folder.abandon(upload.id, of: tenant, now: now)
    }

    func blob(_ bytes: [UInt8], lifetime: UInt64? = nil) throws -> UploadStatus {
        let upload = try begin(UInt64(bytes.count), lifetime: lifetime)
        _ = try append(bytes, to: upload, at: 0)
        return try publish(upload)
    }

    func content(_ id: BlobID) throws -> [UInt8]? {
        guard let blob = try folder.read(id, now: now) else { return nil }
        return try blob.file.read(Int(blob.header.byteCount), at: OpenBlob.dataOffset)
    }

    var usage: Usage { folder.state.withLock { $0.usage[Self.acme.key] ?? Usage() } }

    func files() throws -> [String] {
        let layout = folder.layout
        let shards = try FolderLayout.names(layout.blobs)
        let blobs = try shards.flatMap { try FolderLayout.names("\(layout.blobs)/\($0)") }
        return try FolderLayout.names(layout.uploads) + blobs
    }

    // MARK: HTTP

    static let acmeToken = "acme-token"
    static let globexToken = "globex-token"

    func service() throws -> BlobService {
        let lines = [("acme", Self.acmeToken), ("globex", Self.globexToken)].map { name, token in
            "\(name) \(Self.hash(token)) 10000 3"
        }
        return BlobService(
            folder: folder,
            tenants: try TenantList(lines.joined(separator: "\n")),
            now: { [clock] in clock.withLock { $0 } }
        )
    }

    static func hash(_ token: String) -> String {
        Base64URL.string(SHA256.hash(Array(token.utf8)))
    }
}
