internal import Envelope
internal import Primitives

/// Position in a tenant's list. Opaque, and only the store can make one.
package struct Cursor: Hashable, Sendable {
    /// In base64url.
    package let text: String

    /// Accepts any text; the store checks it on use.
    package init(text: String) { self.text = text }
}

package enum CursorList: UInt8 {
    case deadLetters = 1
    case devices = 2
}

package struct CursorSeal: Sendable {
    private static let tagByteCount = 16
    static let textByteCountMax = 400
    private let secrets: StoreSecrets

    package init(_ secrets: StoreSecrets) { self.secrets = secrets }

    package func seal(_ position: [UInt8], of list: CursorList, tenant: TenantID) -> Cursor {
        let tag = secrets.tag(.cursor, [[list.rawValue], tenant.bytes, position]).prefix(Self.tagByteCount)
        return Cursor(text: Base64URL.string(Array(tag) + position))
    }

    /// - Throws: `.invalidCursor`, also for one of another list, tenant or store.
    package func open(_ cursor: Cursor, of list: CursorList, tenant: TenantID) throws(StoreError) -> [UInt8] {
        guard cursor.text.utf8.count <= Self.textByteCountMax, let bytes = Base64URL.decode(Array(cursor.text.utf8)),
            bytes.count >= Self.tagByteCount
        else { throw .invalidCursor }
        let position = Array(bytes[Self.tagByteCount...])
        guard seal(position, of: list, tenant: tenant) == cursor else { throw .invalidCursor }
        return position
    }
}
