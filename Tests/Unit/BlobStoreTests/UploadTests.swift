import BlobStorePattern
import TestSupport
import Testing

@testable import BlobStore

/// Uploads from their beginning to the blob, and every way to do it wrong.
struct UploadTests {
    private let site: Site

    init() throws { site = try Site() }

    @Test func `parts become one blob, which nobody sees before`() throws {
        let upload = try site.begin(11)
        #expect(try site.content(upload.id.blobID) == nil)
        #expect(try site.append(Array("hello ".utf8), to: upload, at: 0).offset == 6)
        #expect(try site.append(Array("world".utf8), to: upload, at: 6).offset == 11)
        #expect(try site.content(upload.id.blobID) == nil)
        let published = try site.publish(upload)
        #expect(published.isPublished && published.offset == 11)
        #expect(try site.content(upload.id.blobID) == Array("hello world".utf8))
        #expect(try site.status(upload) == published)
        #expect(try site.files() == [upload.id.blobID.text])
    }

    @Test func `an upload of nothing is a blob of nothing`() throws {
        #expect(try site.content(site.blob([]).id.blobID) == [])
    }

    @Test(arguments: [0, 1, 5, 7, UInt64.max])
    func `an append at another offset changes nothing and says the right one (abuse case 66)`(_ offset: UInt64) throws {
        let upload = try site.begin(10)
        let next = try site.append([1, 2, 3, 4, 5, 6], to: upload, at: 0)
        #expect(throws: BlobError.wrongOffset(next)) { try site.append([9], to: upload, at: offset) }
        #expect(try site.append([7, 8, 9, 10], to: upload, at: 6).offset == 10)
        _ = try site.publish(upload)
        #expect(try site.content(upload.id.blobID) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test func `more than was declared changes nothing (abuse case 66)`() throws {
        let upload = try site.begin(3)
        let next = try site.append([1, 2], to: upload, at: 0)
        #expect(throws: BlobError.tooLong(next)) { try site.append([3, 4], to: upload, at: 2) }
        #expect(try site.append([3], to: upload, at: 2).offset == 3)
        let full = try site.status(upload)
        #expect(throws: BlobError.tooLong(full)) { try site.append([4], to: upload, at: 3) }
    }

    @Test func `less than was declared is no blob (abuse case 66)`() throws {
        let upload = try site.begin(3)
        let next = try site.append([1, 2], to: upload, at: 0)
        #expect(throws: BlobError.incomplete(next)) { try site.publish(upload) }
        #expect(try site.content(upload.id.blobID) == nil)
    }

    @Test func `a blob cannot be uploaded to again (abuse case 66)`() throws {
        let upload = try site.blob([1, 2, 3])
        #expect(throws: BlobError.notFound) { try site.append([9, 9, 9], to: upload, at: 0) }
        #expect(throws: BlobError.notFound) { try site.publish(upload) }
        #expect(try site.content(upload.id.blobID) == [1, 2, 3])
    }

    @Test func `another tenant's upload is not there (abuse case 66)`() throws {
        let upload = try site.begin(3)
        #expect(throws: BlobError.notFound) { try site.append([1], to: upload, of: Site.globex, at: 0) }
        #expect(throws: BlobError.notFound) { try site.status(upload, of: Site.globex) }
        #expect(throws: BlobError.notFound) { try site.abandon(upload, of: Site.globex) }
        let blob = try site.blob([1])
        #expect(throws: BlobError.notFound) { try site.status(blob, of: Site.globex) }
        #expect(throws: BlobError.notFound) { try site.abandon(blob, of: Site.globex) }
        #expect(try site.content(blob.id.blobID) == [1])
    }

    @Test func `of many appends at one offset one is taken (abuse case 66)`() async throws {
        let upload = try site.begin(64)
        let folder = site.folder
        let taken = await withTaskGroup(of: UInt8?.self) { group in
            for number in UInt8(1)...16 {
                group.addTask {
                    let bytes = [UInt8](repeating: number, count: 64)
                    do throws(BlobError) {
                        _ = try folder.append(bytes, to: upload.id, of: Site.acme, at: 0, now: Pattern.now)
                        return number
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: [UInt8]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(taken.count == 1)
        _ = try site.publish(upload)
        #expect(try site.content(upload.id.blobID) == [UInt8](repeating: try #require(taken.first), count: 64))
    }

    @Test func `an abandoned upload is gone and its bytes are free (abuse case 66)`() throws {
        let upload = try site.begin(10_000)
        _ = try site.append([1, 2, 3], to: upload, at: 0)
        try site.abandon(upload)
        #expect(try site.files().isEmpty && site.usage == Usage())
        #expect(throws: BlobError.notFound) { try site.status(upload) }
        #expect(throws: BlobError.notFound) { try site.abandon(upload) }
        _ = try site.begin(10_000)
    }

    @Test func `a tenant deletes its blob through the upload`() throws {
        let upload = try site.blob([1, 2, 3])
        try site.abandon(upload)
        #expect(try site.content(upload.id.blobID) == nil && site.files().isEmpty && site.usage == Usage())
    }

    @Test func `what is declared counts from the beginning, and stays counted as a blob (abuse case 66)`() throws {
        let upload = try site.begin(6_000)
        #expect(throws: BlobError.quotaExceeded) { try site.begin(4_001) }
        _ = try site.append([UInt8](repeating: 1, count: 6_000), to: upload, at: 0)
        _ = try site.publish(upload)
        #expect(site.usage == Usage(byteCount: 6_000, uploadCount: 0))
        #expect(throws: BlobError.quotaExceeded) { try site.begin(4_001) }
        _ = try site.begin(4_000)
        #expect(throws: BlobError.quotaExceeded) { try site.begin(1) }
        // Another tenant has its own.
        _ = try site.begin(10_000, for: Site.globex)
    }

    @Test func `a tenant has so many uploads at once (abuse case 66)`() throws {
        let uploads = try (0..<3).map { _ in try site.begin(1) }
        #expect(throws: BlobError.tooManyUploads) { try site.begin(1) }
        _ = try site.append([1], to: uploads[0], at: 0)
        _ = try site.publish(uploads[0])
        _ = try site.begin(1)
    }

    @Test func `one blob has a length that it may not exceed`() throws {
        var limits = BlobLimits()
        limits.byteCountMax = 100
        let site = try Site(limits: limits)
        #expect(throws: BlobError.tooLarge(byteCountMax: 100)) { try site.begin(101) }
        #expect(throws: BlobError.tooLarge(byteCountMax: 100)) { try site.begin(.max) }
        #expect(site.usage == Usage())
        _ = try site.begin(100)
    }
}
