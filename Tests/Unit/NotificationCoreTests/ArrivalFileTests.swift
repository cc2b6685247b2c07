import Envelope
import Foundation
import Keys
import Platform
import Primitives
import TestSupport
import Testing

@testable import NotificationCore

struct ArrivalFileTests {
    private let folder: TemporaryFolder
    private let file: ArrivalFile

    init() throws {
        folder = try TemporaryFolder()
        file = ArrivalFile(path: folder.path("file"), protection: .always, countMax: 3, itemByteCountMax: 40)
    }

    private func add(_ number: UInt8, byteCount: Int = 40, at time: UInt64? = nil, renews: Bool = false) throws {
        let bytes = [UInt8](repeating: number, count: byteCount)
        let now = Timestamp(milliseconds: time ?? UInt64(number))
        try file.add(bytes, key: [number], now: now, renews: renews) { $0.first == number }
    }

    /// First byte of each item, oldest first.
    private func numbers() throws -> [UInt8?] { try file.items().map { try file.read($0) { $0.first } } }

    private func image() throws -> [UInt8] { try WholeFile.read(file.path, byteCountMax: 1_000) }

    @Test func `items come oldest first, and the newest displace the oldest`() throws {
        for number: UInt8 in [2, 3, 1] { try add(number) }
        #expect(try numbers() == [1, 2, 3])
        for number: UInt8 in 4...5 { try add(number, byteCount: Int(number)) }
        #expect(try numbers() == [3, 4, 5])
        #expect(try image().count == 3 * 32 + 3 * 40)
    }

    @Test func `a head has arrival, two hashes and a length, and the bytes lie in the place of its number`() throws {
        try add(7, byteCount: 2, at: 0x0102)
        let name = [0, 0, 0, 0, 0, 0, 1, 2] + SHA256.hash([7]).prefix(8)
        let length = [UInt8](repeating: 0, count: 7) + [2]
        #expect(try Array(image()[..<32]) == name + SHA256.hash(name + [7, 7]).prefix(8) + length)
        #expect(try Array(image()[96..<99]) == [7, 7, 0])
        var status = stat()
        try #require(unsafe stat(file.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try folder.names() == ["file"])
    }

    @Test func `what is removed leaves no byte, and what took its place stays`() throws {
        try add(1)
        let first = try #require(try file.items().first)
        try file.remove([first])
        #expect(try image().allSatisfy { $0 == 0 })
        try add(2)
        try file.remove([first])
        #expect(try numbers() == [2])
        // A short one displaces a long one.
        for number: UInt8 in 3...4 { try add(number) }
        try add(5, byteCount: 4)
        try file.remove(try file.items())
        #expect(try image().allSatisfy { $0 == 0 })
    }

    @Test func `an item is kept once, and renewed where that is wanted, also in a full file`() throws {
        try add(1)
        try add(1, byteCount: 9, at: 50)
        #expect(try file.items().map { try file.read($0) { $0.count } } == [40])
        try add(2)
        try add(1, byteCount: 9, at: 50, renews: true)
        #expect(try numbers() == [2, 1])
        try add(3)
        try add(2, at: 60, renews: true)
        #expect(try numbers() == [3, 1, 2])
    }

    @Test func `an item that only has another's hash is kept beside it`() throws {
        for number: UInt8 in 1...2 {
            for _ in 0..<2 { try file.add([number], key: [7], now: Timestamp(milliseconds: 0)) { $0 == [number] } }
        }
        #expect(try numbers() == [1, 2])
    }

    /// A kill leaves these, and a power loss, because pages reach the disk in any order.
    @Test func `an addition cut short anywhere leaves the others, and the next one succeeds`() throws {
        for number: UInt8 in 1...3 { try add(number) }
        let before = try image()
        try add(4)
        let after = try image()
        // Item 4 displaced item 1: head 0, place 0.
        let (head, place) = (0..<32, 96..<136)
        let parts = [0, 1, 8, 16, 24, 31, 32].flatMap { headCount in
            [0, 1, 20, 39, 40].map { (head.prefix(headCount), place.prefix($0)) }
        }
        for (headPart, placePart) in parts {
            var image = before
            image.replaceSubrange(headPart, with: after[headPart])
            image.replaceSubrange(placePart, with: after[placePart])
            try WholeFile.write(image, to: file.path, access: .ownerOnly)
            let other: [UInt8] = image == before ? [1] : image == after ? [4] : []
            #expect(try Set(numbers().compactMap(\.self)) == Set([2, 3] + other), "\(headPart) \(placePart)")
            try add(5)
            #expect(try numbers().contains(5))
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any bytes are a file, to which items are added`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let byteCount = [0, 1, 31, 95, 96, 97, 216, 400][Int(seed % 8)]
        var bytes = random.bytes(count: byteCount)
        // Heads with a length that can be.
        for end in [31, 63, 95] where end < byteCount {
            bytes.replaceSubrange(end - 7...end, with: [0, 0, 0, 0, 0, 0, 0, UInt8(seed) + 1])
        }
        try WholeFile.write(bytes, to: file.path, access: .ownerOnly)
        for _ in 0..<2 { _ = try numbers() }
        #expect(try numbers() == [], "damaged items go when they are read")
        for number: UInt8 in 1...4 { try add(number) }
        #expect(try numbers() == [2, 3, 4])
    }

    @Test func `a link and a folder in its place are refused`() throws {
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: folder.path("elsewhere"))
        #expect(throws: ContainerError.self) { try add(1) }
        #expect(try folder.names() == ["file"])
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: ContainerError.self) { try add(1) }
    }
}
