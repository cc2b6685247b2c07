import Envelope
import Keys
import Platform
import WebPush

/// Web Push keys of each endpoint: a file each, named by the endpoint's id. The app writes them.
struct EndpointKeyFolder: Sendable {
    /// Above what a relay allows.
    private static let fileCountMax = 1_024

    let path: String

    init(path: String) { self.path = path }

    func ids() throws(FileError) -> [EndpointID] {
        try PrivateFolder.names(path, countMax: Self.fileCountMax).compactMap { EndpointID(text: $0) }
    }

    /// Endpoint that a push's hint names.
    func id(hint: [UInt8], trace: Trace?) throws(FileError) -> EndpointID? {
        guard let trace else { return nil }
        return try ids().first { $0.hint(in: trace) == hint }
    }

    func keys(_ id: EndpointID) throws(FileError) -> WebPushKeys {
        try WebPushKeys(keyFile: file(id), exampleKeys: .refused)
    }

    func write(_ keys: WebPushKeys, for id: EndpointID) throws(FileError) {
        try PrivateFolder.make(path, protection: .untilFirstUnlock)
        try keys.write(to: file(id), access: .protected(.untilFirstUnlock))
    }

    func remove(_ id: EndpointID) throws(FileError) { try PrivateFolder.remove(file(id)) }

    func removeAll() throws(FileError) { for id in try ids() { try remove(id) } }

    private func file(_ id: EndpointID) -> String { path + "/" + id.text }
}
