import BlobStorePattern
import Platform
import TestSupport
import Testing

@testable import BlobStore

struct LifetimeTests {
    private let site: Site

    init() throws { site = try Site() }

    @Test(arguments: [(nil, 14 * 86_400), (60, 60), (90 * 86_400, 30 * 86_400)] as [(UInt64?, UInt64)])
    func `a blob stays as long as was asked for, within limits (abuse case 67)`(_ asked: UInt64?, _ seconds: UInt64)
        throws
    {
        let upload = try site.blob([1, 2, 3], lifetime: asked)
        #expect(upload.expiry == Pattern.now + seconds)
        site.now = Pattern.now + seconds - 1
        #expect(try site.content(upload.id.blobID) == [1, 2, 3])
        #expect(try site.folder.collect(now: site.now) == 0)
        site.now += 1
        #expect(try site.content(upload.id.blobID) == nil)
        #expect(throws: BlobError.notFound) { try site.status(upload) }
        // No longer visible, and still counted until it is gone.
        #expect(site.usage.byteCount == 3)
        #expect(try site.folder.collect(now: site.now) == 1)
        #expect(try site.files().isEmpty && site.usage == Usage())
    }

    @Test func `an upload that nobody finishes is deleted after a day (abuse case 66)`() throws {
        let upload = try site.begin(10)
        _ = try site.append([1, 2], to: upload, at: 0)
        site.now += 86_399
        #expect(try site.folder.collect(now: site.now) == 0)
        #expect(try site.status(upload).offset == 2)
        site.now += 1
        #expect(throws: BlobError.notFound) { try site.append([3], to: upload, at: 2) }
        #expect(throws: BlobError.notFound) { try site.publish(upload) }
        #expect(try site.folder.collect(now: site.now) == 1)
        #expect(try site.files().isEmpty && site.usage == Usage())
    }

    @Test func `after a restart all is as it was`() throws {
        let blob = try site.blob([1, 2, 3])
        let upload = try site.begin(5)
        let next = try site.append([4, 5], to: upload, at: 0)
        let usage = site.usage
        try site.reopen()
        #expect(site.usage == usage)
        #expect(try site.content(blob.id.blobID) == [1, 2, 3])
        #expect(try site.status(upload) == next)
        _ = try site.append([6, 7, 8], to: upload, at: 2)
        _ = try site.publish(upload)
        #expect(try site.content(upload.id.blobID) == [4, 5, 6, 7, 8])
    }

    @Test func `a restart deletes what has expired meanwhile`() throws {
        _ = try site.blob([1, 2, 3], lifetime: 100)
        _ = try site.begin(5)
        site.now += 86_400
        try site.reopen()
        #expect(try site.files().isEmpty && site.usage == Usage())
    }

    @Test func `bytes behind the last acknowledged offset are written over`() throws {
        let upload = try site.begin(4)
        _ = try site.append([1, 2], to: upload, at: 0)
        // As a crash between the bytes and their offset leaves it.
        let file = try FolderFile.open(site.folder.layout.upload(upload.id), 1, "open")
        try file.write([9, 9], at: UInt64(BlobHeader.byteCount) + 2)
        try site.reopen()
        #expect(try site.status(upload).offset == 2)
        _ = try site.append([3, 4], to: upload, at: 2)
        _ = try site.publish(upload)
        #expect(try site.content(upload.id.blobID) == [1, 2, 3, 4])
    }

    @Test func `files of others are left alone, halves of ours are not`() throws {
        let layout = site.folder.layout
        let half = UploadID(random: &site.random)
        for path in [layout.upload(half), layout.uploads + "/README", layout.blobs + "/README"] {
            _ = try FolderFile.open(path, 0o101, "create")
        }
        let blob = try site.blob([1])
        let strange = layout.shard(blob.id.blobID) + "/" + String(repeating: "x", count: 43)
        _ = try FolderFile.open(strange, 0o101, "create")
        try site.reopen()
        site.now += 100 * 86_400
        try site.folder.collect(now: site.now)
        #expect(try FolderLayout.names(layout.uploads) == ["README"])
        #expect(try FolderLayout.names(layout.blobs).contains("README"))
        #expect(try FolderLayout.names(layout.shard(blob.id.blobID)).count == 1)
    }

    @Test func `a folder has one owner`() throws {
        #expect(throws: BlobError.folderInUse) { try BlobFolder.open(site.place.path("blobs"), now: Pattern.now) }
    }

    @Test func `a blob whose file was cut is not there`() throws {
        let upload = try site.blob([1, 2, 3])
        let path = site.folder.layout.blob(upload.id.blobID)
        #expect(unsafe truncate(path, off_t(BlobHeader.byteCount) + 2) == 0)
        #expect(try site.content(upload.id.blobID) == nil)
    }
}
