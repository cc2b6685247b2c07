/// Width and height of a picture, from its header: nothing is decoded.
struct PictureSize: Hashable, Sendable {
    let width: UInt32, height: UInt32

    var pixelCount: UInt64 { UInt64(width) * UInt64(height) }

    /// Nil without a valid size.
    ///
    /// - Parameter read: returns fewer bytes at the end of the file.
    init?(_ format: AttachmentFormat.Picture, read: (_ offset: UInt64, _ count: Int) -> [UInt8]) {
        let size: (width: UInt32, height: UInt32)?
        switch format {
        case .png: size = Self.png(read)
        case .gif: size = Self.gif(read)
        case .jpeg: size = Self.jpeg(read)
        }
        guard let size, size.width > 0, size.height > 0 else { return nil }
        (width, height) = size
    }

    private typealias Read = (UInt64, Int) -> [UInt8]

    /// - Source: PNG (third edition), section 11.2.1: IHDR comes first, 13 bytes.
    private static func png(_ read: Read) -> (UInt32, UInt32)? {
        let head = read(8, 16)
        guard head.count == 16, head.starts(with: [0, 0, 0, 13] + Array("IHDR".utf8)) else { return nil }
        return (number(head[8..<12]), number(head[12..<16]))
    }

    /// - Source: GIF89a, section 18: logical screen.
    private static func gif(_ read: Read) -> (UInt32, UInt32)? {
        let size = read(6, 4)
        guard size.count == 4 else { return nil }
        return (number(size[0..<2].reversed()), number(size[2..<4].reversed()))
    }

    /// Cameras write a dozen, large metadata some twenty.
    private static let segmentCountMax = 256

    /// - Source: ITU-T T.81, section B.1.1.4 for segments, B.2.2 for the frame header.
    private static func jpeg(_ read: Read) -> (UInt32, UInt32)? {
        var offset: UInt64 = 2
        for _ in 0..<segmentCountMax {
            let head = read(offset, 4)
            guard head.count == 4, head[0] == 0xFF else { return nil }
            switch head[1] {
            // Fill bytes.
            case 0xFF: offset += 1
            // Marker without a segment.
            case 0x01, 0xD0...0xD7: offset += 2
            // Frame: precision, lines, samples per line. Tables excluded.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                let frame = read(offset + 4, 5)
                guard frame.count == 5 else { return nil }
                return (number(frame[3..<5]), number(frame[1..<3]))
            // No frame.
            case 0x00, 0xD8, 0xD9, 0xDA: return nil
            default:
                let byteCount = number(head[2..<4])
                guard byteCount >= 2 else { return nil }
                offset += 2 + UInt64(byteCount)
            }
        }
        return nil
    }

    /// Big-endian, at most four bytes.
    private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
