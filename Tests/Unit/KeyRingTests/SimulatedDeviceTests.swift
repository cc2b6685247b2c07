#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import Envelope
import Keys
import Platform
import TestSupport
import Testing

@testable import Opening

struct SimulatedDeviceTests {
    private let folder: TemporaryFolder
    private let device = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { 1_800_000_000_000 })
    private var path: String { folder.path + "/file" }

    init() throws { folder = try TemporaryFolder() }

    @Test func `code on a simulated device sees its date, and other code the system's`() {
        #expect(device.run { Timestamp.now } == Timestamp(milliseconds: 1_800_000_000_000))
        #expect(Timestamp.now != Timestamp(milliseconds: 1_800_000_000_000))
    }

    @Test func `a task that code on the device starts is on the device too`() async {
        let task = device.run { Task { Timestamp.now } }
        #expect(await task.value == Timestamp(milliseconds: 1_800_000_000_000))
    }

    @Test(arguments: [SimulatedDevice.Lock.beforeFirstUnlock, .locked, .unlocked])
    func `keys are read as its lock allows`(_ lock: SimulatedDevice.Lock) {
        device.change { $0.lock = lock }
        let seen = device.run { DeviceLock.current }
        #expect(seen.permits(.afterFirstUnlock) == (lock != .beforeFirstUnlock))
        #expect(seen.permits(.unlocked) == (lock == .unlocked))
        #expect(DeviceLock.current == .unlocked)
    }

    @Test func `a full disk refuses what needs room, and changes in place go on`() throws {
        try WholeFile.write([1], to: path, access: .ownerOnly)
        device.change { $0.storage = .full }
        device.run {
            #expect(throws: FileError.system(call: "open", path: path, code: ENOSPC)) {
                try WholeFile.write([2], to: path, access: .ownerOnly)
            }
            #expect(throws: FileError.system(call: "mkdir", path: folder.path + "/new", code: ENOSPC)) {
                try PrivateFolder.make(folder.path + "/new", protection: nil)
            }
        }
        #expect(try WholeFile.read(path, byteCountMax: 1) == [1])
        try device.run { try PrivateFolder.make(folder.path, protection: nil) }
        try device.run { try PrivateFolder.remove(path) }
    }

    @Test func `a read-only container refuses every change and can be read`() throws {
        try WholeFile.write([1], to: path, access: .ownerOnly)
        device.change { $0.storage = .readOnly }
        try device.run { () throws in
            #expect(throws: FileError.system(call: "open", path: path, code: EROFS)) {
                try WholeFile.write([2], to: path, access: .ownerOnly)
            }
            #expect(throws: FileError.system(call: "unlink", path: path, code: EROFS)) {
                try PrivateFolder.remove(path)
            }
            #expect(try WholeFile.read(path, byteCountMax: 1) == [1])
        }
    }
}
#endif
