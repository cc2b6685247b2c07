internal import Envelope

/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationattachment, "Supported file
///   types".
struct AttachmentFormat: Sendable {
    static let headerByteCount = 12

    /// Apple's "10 MB" may mean 10^6 or 2^20: the smaller.
    private enum ByteCountMax {
        static let image: UInt64 = 10_000_000
        static let audio: UInt64 = 5_000_000
        static let movie: UInt64 = 50_000_000
    }

    /// Apple's name.
    let typeIdentifier: String
    /// Without dot.
    let fileExtension: String
    let byteCountMax: UInt64
    /// Checks the first `headerByteCount` bytes, or fewer.
    let isHeader: @Sendable ([UInt8]) -> Bool
    /// Locates width and height; nil for non-pictures.
    let picture: Picture?

    enum Picture: Sendable { case jpeg, gif, png }

    /// Nil if iOS does not show it.
    init?(_ type: MediaType) {
        guard let format = Self.byMediaType[type.text] else { return nil }
        self = format
    }

    private init(
        _ typeIdentifier: String,
        _ fileExtension: String,
        _ byteCountMax: UInt64,
        picture: Picture? = nil,
        isHeader: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.typeIdentifier = typeIdentifier
        self.fileExtension = fileExtension
        self.byteCountMax = byteCountMax
        self.picture = picture
        self.isHeader = isHeader
    }

    private static let byMediaType: [String: AttachmentFormat] = [
        "image/jpeg": .init("public.jpeg", "jpg", ByteCountMax.image, picture: .jpeg) {
            $0.starts(with: [0xFF, 0xD8, 0xFF])
        },
        "image/gif": .init("com.compuserve.gif", "gif", ByteCountMax.image, picture: .gif) {
            $0.has("GIF87a") || $0.has("GIF89a")
        },
        "image/png": .init("public.png", "png", ByteCountMax.image, picture: .png) {
            $0.starts(with: [0x89]) && $0.has("PNG\r\n\u{1A}\n", at: 1)
        },
        "audio/aiff": aiff, "audio/x-aiff": aiff,
        "audio/wav": wave, "audio/x-wav": wave, "audio/vnd.wave": wave,
        "audio/mpeg": .init("public.mp3", "mp3", ByteCountMax.audio) { $0.has("ID3") || $0.isMPEGAudioFrame },
        "audio/mp4": mpeg4Audio, "audio/x-m4a": mpeg4Audio,
        "video/mpeg": .init("public.mpeg", "mpg", ByteCountMax.movie) { $0.isMPEGStream },
        "video/mp4": .init("public.mpeg-4", "mp4", ByteCountMax.movie) { $0.has("ftyp", at: 4) },
        "video/vnd.avi": avi, "video/x-msvideo": avi,
    ]

    private static let aiff = AttachmentFormat("public.aiff-audio", "aiff", ByteCountMax.audio) {
        $0.has("FORM") && ($0.has("AIFF", at: 8) || $0.has("AIFC", at: 8))
    }
    private static let wave = AttachmentFormat("com.microsoft.waveform-audio", "wav", ByteCountMax.audio) {
        $0.has("RIFF") && $0.has("WAVE", at: 8)
    }
    private static let mpeg4Audio = AttachmentFormat("public.mpeg-4-audio", "m4a", ByteCountMax.audio) {
        $0.has("ftypM4A", at: 4)
    }
    private static let avi = AttachmentFormat("public.avi", "avi", ByteCountMax.movie) {
        $0.has("RIFF") && $0.has("AVI ", at: 8)
    }
}

extension [UInt8] {
    fileprivate func has(_ text: String, at offset: Int = 0) -> Bool {
        dropFirst(offset).starts(with: text.utf8)
    }

    /// Eleven set bits and a layer.
    fileprivate var isMPEGAudioFrame: Bool { count > 1 && self[0] == 0xFF && self[1] >= 0xE0 && self[1] & 0x06 != 0 }

    /// Pack or sequence header.
    fileprivate var isMPEGStream: Bool { starts(with: [0, 0, 1, 0xBA]) || starts(with: [0, 0, 1, 0xB3]) }
}
