import Envelope
import Keys
import Opening
import Platform
import Primitives

/// Names and pictures of groups, written by the app: two files for each thread, named by its hash.
struct GroupFolder: Sendable {
    static let nameByteCountMax = 256
    private static let context = "SealedPush/1 group"

    let path: String
    private let pictures: AvatarFolder

    init(path: String) {
        self.path = path
        pictures = AvatarFolder(path: path)
    }

    /// - Returns: nil without a name that can be seen.
    func group(_ threadID: String) -> NotificationContent.Sender.Group? {
        let handle = Self.handle(threadID)
        // Missing or unreadable: the message is shown without its group.
        guard let bytes = try? WholeFile.read(path + "/" + handle + ".name", byteCountMax: Self.nameByteCountMax)
        else { return nil }
        let name = DisplayText.safe(String(decoding: bytes, as: UTF8.self), in: .line)
        return name.isEmpty ? nil : .init(name: name, picturePath: pictures.picture(handle))
    }

    func set(_ name: String?, picture: [UInt8]?, for threadID: String) throws(FileError) {
        let handle = Self.handle(threadID)
        try pictures.set(name == nil ? nil : picture, for: handle)
        let file = path + "/" + handle + ".name"
        guard let name else { return try PrivateFolder.remove(file) }
        try WholeFile.write(Array(name.utf8), to: file, access: .protected(.untilFirstUnlock))
    }

    func removeAll() throws(ContainerError) { try pictures.removeAll() }

    private static func handle(_ threadID: String) -> String {
        Base64URL.string(Array(SHA256.hash(Array(context.utf8) + Array(threadID.utf8)).prefix(16)))
    }
}
