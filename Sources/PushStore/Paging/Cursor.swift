internal import Envelope
internal import Primitives

/// A place in a list of a tenant's. It means nothing to whoever holds it, and nobody but the store can make one.
package struct Cursor: Hashable, Sendable {
    /// As it travels: base64url.
    package let text: String

    /// Any text: the store checks it when it is used.
    package init(text: String) { self.text = text }
}

/// Which list a cursor belongs to.
enum CursorList: UInt8 {
    case deadLetters = 1
    case devices = 2
}

/// Makes cursors and checks them.
struct CursorSeal: Sendable {
    private static let tagByteCount = 16
    static let textByteCountMax = 400
    private let secrets: StoreSecrets

    init(_ secrets: StoreSecrets) { self.secrets = secrets }

    /// - Parameters:
    ///   - position: what the list orders by, at the page's end.
    ///   - list: which one.
    ///   - tenant: whose.
    /// - Returns: a cursor that only `open` understands.
    func seal(_ position: [UInt8], of list: CursorList, tenant: TenantID) -> Cursor {
        let tag = secrets.tag(.cursor, [[list.rawValue], tenant.bytes, position]).prefix(Self.tagByteCount)
        return Cursor(text: Base64URL.string(Array(tag) + position))
    }

    /// - Returns: the position.
    /// - Throws: `.invalidCursor` for one of another list, tenant or store, and for anything else.
    func open(_ cursor: Cursor, of list: CursorList, tenant: TenantID) throws(StoreError) -> [UInt8] {
        guard cursor.text.utf8.count <= Self.textByteCountMax, let bytes = Base64URL.decode(Array(cursor.text.utf8)),
            bytes.count >= Self.tagByteCount
        else { throw .invalidCursor }
        let position = Array(bytes[Self.tagByteCount...])
        guard seal(position, of: list, tenant: tenant) == cursor else { throw .invalidCursor }
        return position
    }
}
