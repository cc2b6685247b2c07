import Foundation
import Platform
import TestSupport
import Testing

@testable import NotificationCore

struct SharedFileTests {
    private let folder: TemporaryFolder
    private let file: SharedFile

    init() throws {
        folder = try TemporaryFolder()
        file = SharedFile(path: folder.path("file"))
    }

    private func write(_ bytes: [UInt8], ifMissing: SharedFile.IfMissing) throws -> Bool {
        try file.withLock(ifMissing: ifMissing) { handle throws(ContainerError) in
            try handle.write(bytes, at: 0)
        } != nil
    }

    private func read() throws -> [UInt8]? {
        try file.withLock(ifMissing: .refuse) { handle throws(ContainerError) in try handle.read(10, at: 0) }
    }

    @Test func `it is made where that is wanted, for its owner only, and reads as far as it goes`() throws {
        #expect(try !write([1, 2, 3], ifMissing: .refuse))
        #expect(try read() == nil)
        #expect(try write([1, 2, 3], ifMissing: .create))
        #expect(try read() == [1, 2, 3])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a link and a folder in its place are refused`() throws {
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: folder.path("elsewhere"))
        #expect(throws: ContainerError.self) { try write([1], ifMissing: .create) }
        #expect(try folder.names() == ["file"])
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: ContainerError.self) { try write([1], ifMissing: .create) }
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test(arguments: [SimulatedDevice.Storage.full, .readOnly])
    func `a device refuses what its storage refuses`(_ storage: SimulatedDevice.Storage) throws {
        var conditions = SimulatedDevice.Conditions()
        conditions.storage = storage
        let device = SimulatedDevice(
            appGroupsPath: nil,
            clock: ContinuousClock(),
            wallClock: { 0 },
            conditions: conditions
        )
        #expect(throws: storage == .full ? ContainerError.full : .system(call: "open", code: EROFS)) {
            try device.run { try write([1], ifMissing: .create) }
        }
        #expect(try write([1], ifMissing: .create))
        // A file that has its room already can be changed on a full disk.
        if storage == .full {
            #expect(try device.run { try write([2], ifMissing: .refuse) })
        } else {
            #expect(throws: ContainerError.self) { try device.run { try write([2], ifMissing: .refuse) } }
        }
    }
    #endif

    @Test func `nobody else is at it meanwhile, and a failure lets go of it`() throws {
        #expect(try write([0], ifMissing: .create))
        #expect(throws: ContainerError.damaged) {
            try file.withLock(ifMissing: .refuse) { _ throws(ContainerError) in throw .damaged }
        }
        let other = unsafe open(file.path, O_RDWR | O_CLOEXEC)
        defer { close(other) }
        let isFree = try file.withLock(ifMissing: .refuse) { _ throws(ContainerError) in
            flock(other, LOCK_EX | LOCK_NB) == 0
        }
        #expect(isFree == false)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }
}
