/// Bytes that a party holds.
package enum Source: Sendable, Hashable {
    /// A file, or a folder with all below it.
    case path(String)
    case process(Int32)

    package var text: String {
        switch self {
        case .path(let path): path
        case .process(let id): "process \(id)"
        }
    }
}
