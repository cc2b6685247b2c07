// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Picture of a person or group.
///
/// - Source: https://developer.apple.com/documentation/intents/inimage
open class INImage: NSObject, NSCopying {
    final let image: Communication.Image

    private init(_ image: Communication.Image) { self.image = image }

    public convenience init(named name: String) { self.init(.named(name)) }

    public convenience init(imageData: Data) { self.init(.data(imageData)) }

    /// Image in a file, or, as Apple recommends against, on a server.
    public convenience init?(url: URL) {
        self.init(url.isFileURL ? .file(url.path) : .named(url.absoluteString))
    }

    public convenience init?(url: URL, width: Double, height: Double) { self.init(url: url) }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}
