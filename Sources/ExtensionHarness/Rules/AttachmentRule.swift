/// iOS's check of attachment files, after the extension is done.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationattachment, "Supported file
///   types".
enum AttachmentRule {
    /// Bytes of a file that identify its format.
    static let headerByteCount = 12

    /// Size limits. Apple's "10 MB" is undefined; by the smaller reading, a file accepted here is accepted there.
    private enum Kind {
        static let image = 10_000_000
        static let audio = 5_000_000
        static let movie = 50_000_000
    }

    /// - Parameter header: Up to `headerByteCount` bytes.
    /// - Returns: Nil for an accepted file.
    static func problem(type: String, byteCount: Int, header: [UInt8]) -> AttachmentProblem? {
        guard let (byteCountMax, isHeader) = formats[type] else { return .unrecognized }
        if byteCount > byteCountMax { return .tooLarge(byteCount: byteCount, byteCountMax: byteCountMax) }
        return isHeader(header) ? nil : .corrupt
    }

    private static let formats: [String: (byteCountMax: Int, isHeader: @Sendable ([UInt8]) -> Bool)] = [
        "public.jpeg": (Kind.image, { $0.starts(with: [0xFF, 0xD8, 0xFF]) }),
        "com.compuserve.gif": (Kind.image, { $0.has("GIF87a") || $0.has("GIF89a") }),
        "public.png": (Kind.image, { $0.starts(with: [0x89]) && $0.has("PNG\r\n\u{1A}\n", at: 1) }),
        "public.aiff-audio": (Kind.audio, { $0.has("FORM") && ($0.has("AIFF", at: 8) || $0.has("AIFC", at: 8)) }),
        "com.microsoft.waveform-audio": (Kind.audio, { $0.has("RIFF") && $0.has("WAVE", at: 8) }),
        "public.mp3": (Kind.audio, { $0.has("ID3") || $0.isMPEGAudioFrame }),
        "public.mpeg-4-audio": (Kind.audio, { $0.has("ftyp", at: 4) }),
        "public.mpeg": (Kind.movie, { $0.isMPEGStream }),
        "public.mpeg-2-video": (Kind.movie, { $0.isMPEGStream }),
        "public.mpeg-4": (Kind.movie, { $0.has("ftyp", at: 4) }),
        "public.avi": (Kind.movie, { $0.has("RIFF") && $0.has("AVI ", at: 8) }),
    ]
}

extension [UInt8] {
    fileprivate func has(_ text: String, at offset: Int = 0) -> Bool {
        dropFirst(offset).starts(with: text.utf8)
    }

    /// Eleven set bits.
    fileprivate var isMPEGAudioFrame: Bool { count > 1 && self[0] == 0xFF && self[1] >= 0xE0 }

    /// Pack or a sequence header.
    fileprivate var isMPEGStream: Bool { starts(with: [0, 0, 1, 0xBA]) || starts(with: [0, 0, 1, 0xB3]) }
}
