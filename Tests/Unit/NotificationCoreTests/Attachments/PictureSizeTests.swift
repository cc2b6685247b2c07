import Primitives
import TestSupport
import Testing

@testable import NotificationCore

struct PictureSizeTests {
    private func size(_ format: AttachmentFormat.Picture, _ file: [UInt8]) -> PictureSize? {
        PictureSize(format) { offset, count in
            let start = Int(min(offset, UInt64(file.count)))
            return Array(file[start..<min(start + count, file.count)])
        }
    }

    private static func file(_ format: AttachmentFormat.Picture, width: UInt16, height: UInt16) -> [UInt8] {
        switch format {
        case .png: TestPicture.png(width: UInt32(width), height: UInt32(height))
        case .gif: TestPicture.gif(width: width, height: height)
        case .jpeg: TestPicture.jpeg(width: width, height: height)
        }
    }

    @Test func `a picture says how large it is`() {
        #expect(size(.png, TestPicture.png(width: 640, height: 480)) == PictureSize(width: 640, height: 480))
        #expect(size(.gif, TestPicture.gif(width: 640, height: 480)) == PictureSize(width: 640, height: 480))
        #expect(size(.jpeg, TestPicture.jpeg(width: 640, height: 480)) == PictureSize(width: 640, height: 480))
    }

    @Test func `the largest sizes are counted without overflow (abuse case 62)`() {
        let size = size(.png, TestPicture.png(width: .max, height: .max))
        #expect(size?.pixelCount == UInt64(UInt32.max) * UInt64(UInt32.max))
    }

    @Test(arguments: [AttachmentFormat.Picture.png, .gif, .jpeg])
    func `a picture that is cut says nothing, or what it said`(_ format: AttachmentFormat.Picture) {
        let file = Self.file(format, width: 640, height: 480)
        for count in 0..<file.count {
            let size = size(format, Array(file[..<count]))
            #expect(size == nil || size == PictureSize(width: 640, height: 480), "\(count)")
        }
    }

    @Test(arguments: [AttachmentFormat.Picture.png, .gif, .jpeg])
    func `a picture without points is none`(_ format: AttachmentFormat.Picture) {
        #expect(size(format, Self.file(format, width: 0, height: 480)) == nil)
        #expect(size(format, Self.file(format, width: 640, height: 0)) == nil)
    }

    @Test func `a JPEG without end of segments is given up`() {
        var file: [UInt8] = [0xFF, 0xD8]
        for _ in 0..<1_000 { file += [0xFF, 0xE1, 0, 2] }
        #expect(size(.jpeg, file + TestPicture.jpegFrame(width: 1, height: 1)) == nil)
        #expect(size(.jpeg, [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 100_000)) == nil)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `random bytes never trap`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for format in [AttachmentFormat.Picture.png, .gif, .jpeg] {
            var file = Self.file(format, width: 640, height: 480)
            for _ in 0..<4 {
                let bytes = random.bytes(count: 3)
                file[(Int(bytes[0]) << 8 | Int(bytes[1])) % file.count] = bytes[2]
            }
            // Any result will do: the test is that it returns.
            _ = size(format, file)
        }
    }
}

extension PictureSize {
    /// Reads them from a file with that size.
    fileprivate init?(width: UInt32, height: UInt32) {
        let file = TestPicture.png(width: width, height: height)
        self.init(.png) { offset, count in Array(file.dropFirst(Int(offset)).prefix(count)) }
    }
}
