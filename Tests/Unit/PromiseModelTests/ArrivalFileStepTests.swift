import Envelope
import Keys
import Platform
import TestSupport
import Testing

@testable import NotificationCore

struct ArrivalFileStepTests {
    @Test func `an addition and a removal are forced to the disk, after their two writes`() throws {
        let folder = try TemporaryFolder()
        let file = ArrivalFile(path: folder.path("file"), protection: .always, countMax: 3, itemByteCountMax: 40)
        func add(_ number: UInt8) throws {
            let bytes = [UInt8](repeating: number, count: 40)
            try file.add(bytes, key: [number], now: Timestamp(milliseconds: 0)) { $0 == bytes }
        }
        try add(1)
        for change in [{ try add(2) }, { try file.remove([file.items()[0]]) }] {
            var images: [[UInt8]] = []
            try DiskSteps.watch(change) { images.append((try? WholeFile.read(file.path, byteCountMax: 1_000)) ?? []) }
            let after = try WholeFile.read(file.path, byteCountMax: 1_000)
            // A write is two steps, with half of it on the disk at the second. The sync is the last.
            #expect(images.isEmpty || images.map { $0 == after } == [false, false, false, false, true])
        }
    }
}
