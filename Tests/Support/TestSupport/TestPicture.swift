/// Files with the first bytes of pictures, without their content.
package enum TestPicture {
    package static func png(width: UInt32, height: UInt32) -> [UInt8] {
        [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13] + Array("IHDR".utf8) + bigEndian(width)
            + bigEndian(height) + [8, 2, 0, 0, 0] + [UInt8](repeating: 0, count: 20)
    }

    package static func gif(width: UInt16, height: UInt16) -> [UInt8] {
        Array("GIF89a".utf8) + bigEndian(width).reversed() + bigEndian(height).reversed() + [0, 0, 0, 0x3B]
    }

    /// With metadata before its frame, as cameras write them.
    package static func jpeg(width: UInt16, height: UInt16) -> [UInt8] {
        let metadata: [UInt8] = [0xFF, 0xE1, 0x01, 0x02] + [UInt8](repeating: 0xC0, count: 256)
        return [0xFF, 0xD8] + metadata + [0xFF] + jpegFrame(width: width, height: height) + [0xFF, 0xD9]
    }

    package static func jpegFrame(width: UInt16, height: UInt16) -> [UInt8] {
        [0xFF, 0xC2, 0, 11, 8] + bigEndian(height) + bigEndian(width) + [1, 1, 0x11, 0]
    }

    private static func bigEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
